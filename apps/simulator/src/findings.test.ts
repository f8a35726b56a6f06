// Plants a fault for each finding. Checks when the finding appears and clears, its text, and that it appears only once.

import { findingCatalogue } from "@virt/impact";
import { at } from "@virt/objects";
import { expect, test } from "vitest";
import { DiagnosedSimulation, isRolledOut, type SeenFindings } from "./testing/diagnosed-simulation.ts";
import { drainFaults } from "./testing/drain-faults.ts";
import { faultTexts } from "./testing/fault-texts.ts";
import { edit, keys, machineConfig, type PlantedFault, psi, scenarioOf, small } from "./testing/planted-faults.ts";
import { rolloutFaults } from "./testing/rollout-faults.ts";

const faults: readonly PlantedFault[] = [...rolloutFaults, ...drainFaults];

/** This fault occurs during the rollout, so it has its own test below. */
const duringRollout = "TargetDeleted";

test("every finding of the catalogue has a planted fault", () => {
  const found = [...faults.map(({ id }) => id), duringRollout];
  expect([...new Set(found)].toSorted()).toEqual(Object.keys(findingCatalogue).toSorted());
});

test("a deleted target is the only finding until it is restored", () => {
  const run = new DiagnosedSimulation(small, psi);
  const key = `MachineConfig/${psi.metadata.name}`;
  const doneNow = () => run.rollout?.pools.find(({ name }) => name === "worker")?.done ?? 0;
  const idsNow = () => run.rollout?.findings.map(({ id }) => id);
  run.start();
  runUntil(run, () => doneNow() === 2);
  run.simulation.objects.delete(key);
  run.runFor(10);
  expect([idsNow(), doneNow()]).toEqual([[duringRollout], 0]);
  run.runFor(4 * hour);
  expect([idsNow(), doneNow()]).toEqual([[duringRollout], 0]);
  run.simulation.addObject(psi);
  run.runFor(10);
  expect(idsNow()).toEqual([]);
  runUntil(run, () => isRolledOut(run.simulation, psi));
  expect(doneNow()).toBe(3);
});

const hour = 3600;
const stepSeconds = 30;

/** Runs until the condition holds, for at most 12 simulated hours. */
function runUntil(run: DiagnosedSimulation, isOver: () => boolean, watch?: () => void): void {
  for (let seconds = 0; seconds < 12 * hour && !isOver(); seconds += stepSeconds) run.runFor(stepSeconds, watch);
  expect(isOver()).toBe(true);
}

const named = faults.map((fault) => ({ ...fault, title: [fault.id, fault.by ?? ""].join(" ").trim() }));

test.each(named)("$title appears alone at its age with its text, and ends with its cause", (fault) => {
  const { id, title, scenario = small, change = psi, severity, beside = [], lingers = 10 } = fault;
  const run = new DiagnosedSimulation(scenario, change);
  const { simulation, seen } = run;
  fault.plant?.(simulation);
  run.start();
  let there: number | undefined;
  const watch = () => {
    if (there === undefined && fault.isThere(simulation)) there = simulation.seconds();
  };
  const isFound = (finding: SeenFindings["findings"][number]) => finding.id === id && finding.severity === severity;
  const firstSeen = () => seen.find(({ findings }) => findings.some(isFound));
  runUntil(run, () => firstSeen() !== undefined, watch);
  const { message, command } = firstSeen()?.findings.find(isFound) ?? {};
  expect({ message, command }).toEqual(faultTexts.get(title));
  const age = (firstSeen()?.seconds ?? 0) - (there ?? Number.NaN);
  expect(age).toBeGreaterThanOrEqual(fault.age - 1);
  expect(age).toBeLessThanOrEqual(fault.age + 10);
  const others = seen
    .flatMap(({ findings }) => findings)
    .filter(
      (finding) => finding.severity === "blocking" && finding.id !== id && !beside.includes(finding.id as "DrainSlow"),
    );
  expect(others).toEqual([]);

  fault.end(simulation);
  const ended = simulation.seconds();
  runUntil(run, () => isRolledOut(simulation, change));
  const later = seen.filter(({ seconds }) => seconds > ended + lingers).flatMap(({ findings }) => findings);
  expect(later.filter((finding) => finding.id === id || finding.severity === "blocking")).toEqual([]);
});

const faultless = [
  ["three-workers", "worker", ["worker"]],
  ["no-vms", "worker", ["worker"]],
  ["custom-pool", "worker", ["infra", "worker"]],
  ["compact", "master", ["master"]],
] as const;

test.each(faultless)("a faultless rollout of %s for the role %s has no blocking finding", (name, role, pools) => {
  const change = machineConfig(`99-${role}-psi-karg`, role, { kernelArguments: ["psi=1"] });
  const run = new DiagnosedSimulation(scenarioOf(name), change);
  run.start();
  runUntil(run, () => isRolledOut(run.simulation, change));
  expect(run.rollout?.pools.map((pool) => [pool.name, pool.done])).toEqual(
    pools.map((pool) => [pool, run.rollout?.pools.find((each) => each.name === pool)?.total]),
  );
  expect(run.seen.flatMap(({ findings }) => findings).filter(({ severity }) => severity === "blocking")).toEqual([]);
});

test("a finding survives a new pool target and ends with its cause", () => {
  const run = new DiagnosedSimulation(scenarioOf("stuck-drain"), psi);
  const idsNow = () => run.rollout?.findings.map(({ id }) => id);
  const target = () => at(run.simulation.objects.get(keys.pool), "spec", "configuration", "name");
  run.start();
  run.runFor(300);
  expect(idsNow()).toEqual(["VMNotMigratable"]);
  const before = target();
  run.simulation.addObject(machineConfig("98-worker-other", "worker", { kernelArguments: ["other=1"] }));
  const [moved, late] = [60, 3 * hour].map((seconds) => {
    run.runFor(seconds);
    return { ids: idsNow(), isMoved: target() !== before };
  });
  expect([moved, late]).toEqual([0, 1].map(() => ({ ids: ["VMNotMigratable"], isMoved: true })));
  edit("VirtualMachine/vms/pinned-0", { spec: { runStrategy: "Halted" } })(run.simulation);
  run.runFor(10);
  expect(idsNow()).toEqual([]);
  runUntil(run, () => isRolledOut(run.simulation, psi));
});
