// Worked examples of impacts with their numbers and texts, reported by the shipped operator on a real API server.

import type { Impact, JsonMap, KubeObject, Status } from "@virt/api";
import { nodeObject, policyObject, poolObject } from "@virt/impact/testing/cluster-builder";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { edit, higherDensity, loadAware, paths, printRequestsOnFailure, removeAt } from "../support/advisor.ts";
import { itemOf } from "../support/config-client.ts";
import { PlantedCluster, type PlantedVm, vmsOnEach } from "../support/planted-cluster.ts";
import type { RunningProgram } from "../support/program.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";

const noVms = { migrate: 0, block: 0, stop: 0, restart: 0, external: 0, starting: 0, unknown: 0 };
let testCluster: TestCluster;
let planted: PlantedCluster;
let operator: RunningProgram;
const quiet = { flags: ["--advertise-profiles=false"] };

beforeAll(async () => {
  const crds = { virtualmachines: "virtualmachines", machineconfigurations: "machineconfigurations" };
  testCluster = await startTestCluster({ crds: { ...crds, infrastructures: "infrastructures" } });
  planted = new PlantedCluster(testCluster.server);
  await planted.plantPlatform();
  operator = await testCluster.startOperator(quiet);
});
afterEach(printRequestsOnFailure(() => testCluster));
afterEach(async () => {
  const { server } = testCluster;
  for (const name of [loadAware, higherDensity]) await removeAt(server, `${configs}/${name}`);
  await edit(server, paths.pool("worker"), { spec: { maxUnavailable: null } });
  await planted.clear();
});
afterAll(() => testCluster[Symbol.asyncDispose]());

const configs = "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs";
const times = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at));
const workers = (count: number) => times(count, (at) => nodeObject(`worker-${at}`));
const limit = (maxUnavailable: number | string) =>
  edit(testCluster.server, paths.pool("worker"), { spec: { maxUnavailable } });

async function assessed(profile = loadAware): Promise<Status & { readonly impact: Impact }> {
  await testCluster.configs.create(profile);
  const status = await testCluster.configs.until(profile, ({ impact }) => impact !== undefined);
  return status as Status & { readonly impact: Impact };
}

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
  await operator.kill();
  await testCluster.configs.create(loadAware);
  const counts = { total: 12, done: 12, inHand: 0, waiting: 0, degraded: 0 };
  const observed = { drainSeconds: [], restartSeconds: [900, 1000, 1080] };
  const rollout = {
    summary: "worker pool: 12 of 12 nodes updated",
    pools: [{ name: "worker", ...counts, observed }],
    nodes: [],
    findings: [],
    more: { pools: 0, nodes: 0, findings: 0 },
  };
  await edit(testCluster.server, `${configs}/${loadAware}/status`, { status: { rollout } });
  operator = await testCluster.startOperator(quiet);
  const { impact } = await testCluster.configs.until(loadAware, (status) => status.impact !== undefined);
  expect(impact).toMatchObject({
    summary:
      "Reboots 12 nodes (worker pool, one at a time). Live-migrates 214 VMs. 6 VMs block the drain of w-03 and w-07. Stops 2 VMs. Takes 4–8 hours, not counting blocked time.",
    duration: { lowSeconds: 14_760, highSeconds: 28_390, restart: "observed", migration: "history" },
    stops: [{ name: "g" }, { name: "h" }],
  });
  expect(impact?.blockers.map(({ node, name }) => `${node}/${name}`)).toEqual([
    "w-03/a",
    "w-03/b",
    "w-03/c",
    "w-03/d",
    "w-07/e",
    "w-07/f",
  ]);
});

test("world 3: maxUnavailable of 25% reboots two of ten workers at a time", async () => {
  await limit("25%");
  await planted.plant(workers(10));
  await planted.plantVms(vmsOnEach(workers(10), 10, { gib: 4 }));
  expect((await assessed()).impact).toMatchObject({
    summary: "Reboots 10 nodes (worker pool, 2 at a time). Live-migrates 100 VMs. Takes 55 minutes to 4 hours.",
    duration: { lowSeconds: 3325, highSeconds: 13_332 },
    pools: [{ waves: 5, atOnce: 2 }],
  });
});

const cordoned = [nodeObject("worker-0"), nodeObject("worker-1", { isCordoned: true }), nodeObject("worker-2")];

test.each([
  {
    name: "4a: a cordoned worker uses up the limit of one unavailable node",
    maxUnavailable: 1,
    shows: {
      summary: "3 nodes of the worker pool are on hold (MaxUnavailableUsed). Live-migrates 12 VMs.",
      nodes: 0,
      held: 3,
      vms: { ...noVms, migrate: 12 },
      pools: [{ holdup: "MaxUnavailableUsed", atOnce: 0 }],
    },
  },
  {
    name: "4b: with a limit of two, the other nodes reboot one at a time",
    maxUnavailable: 2,
    shows: {
      summary:
        "Reboots 2 nodes (worker pool, one at a time). 1 node of the worker pool is on hold (Cordoned). Live-migrates 12 VMs. Takes 20 minutes to 1.5 hours.",
      nodes: 2,
      held: 1,
      vms: { ...noVms, migrate: 12 },
      duration: { lowSeconds: 1284, highSeconds: 4668, text: "20 minutes to 1.5 hours" },
      pools: [{ atOnce: 1 }],
    },
  },
  {
    name: "4c: an invalid limit puts the pool on hold",
    maxUnavailable: "2",
    shows: { nodes: 0, held: 3, pools: [{ holdup: "InvalidMaxUnavailable" }] },
  },
])("world $name", async ({ maxUnavailable, shows }) => {
  await limit(maxUnavailable);
  await planted.plant(cordoned);
  await planted.plantVms(vmsOnEach(cordoned, 4));
  const { impact } = await assessed();
  expect(impact).toMatchObject(shows);
  expect(impact.duration === undefined).toBe(!("duration" in shows));
  expect(impact.notAssessed).toEqual([]);
});

test("world 6: custom pools reboot in parallel; a paused pool keeps the plan hash", async () => {
  const infra = times(2, (at) => nodeObject(`infra-${at}`, { roles: ["worker", "infra"] }));
  const nodes = [...workers(2), ...infra];
  const sizes = (at: number) => (at % 2 === 0 ? [8, 4, 8] : [4, 8, 4]);
  await planted.plant([poolObject("infra"), ...nodes]);
  await planted.plantVms(
    nodes.flatMap(({ metadata: { name } }, at) =>
      sizes(at).map((gib, index) => ({ name: `${name}-${index}`, node: name, gib })),
    ),
  );
  const running = await assessed();
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
  await removeAt(testCluster.server, `${configs}/${loadAware}`);
  await edit(testCluster.server, paths.pool("infra"), { spec: { paused: true } });
  const paused = await assessed();
  expect(paused.planHash).toBe(running.planHash);
  expect(paused.impact).toMatchObject({
    nodes: 2,
    held: 2,
    vms: { migrate: 12 },
    duration: bounds,
    summary:
      "The infra pool is paused with 2 pending nodes. Reboots 2 nodes (worker pool, one at a time). Live-migrates 12 VMs. Takes 20 minutes to 1.5 hours.",
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
  const { server } = testCluster;
  await planted.plant([...workers(12), policies(swapUnits)]);
  await planted.plantVms(vmsOnEach(workers(12), 2));
  const reloads = await assessed(higherDensity);
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
  const reboots = await testCluster.configs.until(
    higherDensity,
    ({ disruption }) => disruption?.[0]?.class === "Reboot",
  );
  expect(reboots.planHash).not.toBe(reloads.planHash);
  expect(itemOf(reboots, "enable-kubelet-swap").impactSeverity).toBe("High");
});

test("world 8a: a plan on a compact cluster reboots the control plane", async () => {
  const nodes = times(3, (at) => nodeObject(`node-${at}`, { roles: ["master", "worker"] }));
  await planted.plant(nodes);
  const { impact, disruption } = await assessed();
  expect(disruption).toEqual([{ pool: "master", class: "Reboot" }]);
  expect(impact).toMatchObject({
    summary: "Reboots 3 nodes (master pool, one at a time). Takes 30 minutes to 2 hours.",
    duration: { lowSeconds: 1890, highSeconds: 5670 },
  });
});

test("world 10: without the VM API, reports the nodes and keeps the plan hash", async () => {
  const zoned = times(12, (at) => nodeObject(`w-${at}`, { zone: "abc"[at % 3] ?? "" }));
  await planted.plant(zoned);
  const { planHash } = await assessed();
  await removeAt(testCluster.server, `${configs}/${loadAware}`);
  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await removeAt(testCluster.server, `${crds}/virtualmachineinstances.kubevirt.io`);
  // Otherwise the operator may list VMs again, and that impact stays for a minute.
  const vmis = "/apis/kubevirt.io/v1/virtualmachineinstances";
  await expect.poll(async () => (await testCluster.server.request({ path: vmis })).status).toBe(404);
  await testCluster.configs.create(loadAware);
  const status = await testCluster.configs.until(loadAware, ({ impact }) =>
    (impact?.notAssessed ?? []).some(({ reason }) => reason === "NotServed"),
  );
  expect(status.planHash).toBe(planHash);
  expect(status.impact).not.toHaveProperty("vms");
  expect(status.impact).toMatchObject({
    summary: "Reboots 12 nodes (worker pool, one at a time). VM impact: not assessed (NotServed). Takes 2–6.5 hours.",
    duration: { lowSeconds: 7560, highSeconds: 22_680, text: "2–6.5 hours" },
    notAssessed: [{ what: "VMs", reason: "NotServed" }],
    capacity: { fits: "Unknown" },
  });
});
