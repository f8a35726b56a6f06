import { poolOfNode } from "@virt/cluster";
import { planWaves, rolloutOfPool, unavailableLimit } from "@virt/impact";
import { at } from "@virt/objects";
import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type ClusterState, virtSettings } from "./cluster-state.ts";
import { namespacedName, nodeOfMachine } from "./evictions.ts";
import { readNode } from "./node-state.ts";
import { memoryOf } from "./placement.ts";
import type { Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios.ts";
import {
  type InMemorySimulation,
  objectsOf,
  simulateInMemory,
  startedSimulation,
} from "./testing/in-memory-simulation.ts";
import { edit, fault, machineConfig, psi, scenarioOf } from "./testing/planted-faults.ts";

const pool = (simulation: InMemorySimulation, name: string) =>
  simulation.objects.get(`MachineConfigPool/${name}`) ?? expect.fail(`no pool ${name}`);
const order = ({ history }: InMemorySimulation) =>
  history.flatMap((line) => /^node (\S+) is cordoned/.exec(line)?.[1] ?? []);
const nodesIn = (simulation: InMemorySimulation, name: string) =>
  objectsOf(simulation, "Node").filter(
    (node) => poolOfNode(node.metadata.labels ?? {}, objectsOf(simulation, "MachineConfigPool")) === name,
  );

/** Returns the predicted waves. Nodes within a wave may update in any order. */
function predicted(simulation: InMemorySimulation, name: string): readonly (readonly string[])[] {
  const { waves } = planWaves(
    rolloutOfPool(pool(simulation, name), "another"),
    nodesIn(simulation, name).flatMap((node) => readNode(node) ?? []),
  );
  return waves.map((wave) => wave.toSorted());
}

function inWaves(begun: readonly string[], waves: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const ends = waves.map((_, index) => waves.slice(0, index + 1).flat().length);
  const cut = waves.map((wave, index) => begun.slice((ends[index] ?? 0) - wave.length, ends[index]).toSorted());
  return [...cut, begun.slice(ends.at(-1) ?? 0)].filter((wave) => wave.length > 0);
}

test("updates 12 nodes with 200 VMs in the predicted order", {
  timeout: 180_000,
}, () => {
  const simulation = startedSimulation(scenarioOf("default"));
  const way = predicted(simulation, "worker");
  expect(way).toHaveLength(12);
  simulation.addObject(psi);
  simulation.runUntilIdle();
  expect(inWaves(order(simulation), way)).toEqual(way);
  expect(pool(simulation, "worker")["status"]).toMatchObject({
    updatedMachineCount: 12,
    readyMachineCount: 12,
    unavailableMachineCount: 0,
  });
  expect(
    objectsOf(simulation, "VirtualMachineInstance").filter((machine) => at(machine, "status", "phase") === "Running"),
  ).toHaveLength(200);
});

// Skips the scenario `big`, which takes seconds and covers no additional cases.
const small = [...scenarios.keys()].filter((name) => name !== "big");

test.each(small)("scenario %s settles with all VMs placed and all pools updated", (name) => {
  const simulation = startedSimulation(scenarioOf(name));
  const machines = objectsOf(simulation, "VirtualMachineInstance");
  expect(machines.filter((machine) => nodeOfMachine(machine) === undefined)).toEqual([]);
  for (const each of objectsOf(simulation, "MachineConfigPool")) {
    expect(at(each, "status", "configuration", "name")).toBe(at(each, "spec", "configuration", "name"));
  }
});

test("a paused pool renders, but updates no node until it is resumed", () => {
  const simulation = startedSimulation(scenarioOf("paused-pool"));
  simulation.addObject(psi);
  simulation.runUntilIdle();
  expect(at(pool(simulation, "worker"), "spec", "configuration", "name")).not.toBe(
    at(pool(simulation, "worker"), "status", "configuration", "name"),
  );
  expect(order(simulation)).toEqual([]);
  edit("MachineConfigPool/worker", { spec: { paused: false } })(simulation);
  simulation.runUntilIdle();
  expect(order(simulation)).toEqual(["worker-0", "worker-1", "worker-2"]);
});

test("a VM that blocks a drain degrades the node until it leaves", () => {
  const simulation = startedSimulation(scenarioOf("stuck-drain"));
  simulation.addObject(psi);
  const isDegraded = () => at(pool(simulation, "worker"), "status", "degradedMachineCount") === 1;
  simulation.runUntil(isDegraded);
  expect(simulation.history).toContainEqual(
    expect.stringMatching(/^node worker-0 is degraded: failed to drain node: worker-0 after 1 hour[.]/),
  );
  expect(pool(simulation, "worker")["status"]).toMatchObject({ degradedMachineCount: 1, updatedMachineCount: 0 });
  fault("VirtualMachineInstance/vms/pinned-0", "unmigratable", null)(simulation);
  simulation.runUntilIdle();
  expect(pool(simulation, "worker")["status"]).toMatchObject({ degradedMachineCount: 0, updatedMachineCount: 3 });
});

test("a degraded node stops its pool until it recovers", () => {
  const simulation = startedSimulation(scenarioOf("three-workers"));
  fault("Node/worker-0", "degrade", "disk is full")(simulation);
  simulation.addObject(psi);
  simulation.runUntilIdle();
  expect(pool(simulation, "worker")["status"]).toMatchObject({ degradedMachineCount: 1 });
  fault("Node/worker-0", "degrade", null)(simulation);
  simulation.runUntilIdle();
  expect(pool(simulation, "worker")["status"]).toMatchObject({ degradedMachineCount: 0, updatedMachineCount: 3 });
});

test("a new configuration waits for nodes that are already updating", () => {
  const pools = [{ name: "master" }, { name: "worker", maxUnavailable: 3 }];
  const simulation = startedSimulation({ ...scenarioOf("three-workers"), pools, vms: [] });
  const targetsOf = (what: string) =>
    simulation.history.filter((line) => line.startsWith("node ") && line.includes(what));
  simulation.addObject(psi);
  const later = { ...psi, metadata: { ...psi.metadata, name: "99-worker-later" } };
  // Changes the target while two nodes are updating and one more may start.
  simulation.runUntilIdle(() => {
    if (targetsOf(" runs ").length === 1 && !simulation.objects.has("MachineConfig/99-worker-later"))
      simulation.addObject(later);
  });
  const begun = targetsOf(" is cordoned, for ").map((line) => line.replace(" is cordoned, for ", " runs "));
  expect(begun).toHaveLength(6);
  expect(targetsOf(" runs ").toSorted()).toEqual(begun.toSorted());
  expect(pool(simulation, "worker")["status"]).toMatchObject({ updatedMachineCount: 3, unavailableMachineCount: 0 });
});

const anyScenario = fc
  .record({
    nodes: fc.integer({ min: 1, max: 6 }),
    vms: fc.integer({ min: 0, max: 12 }),
    zones: fc.integer({ min: 0, max: 3 }),
    maxUnavailable: fc.option(fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constantFrom("10%", "34%", "100%")), {
      nil: undefined,
    }),
    total: fc.integer({ min: 1, max: 4 }),
    node: fc.integer({ min: 1, max: 3 }),
    strategy: fc.constantFrom("None" as const, "LiveMigrate" as const, "LiveMigrateIfPossible" as const),
  })
  .map(({ nodes, vms, zones, maxUnavailable, total, node, strategy }): Scenario => {
    const names = ["a", "b", "c"].slice(0, zones);
    return {
      ...scenarioOf("three-workers"),
      nodes: [
        { name: "worker", count: nodes, roles: ["worker"], cpus: 8, memoryGiB: 64, ...(zones > 0 && { zones: names }) },
      ],
      pools: [{ name: "worker", ...(maxUnavailable !== undefined && { maxUnavailable }) }],
      vms:
        vms === 0
          ? []
          : [{ name: "vm", namespace: "vms", count: vms, memoryGiB: [1, 2, 4], evictionStrategy: strategy }],
      hco: {
        namespace: "cnv",
        liveMigrationConfig: { parallelMigrationsPerCluster: total, parallelOutboundMigrationsPerNode: node },
      },
    };
  });

function broken(cluster: ClusterState): string | undefined {
  const nodes = cluster.list("Node").flatMap((node) => readNode(node) ?? []);
  const away = nodes.filter(
    ({ isReady, isCordoned, current, desired }) => !isReady || isCordoned || current !== desired,
  );
  const [pool] = cluster.list("MachineConfigPool");
  const allowed = (pool && unavailableLimit(rolloutOfPool(pool, "any"), nodes.length)) ?? 0;
  if (nodes.length > 0 && away.length > allowed) return `${away.length} nodes away, ${allowed} allowed`;
  const moving = cluster
    .list("VirtualMachineInstanceMigration")
    .filter((each) => at(each, "status", "phase") === "Running");
  const sources = moving.map((each) => at(each, "status", "migrationState", "sourceNode") as string);
  const limits = virtSettings(cluster);
  if (
    moving.length > limits.migrationsPerCluster ||
    sources.some((source) => sources.filter((each) => each === source).length > limits.migrationsPerNode)
  )
    return "too many migrations";
  const full = nodes.find(
    ({ name }) =>
      cluster
        .list("VirtualMachineInstance")
        .filter((machine) => nodeOfMachine(machine) === name)
        .reduce((sum, machine) => sum + memoryOf(machine), 0) > 62,
  );
  if (full !== undefined) return `no room on ${full.name}`;
  const orphan = cluster
    .list("VirtualMachineInstance")
    .find(
      (machine) =>
        nodeOfMachine(machine) !== undefined &&
        nodes.some(({ name, isReady }) => name === nodeOfMachine(machine) && !isReady),
    );
  return orphan === undefined ? undefined : `${namespacedName(orphan)} is on a node that reboots`;
}

// Each run simulates a whole rollout, so 150 runs cost as much as 20,000 runs of a simple property.
test("no rollout exceeds its limits of nodes, migrations or memory", {
  timeout: 180_000,
}, () => {
  const law = fc.property(anyScenario, fc.nat(1000), (scenario, seed) => {
    const simulation = simulateInMemory(scenario, seed);
    const found: string[] = [];
    const watch = (cluster: ClusterState) => found.push(...[broken(cluster)].filter((each) => each !== undefined));
    simulation.runUntilIdle(watch);
    const way = predicted(simulation, "worker");
    simulation.addObject(psi);
    simulation.runUntilStuck(watch);
    expect(found).toEqual([]);
    const begun = order(simulation);
    expect(inWaves(begun, way)).toEqual(way);
  });
  fc.assert(law, runsForCost(128));
});

test("a node reports swap after a boot with partition and configuration", () => {
  const simulation = startedSimulation(scenarioOf("compact"));
  fault("Node/node-2", "swap-partition", null)(simulation);
  const capacities = () =>
    objectsOf(simulation, "Node").map((node) => at(node, "status", "nodeInfo", "swap", "capacity"));
  const dropIn = { path: "/etc/openshift/kubelet.conf.d/90-swap.conf", mode: 420, contents: { source: "data:,on" } };
  const spec = { config: { ignition: { version: "3.2.0" }, storage: { files: [dropIn] } } };
  simulation.addObject(machineConfig("90-worker-swap", "worker", spec));
  simulation.runUntilIdle();
  expect(capacities()).toEqual([undefined, undefined, undefined]);
  simulation.addObject(machineConfig("90-master-swap", "master", spec));
  simulation.runUntilIdle();
  expect(capacities()).toEqual([64 * 2 ** 30, 64 * 2 ** 30, undefined]);
});
