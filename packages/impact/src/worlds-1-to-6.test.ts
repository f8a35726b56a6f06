// Impacts of whole clusters with numbers computed by hand: workers, limits, pools, VM outcomes.

import type { KubeObject } from "@virt/api";
import { readVmFact, requestOf } from "@virt/cluster";
import { expect, test } from "vitest";
import { clusterFacts, namesOf, nodeObject, poolObject, vmObject, vmsOn, workers } from "./testing/cluster-builder.ts";
import { bounds, impactOf, noVms, zonedCluster } from "./testing/worlds.ts";

test("world 1: twelve workers in three zones update by zone, and all VMs migrate", () => {
  const impact = impactOf(zonedCluster);
  expect(impact.pools[0]?.order.slice(0, 5)).toEqual(["w-0", "w-3", "w-6", "w-9", "w-1"]);
  expect(impact).toMatchObject({ nodes: 12, held: 0, vms: { ...noVms, migrate: 216 }, capacity: { fits: "Yes" } });
  expect(impact.pools[0]).toMatchObject({ name: "worker", class: "Reboot", waves: 12, atOnce: 1 });
  expect(bounds(impact)).toEqual([12 * 789, 12 * 3641]);
  expect(bounds(impact)).toEqual([9468, 43_692]);
  expect(impact.duration).toMatchObject({ text: "2–13 hours", restart: "default", migration: "default" });
  expect(requestOf(readVmFact(vmObject("a", "w-0")), { memoryOvercommit: 100 }) / 2 ** 20).toBe(8504);
});

const numbered = Array.from({ length: 12 }, (_, at) => nodeObject(`w-${String(at + 1).padStart(2, "0")}`));
const migrated = (at: number) => ({
  migrationState: {
    completed: true,
    startTimestamp: "2026-01-01T00:00:00Z",
    endTimestamp: at % 2 === 0 ? "2026-01-01T00:00:32Z" : "2026-01-01T00:01:12Z",
  },
});

test("world 2: lists blockers and stops, and history narrows the bounds", () => {
  const vms = numbered.flatMap(({ metadata: { name } }) =>
    Array.from({ length: name >= "w-11" ? 17 : 18 }, (_, at) =>
      vmObject(`${name}-${at}`, name, { status: migrated(at) }),
    ),
  );
  const disks = (name: string, node: string) => vmObject(name, node, { isMigratable: false });
  const manual = (name: string) => vmObject(name, "w-05", { strategy: "None", owner: "Manual" });
  const impact = impactOf({
    nodes: numbered,
    vms: [
      ...vms,
      ...["a", "b", "c", "d"].map((name) => disks(name, "w-03")),
      ...["e", "f"].map((name) => disks(name, "w-07")),
      ...["g", "h"].map(manual),
    ],
    restartSamples: { worker: [900, 1000, 1080] },
  });
  expect(bounds(impact)).toEqual([10 * 1233 + 2 * 1215, 10 * 2375 + 2 * 2320]);
  expect(bounds(impact)).toEqual([14_760, 28_390]);
  expect(impact.duration).toMatchObject({ restart: "observed", migration: "history" });
  expect(impact.summary).toBe(
    "Reboots 12 nodes (worker pool, one at a time). Live-migrates 214 VMs. 6 VMs block the drain of w-03 and w-07. Stops 2 VMs. Takes 4–8 hours, not counting blocked time.",
  );
  expect(impact.blockers.map(({ node, name }) => `${node}/${name}`)).toEqual([
    "w-03/a",
    "w-03/b",
    "w-03/c",
    "w-03/d",
    "w-07/e",
    "w-07/f",
  ]);
  expect(impact.stops.map(({ name, reason }) => `${name} ${reason}`)).toEqual(["g stop", "h stop"]);
});

test("world 3: a quarter of ten workers is two at a time", () => {
  const nodes = workers(10);
  const impact = impactOf({
    nodes,
    pools: [poolObject("master"), poolObject("worker", { maxUnavailable: "25%" })],
    vms: vmsOn(namesOf(nodes), 10, { gib: 4 }),
  });
  expect(impact.summary).toBe(
    "Reboots 10 nodes (worker pool, 2 at a time). Live-migrates 100 VMs. Takes 55 minutes to 4 hours.",
  );
  expect(impact.pools[0]).toMatchObject({ waves: 5, atOnce: 2 });
  expect(bounds(impact)).toEqual([(10 * 665) / 2, (10 * 2424) / 2 + 2424 / 2]);
  expect(bounds(impact)).toEqual([3325, 13_332]);
});

const cordoned = (maxUnavailable: number | string) => {
  const nodes = [nodeObject("worker-0"), nodeObject("worker-1", { isCordoned: true }), nodeObject("worker-2")];
  const pools = [poolObject("master"), poolObject("worker", { maxUnavailable })];
  return impactOf({ nodes, pools, vms: vmsOn(namesOf(nodes), 4) });
};

test("world 4a: a cordoned worker takes the only place", () => {
  const impact = cordoned(1);
  expect(impact).toMatchObject({ nodes: 0, held: 3, vms: { ...noVms, migrate: 12 }, capacity: { fits: "Unknown" } });
  expect(impact.pools[0]).toMatchObject({ holdup: "MaxUnavailableUsed", atOnce: 0 });
  expect(impact).not.toHaveProperty("duration");
  expect(impact.summary).toBe("3 nodes of the worker pool are on hold (MaxUnavailableUsed). Live-migrates 12 VMs.");
});

test("world 4b: with two places, the others update one after another", () => {
  const impact = cordoned(2);
  expect(impact).toMatchObject({ nodes: 2, held: 1, vms: { ...noVms, migrate: 12 } });
  expect(impact.pools[0]).toMatchObject({ atOnce: 1, holdup: "Cordoned", order: ["worker-0", "worker-2", "worker-1"] });
  expect(bounds(impact)).toEqual([2 * 642, 2 * 2334]);
  expect(impact.duration?.text).toBe("20 minutes to 1.5 hours");
  expect(impact.summary).toBe(
    "Reboots 2 nodes (worker pool, one at a time). 1 node of the worker pool is on hold (Cordoned). Live-migrates 12 VMs. Takes 20 minutes to 1.5 hours.",
  );
});

test("world 4c: an invalid limit stops the pool", () => {
  const impact = cordoned("2");
  expect(impact).toMatchObject({ nodes: 0, held: 3 });
  expect(impact.pools[0]?.holdup).toBe("InvalidMaxUnavailable");
});

test("world 5: each VM has the outcome of KubeVirt's eviction webhook", () => {
  const on = "worker-0";
  const paused = {
    conditions: [
      { type: "LiveMigratable", status: "True" },
      { type: "Paused", status: "True" },
    ],
  };
  const vm = (name: string, given: Parameters<typeof vmObject>[2]) => vmObject(name, on, { gib: 4, ...given });
  const ifPossible = { strategy: "LiveMigrateIfPossible" };
  const vms: readonly KubeObject[] = [
    vm("migratable", {}),
    vm("paused", { status: paused }),
    vm("disks", { isMigratable: false }),
    vm("no-condition", { isMigratable: null }),
    vm("pinned", { spec: { nodeSelector: { "kubernetes.io/hostname": on }, domain: { memory: { guest: "4Gi" } } } }),
    vm("no-strategy", { strategy: null }),
    vm("if-possible", ifPossible),
    vm("if-possible-always", { ...ifPossible, isMigratable: false }),
    vm("if-possible-manual", { ...ifPossible, isMigratable: false, owner: "Manual" }),
    vm("none-always", { strategy: "None" }),
    vm("none-rerun", { strategy: "None", owner: "RerunOnFailure" }),
    vm("none-alone", { strategy: "None", owner: null }),
    vm("none-set", { strategy: "None", owner: "VirtualMachineInstanceReplicaSet" }),
    vm("external", { strategy: "External" }),
    vm("scheduling", { phase: "Scheduling" }),
    vm("unknown", { phase: "Unknown" }),
    vm("succeeded", { phase: "Succeeded" }),
    vm("deleting", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }),
  ];
  const impact = impactOf({ nodes: workers(3), vms });
  expect(impact.vms).toEqual({ migrate: 4, block: 3, restart: 3, stop: 3, external: 1, starting: 1, unknown: 1 });
  expect(impact.blockers.map(({ name, reason }) => `${name} ${reason}`)).toEqual([
    "disks DisksNotLiveMigratable",
    "no-condition LiveMigratableUnknown",
    "pinned NoTargetNode",
  ]);
  expect(bounds(impact)).toEqual([1890, 5891]);
  expect(impact.duration?.text).toBe("30 minutes to 2 hours");
});

const twoPools = (isPaused: boolean) => {
  const infra = workers(2, "infra-", { roles: ["worker", "infra"] });
  const nodes = [...workers(2), ...infra];
  const vms = namesOf(nodes).flatMap((node, at) =>
    (at % 2 === 0 ? [8, 4, 8] : [4, 8, 4]).map((gib, index) => vmObject(`${node}-${index}`, node, { gib })),
  );
  const pools = [poolObject("master"), poolObject("worker"), poolObject("infra", { paused: isPaused })];
  return { nodes, vms, pools };
};

test("world 6: an inheriting pool updates in parallel", () => {
  const given = twoPools(false);
  expect(clusterFacts(given).disruption).toEqual([
    { pool: "infra", class: "Reboot" },
    { pool: "worker", class: "Reboot" },
  ]);
  const impact = impactOf(given);
  expect(impact).toMatchObject({ nodes: 4, vms: { migrate: 12 } });
  expect(impact.pools.map((pool) => [pool.name, ...bounds(pool)])).toEqual([
    ["infra", 1260, 4288],
    ["worker", 1260, 4288],
  ]);
  expect(bounds(impact)).toEqual([1260, 4288]);
  expect(impact.duration?.text).toBe("20 minutes to 1.5 hours");
});

test("world 6b: a paused pool is blocked, its VMs count, and it takes no time", () => {
  const given = twoPools(true);
  expect(clusterFacts(given).disruption).toEqual(clusterFacts(twoPools(false)).disruption);
  const impact = impactOf(given);
  expect(impact).toMatchObject({ nodes: 2, held: 2, vms: { migrate: 12 } });
  expect(bounds(impact)).toEqual([1260, 4288]);
  expect(bounds(impact.pools[0])).toEqual([undefined, undefined]);
  expect(impact.summary).toBe(
    "The infra pool is paused with 2 nodes waiting for an update. Reboots 2 nodes (worker pool, one at a time). Live-migrates 12 VMs. Takes 20 minutes to 1.5 hours.",
  );
});

test("draining nodes of all pools share the lanes", () => {
  const plain = workers(6, "worker-");
  const infra = workers(6, "infra-", { roles: ["worker", "infra"] });
  const limit = { maxUnavailable: 3 };
  const pools = [poolObject("master"), poolObject("worker", limit), poolObject("infra", limit)];
  const nodes = [...plain, ...infra];
  const impact = impactOf({ nodes, pools, vms: vmsOn(namesOf(nodes), 10) });
  expect(impact.pools.map(({ name, atOnce }) => [name, atOnce])).toEqual([
    ["infra", 3],
    ["worker", 3],
  ]);
  expect(bounds(impact)).toEqual([1704, 13_184]);
});
