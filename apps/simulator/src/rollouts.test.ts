import { at, type KubeObject, planWaves, poolOfNode, unavailableLimit } from "@virt/engine";
import fc from "fast-check";
import { expect, test } from "vitest";
import { rolloutOf } from "./actors/machine-config-operator.ts";
import { nodeOf, titleOf } from "./evictions.ts";
import { migrationLimits } from "./hco.ts";
import { readNode } from "./node-state.ts";
import { memoryOf } from "./placement.ts";
import { type Rehearsal, rehearse } from "./rehearsal.ts";
import type { Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios/index.ts";
import type { World } from "./world.ts";

const psi: KubeObject = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfig",
  metadata: { name: "99-worker-psi-karg", labels: { "machineconfiguration.openshift.io/role": "worker" } },
  spec: { kernelArguments: ["psi=1"] },
};

const scenarioOf = (name: string): Scenario => scenarios.get(name) ?? expect.fail(`no scenario ${name}`);
const objectsOf = ({ objects }: Rehearsal, kind: string) =>
  [...objects.values()].filter((object) => object.kind === kind);
const pool = (rehearsal: Rehearsal, name: string) =>
  rehearsal.objects.get(`MachineConfigPool/${name}`) ?? expect.fail(`no pool ${name}`);
const set = ({ objects }: Rehearsal, key: string, change: (object: KubeObject) => KubeObject) =>
  objects.set(key, change(objects.get(key) ?? expect.fail(`no ${key}`)));
const annotate = (rehearsal: Rehearsal, key: string, name: string, value: string | undefined) =>
  set(rehearsal, key, (object) => {
    const { [`simulator.kubevirt.io/${name}`]: _old, ...others } = object.metadata.annotations ?? {};
    const annotations = { ...others, ...(value !== undefined && { [`simulator.kubevirt.io/${name}`]: value }) };
    return { ...object, metadata: { ...object.metadata, annotations } };
  });
const started = (scenario: Scenario, seed = 1) => {
  const rehearsal = rehearse(scenario, seed);
  rehearsal.play();
  return rehearsal;
};
const order = ({ history }: Rehearsal) => history.flatMap((line) => /^node (\S+) is cordoned/.exec(line)?.[1] ?? []);
const nodesIn = (rehearsal: Rehearsal, name: string) =>
  objectsOf(rehearsal, "Node").filter(
    (node) => poolOfNode(node.metadata.labels ?? {}, objectsOf(rehearsal, "MachineConfigPool")) === name,
  );

/** Nodes that go at the same time, wave by wave; within a wave any order will do. */
function predicted(rehearsal: Rehearsal, name: string): readonly (readonly string[])[] {
  const { waves } = planWaves(
    rolloutOf(pool(rehearsal, name), "another"),
    nodesIn(rehearsal, name).flatMap((node) => readNode(node) ?? []),
  );
  return waves.map((wave) => wave.toSorted());
}

function inWaves(begun: readonly string[], waves: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const ends = waves.map((_, place) => waves.slice(0, place + 1).flat().length);
  const cut = waves.map((wave, place) => begun.slice((ends[place] ?? 0) - wave.length, ends[place]).toSorted());
  return [...cut, begun.slice(ends.at(-1) ?? 0)].filter((wave) => wave.length > 0);
}

test("a rollout of 12 nodes with 200 virtual machines goes the way that the rollout model predicts, and ends updated", {
  timeout: 180_000,
}, () => {
  const rehearsal = started(scenarioOf("default"));
  const way = predicted(rehearsal, "worker");
  expect(way).toHaveLength(12);
  rehearsal.put(psi);
  rehearsal.play();
  expect(inWaves(order(rehearsal), way)).toEqual(way);
  expect(pool(rehearsal, "worker")["status"]).toMatchObject({
    updatedMachineCount: 12,
    readyMachineCount: 12,
    unavailableMachineCount: 0,
  });
  expect(
    objectsOf(rehearsal, "VirtualMachineInstance").filter((machine) => at(machine, "status", "phase") === "Running"),
  ).toHaveLength(200);
});

test.each([...scenarios.keys()])("scenario %s comes to rest with all machines placed and all pools updated", (name) => {
  const rehearsal = started(scenarioOf(name));
  const machines = objectsOf(rehearsal, "VirtualMachineInstance");
  expect(machines.filter((machine) => nodeOf(machine) === undefined)).toEqual([]);
  for (const each of objectsOf(rehearsal, "MachineConfigPool")) {
    expect(at(each, "status", "configuration", "name")).toBe(at(each, "spec", "configuration", "name"));
  }
});

test("a paused pool renders and does not move, and goes on when it is released", () => {
  const rehearsal = started(scenarioOf("paused-pool"));
  rehearsal.put(psi);
  rehearsal.play();
  expect(at(pool(rehearsal, "worker"), "spec", "configuration", "name")).not.toBe(
    at(pool(rehearsal, "worker"), "status", "configuration", "name"),
  );
  expect(order(rehearsal)).toEqual([]);
  set(rehearsal, "MachineConfigPool/worker", (object) => ({
    ...object,
    spec: { ...(object["spec"] as object), paused: false },
  }));
  rehearsal.play();
  expect(order(rehearsal)).toEqual(["worker-0", "worker-1", "worker-2"]);
});

test("a drain that a virtual machine blocks degrades the node after its time, and goes on when the machine can leave", () => {
  const rehearsal = started(scenarioOf("stuck-drain"));
  rehearsal.put(psi);
  rehearsal.play();
  expect(rehearsal.history.at(-1)).toContain("worker-0 is degraded: failed to drain node");
  expect(pool(rehearsal, "worker")["status"]).toMatchObject({ degradedMachineCount: 1, updatedMachineCount: 0 });
  annotate(rehearsal, "VirtualMachineInstance/vms/pinned-0", "unmigratable", undefined);
  rehearsal.play();
  expect(pool(rehearsal, "worker")["status"]).toMatchObject({ degradedMachineCount: 0, updatedMachineCount: 3 });
});

test("a node that degrades in the middle stops its pool, and finishes its work once it is well", () => {
  const rehearsal = started(scenarioOf("three-workers"));
  annotate(rehearsal, "Node/worker-0", "degrade", "disk is full");
  rehearsal.put(psi);
  rehearsal.play();
  expect(pool(rehearsal, "worker")["status"]).toMatchObject({ degradedMachineCount: 1 });
  annotate(rehearsal, "Node/worker-0", "degrade", undefined);
  rehearsal.play();
  expect(pool(rehearsal, "worker")["status"]).toMatchObject({ degradedMachineCount: 0, updatedMachineCount: 3 });
});

test("a configuration that comes while nodes are at work waits for them: each node runs what it was cordoned for", () => {
  const pools = [{ name: "master" }, { name: "worker", maxUnavailable: 3 }];
  const rehearsal = started({ ...scenarioOf("three-workers"), pools, vms: [] });
  const targetsOf = (what: string) =>
    rehearsal.history.filter((line) => line.startsWith("node ") && line.includes(what));
  rehearsal.put(psi);
  const later = { ...psi, metadata: { ...psi.metadata, name: "99-worker-later" } };
  // There is room for one again, and two are at work.
  rehearsal.play(() => {
    if (targetsOf(" runs ").length === 1 && !rehearsal.objects.has("MachineConfig/99-worker-later"))
      rehearsal.put(later);
  });
  const begun = targetsOf(" is cordoned, for ").map((line) => line.replace(" is cordoned, for ", " runs "));
  expect(begun).toHaveLength(6);
  expect(targetsOf(" runs ").toSorted()).toEqual(begun.toSorted());
  expect(pool(rehearsal, "worker")["status"]).toMatchObject({ updatedMachineCount: 3, unavailableMachineCount: 0 });
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

function broken(world: World): string | undefined {
  const nodes = world.of("Node").flatMap((node) => readNode(node) ?? []);
  const away = nodes.filter(
    ({ isReady, isCordoned, current, desired }) => !isReady || isCordoned || current !== desired,
  );
  const [pool] = world.of("MachineConfigPool");
  const allowed = pool === undefined ? 0 : unavailableLimit(rolloutOf(pool, "any"), nodes.length);
  if (nodes.length > 0 && away.length > allowed) return `${away.length} nodes away, ${allowed} allowed`;
  const moving = world
    .of("VirtualMachineInstanceMigration")
    .filter((each) => at(each, "status", "phase") === "Running");
  const sources = moving.map((each) => at(each, "status", "migrationState", "sourceNode") as string);
  const limits = migrationLimits(world);
  if (
    moving.length > limits.total ||
    sources.some((source) => sources.filter((each) => each === source).length > limits.node)
  )
    return "too many migrations";
  const full = nodes.find(
    ({ name }) =>
      world
        .of("VirtualMachineInstance")
        .filter((machine) => nodeOf(machine) === name)
        .reduce((sum, machine) => sum + memoryOf(machine), 0) > 62,
  );
  if (full !== undefined) return `no room on ${full.name}`;
  const orphan = world
    .of("VirtualMachineInstance")
    .find(
      (machine) =>
        nodeOf(machine) !== undefined && nodes.some(({ name, isReady }) => name === nodeOf(machine) && !isReady),
    );
  return orphan === undefined ? undefined : `${titleOf(orphan)} is on a node that reboots`;
}

// A run plays a whole rollout, round by round: 150 of them cost as much time as 20,000 of a small law.
test("in no rollout more nodes are away than allowed, more migrations run than allowed, or a machine is where it has no room", {
  timeout: 180_000,
}, () => {
  const law = fc.property(anyScenario, fc.nat(1000), (scenario, seed) => {
    const rehearsal = rehearse(scenario, seed);
    const found: string[] = [];
    const watch = (world: World) => found.push(...[broken(world)].filter((each) => each !== undefined));
    rehearsal.play(watch);
    const way = predicted(rehearsal, "worker");
    rehearsal.put(psi);
    rehearsal.play(watch);
    expect(found).toEqual([]);
    const begun = order(rehearsal);
    expect(inWaves(begun, way)).toEqual(way);
  });
  fc.assert(law, { numRuns: 150 });
});
