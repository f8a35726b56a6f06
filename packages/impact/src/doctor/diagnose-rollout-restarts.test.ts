// Tests that after a restart of the process, a diagnosis continues from the stored status.

import { expect, test } from "vitest";
import { diagnoseRollout } from "./diagnose-rollout.ts";
import { drainFindingWorlds } from "./testing/drain-finding-worlds.ts";
import { vmOn, withVm } from "./testing/finding-parts.ts";
import { poolFindingWorlds } from "./testing/pool-finding-worlds.ts";
import {
  diagnoseInTurn,
  migrationObject,
  type RolloutGiven,
  reportOf,
  rollingNode,
  rolloutFacts,
} from "./testing/rollout-builder.ts";

type Restart = {
  readonly id: string;
  readonly age: number;
  readonly world: RolloutGiven;
  /** Changes between the end of one process and the start of the next. */
  readonly meanwhile?: RolloutGiven;
};

const nodes = [rollingNode("worker-0", "Draining")];
const attempting = { reports: [reportOf("worker-0", "Draining node. The drain will not be complete until b is a")] };
const worldOf = (id: string) =>
  [...poolFindingWorlds, ...drainFindingWorlds].find((each) => each.id === id) ?? expect.fail(`no world for ${id}`);
const restartOf = (id: string, meanwhile: RolloutGiven = {}): Restart => ({ ...worldOf(id), meanwhile });

const restarts: readonly Restart[] = [
  restartOf("VMNotMigratable"),
  { id: "ControllerDown", age: 600, world: { nodes, reports: [reportOf("worker-0", "", "a")] } },
  restartOf("DrainSlow"),
  restartOf("MaxUnavailableUsed"),
  restartOf("MigrationUnschedulable"),
  restartOf("MigrationSlow"),
  restartOf("PodBudget"),
  restartOf("TwoBudgets"),
  restartOf("PodTerminating"),
  restartOf("EvictionWebhookDown", attempting),
];

test.each(restarts)("after a restart, keeps the age of $id and of the node", ({ id, age, world, meanwhile }) => {
  const now = { ...world, ...meanwhile };
  const last = diagnoseInTurn([0, world], [age, world])[1];
  const restarted = diagnoseRollout({ ...rolloutFacts(now, age + 1, last), sightings: new Map() });
  const later = diagnoseRollout(rolloutFacts(now, age + 2, restarted));
  for (const { rollout } of [restarted, later]) {
    expect(rollout.findings.map((finding) => finding.id)).toEqual([id]);
    expect(rollout.findings).toEqual(last?.rollout.findings);
    expect(rollout.nodes).toEqual(last?.rollout.nodes);
  }
});

test("a restored drain error ends with the next different report", () => {
  const error = 'error when waiting for pod "db-0" in namespace "shop" to terminate: timeout';
  const world = { nodes, reports: [reportOf("worker-0", error)] };
  const last = diagnoseInTurn([0, world], [600, world])[1];
  const restarted = diagnoseRollout({ ...rolloutFacts({ ...world, ...attempting }, 610, last), sightings: new Map() });
  const otherwise = { ...world, reports: [reportOf("worker-0", "Error: error when evicting pods: timeout")] };
  const ended = diagnoseRollout(rolloutFacts(otherwise, 620, restarted));
  const ids = [restarted, ended].map(({ rollout }) => rollout.findings.map(({ id }) => id));
  expect(ids).toEqual([["PodTerminating"], []]);
});

test("with hidden names, keeps the terminating pod of a VM after a restart", () => {
  const error = 'error when waiting for pod "virt-launcher-vm-0-x" in namespace "vms" to terminate: timeout';
  const world = { nodes, reports: [reportOf("worker-0", error)], areVmsNamed: false };
  const last = diagnoseInTurn([0, world], [600, world])[1];
  const facts = rolloutFacts({ ...world, ...attempting }, 610, last);
  expect(last?.rollout.findings.map(({ id }) => id)).toEqual(["PodTerminating"]);
  expect(diagnoseRollout({ ...facts, sightings: new Map() }).rollout.findings).toEqual(last?.rollout.findings);
});

test("the next migration of a VM starts a new age", () => {
  const { world } = worldOf("MigrationSlow");
  const [, last] = diagnoseInTurn([0, world], [961, world]);
  const next = withVm(vmOn(), [migrationObject("vm-0", "Failed"), migrationObject("vm-0", "Running", { at: 1 })]);
  expect(diagnoseRollout(rolloutFacts(next, 970, last)).rollout.findings).toEqual([]);
});
