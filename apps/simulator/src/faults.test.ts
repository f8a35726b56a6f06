import { asText, at, type KubeObject, member } from "@virt/objects";
import { expect, test } from "vitest";
import type { Scenario } from "./scenario.ts";
import { conditionOf, type InMemorySimulation, objectsOf, startedSimulation } from "./testing/in-memory-simulation.ts";
import { drainSays, edit, fault, keys, psi, scenarioOf, small } from "./testing/planted-faults.ts";

const migrations = (simulation: InMemorySimulation) => objectsOf(simulation, "VirtualMachineInstanceMigration");
const phaseOf = (object: KubeObject) => asText(at(object, "status", "phase")) ?? "";

function rollOut(scenario: Scenario, plant?: (simulation: InMemorySimulation) => void): InMemorySimulation {
  const simulation = startedSimulation(scenario);
  plant?.(simulation);
  simulation.addObject(psi);
  return simulation;
}

type FaultCase = {
  readonly annotation: string;
  readonly key: string;
  readonly value?: string;
  readonly scenario?: Scenario;
  readonly shows: (simulation: InMemorySimulation) => boolean;
};

const degraded = (value: string, state: string): FaultCase => ({
  annotation: "degrade",
  key: keys.node,
  value,
  shows: ({ objects }) => {
    const condition = conditionOf(objects.get("MachineConfigNode/worker-0"), "NodeDegraded");
    return (
      objects.get(keys.node)?.metadata.annotations?.["machineconfiguration.openshift.io/state"] === state &&
      member(condition, "message") === `Node worker-0 upgrade failure. ${value}`
    );
  },
});

/** The effects of faults that findings.test.ts does not cover. That file plants one fault for each finding. */
const cases: readonly FaultCase[] = [
  {
    annotation: "cordon",
    key: "Node/worker-1",
    shows: ({ objects }) => at(objects.get("Node/worker-1"), "spec", "unschedulable") === true,
  },
  {
    annotation: "virt-api-down",
    key: keys.kubevirt,
    shows: (simulation) =>
      drainSays('failed calling webhook "virt-launcher-eviction-interceptor')(simulation) &&
      at(simulation.objects.get(keys.machine), "status", "evacuationNodeName") === undefined,
  },
  {
    annotation: "slow-migrations",
    key: keys.machine,
    shows: (simulation) =>
      migrations(simulation).some(
        (each) =>
          at(each, "status", "migrationState", "failureReason") ===
          "Live migration is not completed after 1200 seconds and has been aborted",
      ),
  },
  {
    annotation: "never-ends",
    key: "Pod/apps/bare",
    scenario: { ...scenarioOf("budgets"), objects: scenarioOf("budgets").objects.slice(-3) },
    shows: drainSays('error when waiting for pod "bare" in namespace "apps" to terminate: ', "worker-1"),
  },
  {
    annotation: "stuck-drain",
    key: keys.node,
    shows: (simulation) =>
      drainSays("Error: Node Drain has not succeeded")(simulation) && !drainSays("pod")(simulation),
  },
  degraded("content mismatch for file /etc/hosts", "Degraded"),
  degraded(
    "can't reconcile config rendered-a with rendered-b: ignition disks section contains changes",
    "Unreconcilable",
  ),
];

test.each(cases)(
  "the fault $annotation is visible, and the rollout ends after its removal",
  ({ annotation, key, value, scenario = small, shows }) => {
    const simulation = rollOut(scenario, fault(key, annotation, value));
    simulation.runUntil(() => shows(simulation));
    fault(key, annotation, null)(simulation);
    if (annotation === "cordon") edit(key, { spec: { unschedulable: null } })(simulation);
    simulation.runUntilIdle();
    expect(at(simulation.objects.get(keys.pool), "status")).toMatchObject({
      updatedMachineCount: 3,
      degradedMachineCount: 0,
    });
  },
);

test("a migration without a target fails after 5 minutes and backs off", () => {
  const simulation = rollOut(scenarioOf("no-room"));
  const seen: { readonly phase: string; readonly seconds: number }[] = [];
  simulation.runUntil(() => {
    const own = migrations(simulation).filter((each) => at(each, "spec", "vmiName") === "large-0");
    const turn = (each: KubeObject) => Number(each.metadata.annotations?.["simulator.kubevirt.io/turn"]);
    const newest = own.toSorted((left, right) => turn(right) - turn(left))[0];
    const phase =
      newest === undefined ? "" : `${own.filter((each) => phaseOf(each) === "Failed").length} ${phaseOf(newest)}`;
    if (newest !== undefined && seen.at(-1)?.phase !== phase) seen.push({ phase, seconds: simulation.seconds() });
    return seen.filter((each) => each.phase.endsWith("Scheduling")).length === 4;
  });
  const scheduling = seen.filter((each) => each.phase.endsWith("Scheduling")).map(({ seconds }) => seconds);
  const gaps = scheduling.slice(1).map((seconds, index) => Math.round(seconds - (scheduling[index] ?? 0)));
  expect(gaps).toEqual([320, 340, 380]);
});

test("migrations without a target occupy every slot, and others wait", () => {
  const simulation = rollOut(scenarioOf("starved-lanes"));
  simulation.runUntil(() => migrations(simulation).some((each) => phaseOf(each) === "Scheduling"));
  const began = simulation.seconds();
  let fewest = 5;
  simulation.runUntil(() => {
    const phases = migrations(simulation).map(phaseOf);
    const isSettled =
      phases.every((phase) => phase !== "") && !phases.every((phase) => phase === "Failed" || phase === "Pending");
    if (isSettled) fewest = Math.min(fewest, phases.filter((phase) => phase === "Scheduling").length);
    expect(phases.filter((phase) => phase === "Scheduling").length).toBeLessThanOrEqual(5);
    return simulation.seconds() > began + 280;
  });
  expect(fewest).toBe(5);
  expect(migrations(simulation).filter((each) => phaseOf(each) === "Pending")).toHaveLength(5);
});

test("a drain handles each VM by its strategy and its owner", () => {
  const simulation = rollOut(scenarioOf("mixed-vms"));
  const isEnded = (line: string) => /^vm vms[/](none|possible)-.* is shut down/.test(line);
  simulation.runUntil(
    () =>
      simulation.history.filter(isEnded).length === 6 &&
      simulation.history.filter((line) => / is on worker-[12]$/.test(line)).length === 4 &&
      simulation.history.filter((line) => line.includes(" starts on ")).length === 3,
  );
  const names = (pattern: RegExp) => simulation.history.flatMap((line) => pattern.exec(line)?.[1] ?? []).toSorted();
  expect(names(/^vm vms[/](.*)-0 is on /)).toEqual(["movable", "paused", "possible", "unspoken"]);
  expect(names(/^vm vms[/](.*)-0 starts on /)).toEqual(["none-always", "none-replica", "possible-always"]);
  const left = objectsOf(simulation, "VirtualMachineInstance").filter(
    (each) => at(each, "status", "nodeName") === "worker-0" && phaseOf(each) !== "Succeeded",
  );
  expect(left.map(({ metadata }) => metadata.name).toSorted()).toEqual([
    "deleted-0",
    "external-0",
    "lost-0",
    "pinned-0",
    "starting-0",
    "unknown-0",
    "unmovable-0",
  ]);
});
