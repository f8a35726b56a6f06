import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conditionOf } from "@virt/advisor";
import type { Status } from "@virt/api";
import { asText, at } from "@virt/objects";
import type { Server } from "@virt/testkit";
import { expect, onTestFinished, test } from "vitest";
import {
  auditTimeNow,
  edit,
  fault,
  higherDensity,
  loadAware,
  paths,
  readAt,
  requestsOf,
  writesOf,
} from "../support/advisor.ts";
import {
  applyToPausedPool,
  densityItem,
  hasPausedItem,
  overcommitOf,
  startAdvisor,
  swapItem,
  unpauseWorkers,
  withoutPsi,
} from "../support/advisor-suite.ts";
import { itemOf } from "../support/config-client.ts";

const machineConfigs = "/apis/machineconfiguration.openshift.io/v1/machineconfigs";
const masterSwap = `${machineConfigs}/90-master-kubelet-swap`;

/** Returns each node's current rendered configuration, as reported by the machine-config daemon. */
async function runningConfigs(server: Server): Promise<readonly unknown[]> {
  const { body } = await server.request({ path: "/api/v1/nodes" });
  const { items } = body as { readonly items: readonly { readonly metadata: object }[] };
  const names = items.map((node) =>
    asText(at(node as never, "metadata", "annotations", "machineconfiguration.openshift.io/currentConfig")),
  );
  return Promise.all(names.map((name) => readAt(server, `${machineConfigs}/${name}`)));
}

test("compact cluster: overcommits memory only after the control plane nodes have swap", async () => {
  await using advisor = await startAdvisor({ scenario: "compact" });
  const { configs, server } = advisor;
  await edit(server, paths.pool("master"), { spec: { paused: true } });
  const before = await overcommitOf(server);
  const reviewed = await configs.draft(higherDensity);
  expect(reviewed.items?.map(({ name, targetRef }) => [name, targetRef.name])).toEqual([
    ["enable-kubelet-swap-master", "90-master-kubelet-swap"],
    ["configure-higher-density", "kubevirt-hyperconverged"],
  ]);
  expect(itemOf(reviewed, "enable-kubelet-swap-master")).toMatchObject({
    impactSeverity: "High",
    warnings: expect.arrayContaining([
      "Reboots 3 nodes of MachineConfigPool 'master', once it is unpaused",
      "MachineConfigPool 'master' is paused",
    ]),
  });

  await configs.edit(higherDensity, { action: "Apply" });
  const waiting = await configs.until(higherDensity, hasPausedItem);
  expect(itemOf(waiting, "enable-kubelet-swap-master").message).toContain("MachineConfigPool 'master' is paused");
  expect(itemOf(waiting, densityItem)).toMatchObject({
    state: "Pending",
    message: "Waiting for item 'enable-kubelet-swap-master'",
  });
  expect(await overcommitOf(server)).toBe(before);

  await edit(server, paths.pool("master"), { spec: { paused: false } });
  const completed = await configs.until(higherDensity, "Completed");
  expect(await overcommitOf(server)).toBe(150);
  for (const rendered of await runningConfigs(server))
    expect(JSON.stringify(rendered)).toContain("/etc/openshift/kubelet.conf.d/90-swap.conf");
  expect(itemOf(completed, "enable-kubelet-swap-master").message).toBe(
    "MachineConfigPool 'master' is ready (all 3 nodes updated); swap is active on 3 of 3 nodes",
  );
  expect(writesOf(server)).toEqual([
    "patch machineconfigs/90-master-kubelet-swap",
    "patch hyperconvergeds/kubevirt-hyperconverged",
  ]);

  await configs.edit(higherDensity, { options: { virtHigherDensity: { enableSwap: false } } });
  const sparse = await configs.until(
    higherDensity,
    ({ phase, items = [] }) => phase === "Completed" && items.some(({ operation }) => operation === "Delete"),
  );
  expect(sparse.items?.map(({ name }) => name)).toEqual(["configure-higher-density", "disable-kubelet-swap-master"]);
  expect(await readAt(server, masterSwap)).toBeUndefined();
});

test("compact cluster: switches PSI on the VM nodes, and refuses a plan without nodes", async () => {
  await using advisor = await startAdvisor({ scenario: "compact" });
  const { configs, server } = advisor;
  const completed = await configs.complete(loadAware);
  expect(completed.items?.map(({ name, message }) => [name, message])).toEqual([
    ["enable-psi-metrics-master", "MachineConfigPool 'master' is ready (all 3 nodes updated)"],
    ["enable-load-aware-descheduling", "Applied successfully"],
  ]);
  for (const rendered of await runningConfigs(server))
    expect(at(rendered as never, "spec", "kernelArguments")).toContain("psi=1");

  await configs.edit(loadAware, { options: withoutPsi });
  await configs.until(
    loadAware,
    ({ phase, items = [] }) => phase === "Completed" && items.some(({ name }) => name === "disable-psi-metrics-master"),
  );
  expect(await readAt(server, `${machineConfigs}/99-master-psi-karg`)).toBeUndefined();

  // No VM may run on these nodes, so that no node can take the configuration.
  const { body } = await server.request({ path: "/api/v1/nodes" });
  for (const { metadata } of (body as { readonly items: readonly { readonly metadata: { name: string } }[] }).items)
    await edit(server, paths.node(metadata.name), {
      metadata: { labels: { "kubevirt.io/schedulable": null } },
      spec: { taints: [{ key: "node-role.kubernetes.io/master", effect: "NoSchedule" }] },
    });
  await configs.edit(loadAware, { options: { loadAware: { enablePSIMetrics: true } } });
  const refused = await configs.until(loadAware, "PrerequisiteFailed");
  expect(conditionOf(refused, "PrerequisiteFailed")?.message).toBe(
    "No node would apply MachineConfig '99-worker-psi-karg': MachineConfigPool 'worker' has no machines, and no control plane node may run VMs.",
  );
});

test("a VM node without swap delays the overcommit, even across an operator restart", async () => {
  await using advisor = await startAdvisor({ scenario: "three-workers" });
  const { configs, server } = advisor;
  const before = await overcommitOf(server);
  await fault(server, paths.node("worker-2"), ["swap-partition", null]);
  await applyToPausedPool(advisor, higherDensity);

  // KubeVirt starts to use a control plane node that the plan did not include.
  const label = (value: string | null) =>
    edit(server, paths.node("master-0"), { metadata: { labels: { "kubevirt.io/schedulable": value } } });
  await label("true");
  await unpauseWorkers(server);
  const isHeld = ({ items = [] }: Status) =>
    items.some(({ state, message }) => state === "Pending" && /can run VMs: master-0\. Next: /.test(message));
  const held = await configs.until(higherDensity, isHeld);
  expect([held.phase, itemOf(held, swapItem).state]).toEqual(["InProgress", "Completed"]);
  await advisor.stop();
  await advisor.start();
  const since = auditTimeNow();
  await expect
    .poll(() => requestsOf(server, since).some(({ requestURI }) => /rendered-worker/.test(requestURI)))
    .toBe(true);
  expect(isHeld(await configs.status(higherDensity))).toBe(true);
  expect(await overcommitOf(server)).toBe(before);

  await label(null);
  const completed = await configs.until(higherDensity, "Completed");
  expect(await overcommitOf(server)).toBe(150);
  expect(itemOf(completed, swapItem).message).toBe(
    "MachineConfigPool 'worker' is ready (all 3 nodes updated); swap is active on 2 of 3 nodes, not on worker-2",
  );

  await configs.edit(higherDensity, {
    action: "DryRun",
    options: { virtHigherDensity: { memoryToRequestRatio: 130 } },
  });
  const reviewed = await configs.until(higherDensity, "ReviewRequired");
  expect(itemOf(reviewed, densityItem).warnings).toContain(
    "memoryOvercommitPercentage=130 is not covered by swap in the worst case: up to 38.4 GiB is missing on 1 node (worker-2)",
  );
});

test("mixed cluster: gives swap to the workers first, then to the control plane", async () => {
  const folder = mkdtempSync(join(tmpdir(), "nodes-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const scenario = join(folder, "mixed.json");
  const node = { count: 1, cpus: 16, memoryGiB: 64, swapGiB: 32 };
  writeFileSync(
    scenario,
    JSON.stringify({
      mastersSchedulable: true,
      nodes: [
        { ...node, name: "master", roles: ["master", "control-plane", "worker"] },
        { ...node, name: "worker", roles: ["worker"] },
      ],
      vms: [],
    }),
  );
  await using advisor = await startAdvisor({ scenario });
  const { configs, server } = advisor;
  const completed = await configs.complete(higherDensity);
  expect(completed.items?.map(({ name, message }) => [name, message])).toEqual([
    [
      "enable-kubelet-swap",
      "MachineConfigPool 'worker' is ready (all 1 nodes updated); swap is active on 1 of 1 nodes",
    ],
    [
      "enable-kubelet-swap-master",
      "MachineConfigPool 'master' is ready (all 1 nodes updated); swap is active on 1 of 1 nodes",
    ],
    ["configure-higher-density", "Applied successfully"],
  ]);
  expect(writesOf(server)).toEqual([
    "patch machineconfigs/90-worker-kubelet-swap",
    "patch machineconfigs/90-master-kubelet-swap",
    "patch hyperconvergeds/kubevirt-hyperconverged",
  ]);
  expect(await overcommitOf(server)).toBe(150);
});
