import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Status } from "@virt/api";
import { asText, at } from "@virt/objects";
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
import { itemOf } from "../support/config-client.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";

const machineConfigs = "/apis/machineconfiguration.openshift.io/v1/machineconfigs";
const masterSwap = `${machineConfigs}/90-master-kubelet-swap`;
const quiet = { flags: ["--advertise-profiles=false"] };

async function overcommit({ server }: TestCluster): Promise<unknown> {
  return at(await readAt(server, paths.hco), "spec", "higherWorkloadDensity", "memoryOvercommitPercentage");
}

/** Returns each node's current rendered configuration, as reported by the machine-config daemon. */
async function runningConfigs({ server }: TestCluster): Promise<readonly unknown[]> {
  const { body } = await server.request({ path: "/api/v1/nodes" });
  const { items } = body as { readonly items: readonly { readonly metadata: object }[] };
  const names = items.map((node) =>
    asText(at(node as never, "metadata", "annotations", "machineconfiguration.openshift.io/currentConfig")),
  );
  return Promise.all(names.map((name) => readAt(server, `${machineConfigs}/${name}`)));
}

test("on a compact cluster memory is overcommitted only when swap is on the control plane nodes that run the VMs", async () => {
  await using testCluster = await startTestCluster();
  const { configs, server } = testCluster;
  await testCluster.simulate("compact");
  await testCluster.startOperator(quiet);
  await edit(server, paths.pool("master"), { spec: { paused: true } });
  const before = await overcommit(testCluster);
  await configs.create(higherDensity, { action: "DryRun" });
  const reviewed = await configs.until(higherDensity, "ReviewRequired");
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
  const waiting = await configs.until(higherDensity, ({ items = [] }) =>
    items.some(({ message }) => message.includes("MachineConfigPool 'master' is paused")),
  );
  expect(itemOf(waiting, "configure-higher-density")).toMatchObject({
    state: "Pending",
    message: "Waiting for item 'enable-kubelet-swap-master'",
  });
  expect(await overcommit(testCluster)).toBe(before);

  await edit(server, paths.pool("master"), { spec: { paused: false } });
  const completed = await configs.until(higherDensity, "Completed");
  expect(await overcommit(testCluster)).toBe(150);
  for (const rendered of await runningConfigs(testCluster))
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

test("on a compact cluster PSI is switched on and off where the VMs run, and a plan without a node to take it is refused", async () => {
  await using testCluster = await startTestCluster();
  const { configs, server } = testCluster;
  await testCluster.simulate("compact");
  await testCluster.startOperator(quiet);
  await configs.create(loadAware, { action: "Apply" });
  const completed = await configs.until(loadAware, "Completed");
  expect(completed.items?.map(({ name, message }) => [name, message])).toEqual([
    ["enable-psi-metrics-master", "MachineConfigPool 'master' is ready (all 3 nodes updated)"],
    ["enable-load-aware-descheduling", "Applied successfully"],
  ]);
  for (const rendered of await runningConfigs(testCluster))
    expect(at(rendered as never, "spec", "kernelArguments")).toContain("psi=1");

  await configs.edit(loadAware, { options: { loadAware: { enablePSIMetrics: false } } });
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
  expect(refused.conditions?.find(({ type }) => type === "PrerequisiteFailed")?.message).toBe(
    "No node would apply MachineConfig '99-worker-psi-karg': MachineConfigPool 'worker' has no machines, and no control plane node may run VMs.",
  );
});

test("a node that may run VMs and has no swap holds the overcommitment back, across a restart of the operator", async () => {
  await using testCluster = await startTestCluster();
  const { configs, server } = testCluster;
  await testCluster.simulate("three-workers");
  const first = await testCluster.startOperator(quiet);
  const before = await overcommit(testCluster);
  await fault(server, paths.node("worker-2"), ["swap-partition", null]);
  await edit(server, paths.pool("worker"), { spec: { paused: true } });
  await configs.create(higherDensity, { action: "Apply" });
  await configs.until(higherDensity, ({ items = [] }) => items.some(({ message }) => /is paused/.test(message)));

  // KubeVirt starts to use a control plane node that the plan did not include.
  const label = (value: string | null) =>
    edit(server, paths.node("master-0"), { metadata: { labels: { "kubevirt.io/schedulable": value } } });
  await label("true");
  await edit(server, paths.pool("worker"), { spec: { paused: false } });
  const isHeld = ({ items = [] }: Status) =>
    items.some(({ state, message }) => state === "Pending" && /can run VMs: master-0\. Next: /.test(message));
  const held = await configs.until(higherDensity, isHeld);
  expect([held.phase, itemOf(held, "enable-kubelet-swap").state]).toEqual(["InProgress", "Completed"]);
  await first.kill();
  await testCluster.startOperator(quiet);
  const since = auditTimeNow();
  await expect
    .poll(() => requestsOf(server, since).some(({ requestURI }) => /rendered-worker/.test(requestURI)))
    .toBe(true);
  expect(isHeld(await configs.status(higherDensity))).toBe(true);
  expect(await overcommit(testCluster)).toBe(before);

  await label(null);
  const completed = await configs.until(higherDensity, "Completed");
  expect(await overcommit(testCluster)).toBe(150);
  expect(itemOf(completed, "enable-kubelet-swap").message).toBe(
    "MachineConfigPool 'worker' is ready (all 3 nodes updated); swap is active on 2 of 3 nodes, not on worker-2",
  );

  await configs.edit(higherDensity, {
    action: "DryRun",
    options: { virtHigherDensity: { memoryToRequestRatio: 130 } },
  });
  const reviewed = await configs.until(higherDensity, "ReviewRequired");
  expect(itemOf(reviewed, "configure-higher-density").warnings).toContain(
    "memoryOvercommitPercentage=130 is not covered by swap in the worst case: up to 38.4 GiB is missing on 1 node (worker-2)",
  );
});

test("where workers and the control plane run VMs both get swap, the control plane behind the workers", async () => {
  await using testCluster = await startTestCluster();
  const { configs, server } = testCluster;
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
  await testCluster.simulate(scenario);
  await testCluster.startOperator(quiet);
  await configs.create(higherDensity, { action: "Apply" });
  const completed = await configs.until(higherDensity, "Completed");
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
  expect(await overcommit(testCluster)).toBe(150);
});
