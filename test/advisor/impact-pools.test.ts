// Worked examples of impacts with their numbers and texts, reported by the shipped operator on a real API server.

import type { JsonMap, KubeObject } from "@virt/api";
import { nodeObject, policyObject, poolObject, workers } from "@virt/impact/testing/cluster-builder";
import { afterEach, expect, test } from "vitest";
import { edit, higherDensity, loadAware, paths, removeAt } from "../support/advisor.ts";
import { useAdvisor } from "../support/advisor-suite.ts";
import { itemOf } from "../support/config-client.ts";
import {
  createAssessed,
  isAssessed,
  noVms,
  PlantedCluster,
  type PlantedVm,
  vmsOnEach,
  zonedWorkers,
} from "../support/planted-cluster.ts";

let planted: PlantedCluster;

const advisor = useAdvisor({
  moreCrds: ["virtualmachines", "machineconfigurations", "infrastructures"],
  prepare: async ({ server }) => {
    planted = new PlantedCluster(server);
    await planted.plantPlatform();
  },
});
afterEach(async () => {
  const { server } = advisor();
  for (const name of [loadAware, higherDensity]) await removeAt(server, paths.config(name));
  await planted.clear();
});

const times = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at));

const migrated = (seconds: number): JsonMap => ({
  migrationState: {
    completed: true,
    startTimestamp: "2026-01-01T00:00:00Z",
    endTimestamp: new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString(),
  },
});

test("world 2: history narrows the duration, and the impact names blocking and stopping VMs", async () => {
  const names = times(12, (at) => `w-${`${at + 1}`.padStart(2, "0")}`);
  const disks = (name: string, node: string): PlantedVm => ({ name, node, isMigratable: false });
  const manual = (name: string): PlantedVm => ({ name, node: "w-05", strategy: "None", owner: "Manual" });
  await planted.plant(names.map((name) => nodeObject(name)));
  await planted.plantVms([
    ...names.flatMap((node) =>
      times(node >= "w-11" ? 17 : 18, (at) => ({
        name: `${node}-${at}`,
        node,
        status: migrated(at % 2 === 0 ? 32 : 72),
      })),
    ),
    ...["a", "b", "c", "d"].map((name) => disks(name, "w-03")),
    ...["e", "f"].map((name) => disks(name, "w-07")),
    ...["g", "h"].map(manual),
  ]);
  // An earlier rollout is in the status before the first reconcile.
  await advisor().stop();
  await advisor().configs.create(loadAware);
  const counts = { total: 12, done: 12, inHand: 0, waiting: 0, degraded: 0 };
  const observed = { drainSeconds: [], restartSeconds: [900, 1000, 1080] };
  const rollout = {
    summary: "worker pool: 12 of 12 nodes updated",
    pools: [{ name: "worker", ...counts, observed }],
    nodes: [],
    findings: [],
    more: { pools: 0, nodes: 0, findings: 0 },
  };
  await edit(advisor().server, `${paths.config(loadAware)}/status`, { status: { rollout } });
  await advisor().start();
  const { impact } = await advisor().configs.until(loadAware, isAssessed);
  expect(impact).toMatchObject({
    summary:
      "Reboots 12 nodes (worker pool, one at a time). Live-migrates 214 VMs. 6 VMs block the drain of w-03 and w-07. Stops 2 VMs. Takes 4–8 hours, not counting blocked time.",
    duration: { lowSeconds: 14_760, highSeconds: 28_390, restart: "observed", migration: "history" },
    stops: [{ name: "g" }, { name: "h" }],
  });
});

test("world 6: custom pools reboot in parallel; a paused pool keeps the plan hash", async () => {
  const infra = workers(2, "infra-", { roles: ["worker", "infra"] });
  const nodes = [...workers(2), ...infra];
  const sizes = (at: number) => (at % 2 === 0 ? [8, 4, 8] : [4, 8, 4]);
  await planted.plant([poolObject("infra"), ...nodes]);
  await planted.plantVms(
    nodes.flatMap(({ metadata: { name } }, at) =>
      sizes(at).map((gib, index) => ({ name: `${name}-${index}`, node: name, gib })),
    ),
  );
  const running = await createAssessed(advisor(), loadAware);
  expect(running.disruption).toEqual(["infra", "worker"].map((pool) => ({ pool, class: "Reboot" })));
  const bounds = { lowSeconds: 1260, highSeconds: 4288 };
  expect(running.impact).toMatchObject({
    nodes: 4,
    vms: { migrate: 12 },
    duration: { ...bounds, text: "20 minutes to 1.5 hours" },
    pools: [
      { name: "infra", ...bounds },
      { name: "worker", ...bounds },
    ],
  });
  await removeAt(advisor().server, paths.config(loadAware));
  await edit(advisor().server, paths.pool("infra"), { spec: { paused: true } });
  const paused = await createAssessed(advisor(), loadAware);
  expect(paused.planHash).toBe(running.planHash);
  expect(paused.impact).toMatchObject({
    nodes: 2,
    held: 2,
    vms: { migrate: 12 },
    duration: bounds,
    summary:
      "The infra pool is paused with 2 nodes waiting for an update. Reboots 2 nodes (worker pool, one at a time). Live-migrates 12 VMs. Takes 20 minutes to 1.5 hours.",
  });
});

const swapFiles = ["/etc/find-swap-partition", "/etc/openshift/kubelet.conf.d/90-swap.conf"];
const swapUnits = ["swap-provision.service", "cgroup-system-slice-config.service"];
const restartCrio = [{ type: "Restart", restart: { serviceName: "crio.service" } }];
const policies = (units: readonly string[]): KubeObject => {
  const clusterPolicies = {
    files: swapFiles.map((path) => ({ path, actions: restartCrio })),
    units: units.map((name) => ({ name, actions: restartCrio })),
  };
  return { ...policyObject({}), spec: {}, status: { nodeDisruptionPolicyStatus: { clusterPolicies } } };
};

test("world 7: policies avoid the drain; removing one redrafts the plan with reboots", async () => {
  const { server } = advisor();
  await planted.plant([...workers(12), policies(swapUnits)]);
  await planted.plantVms(vmsOnEach(workers(12), 2));
  const reloads = await createAssessed(advisor(), higherDensity);
  expect(reloads.disruption).toEqual([{ pool: "worker", class: "Reload" }]);
  expect(itemOf(reloads, "enable-kubelet-swap").impactSeverity).toBe("Medium");
  expect(reloads.impact).toMatchObject({
    summary: "Reloads services on 12 nodes (worker pool, one at a time). Takes up to 15 minutes.",
    vms: noVms,
    duration: { lowSeconds: 120, highSeconds: 720, text: "up to 15 minutes" },
    notAssessed: [],
  });
  const { status } = policies(swapUnits.slice(1)) as KubeObject & { readonly status: JsonMap };
  await edit(server, "/apis/operator.openshift.io/v1/machineconfigurations/cluster/status", { status });
  const reboots = await advisor().configs.until(higherDensity, ({ disruption }) => disruption?.[0]?.class === "Reboot");
  expect(reboots.planHash).not.toBe(reloads.planHash);
  expect(itemOf(reboots, "enable-kubelet-swap").impactSeverity).toBe("High");
});

test("world 10: without the VM API, reports the nodes and keeps the plan hash", async () => {
  await planted.plant(zonedWorkers);
  const { planHash } = await createAssessed(advisor(), loadAware);
  await removeAt(advisor().server, paths.config(loadAware));
  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await removeAt(advisor().server, `${crds}/virtualmachineinstances.kubevirt.io`);
  // Otherwise the operator may list VMs again, and that impact stays for a minute.
  const vmis = "/apis/kubevirt.io/v1/virtualmachineinstances";
  await expect.poll(async () => (await advisor().server.request({ path: vmis })).status).toBe(404);
  await advisor().configs.create(loadAware);
  const status = await advisor().configs.until(loadAware, ({ impact }) =>
    (impact?.notAssessed ?? []).some(({ reason }) => reason === "NotServed"),
  );
  expect(status.planHash).toBe(planHash);
  expect(status.impact).not.toHaveProperty("vms");
  expect(status.impact).toMatchObject({
    summary: "Reboots 12 nodes (worker pool, one at a time). VM impact: not assessed (NotServed). Takes 2–6.5 hours.",
    notAssessed: [{ what: "VMs", reason: "NotServed" }],
  });
});
