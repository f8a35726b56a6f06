// Tests a diagnosis without a watch: which findings have a reported start time, and which are too recent.

import type { JsonMap, KubeObject, RolloutFinding } from "@virt/api";
import { writeTime } from "@virt/objects";
import { expect, test } from "vitest";
import { poolObject } from "../testing/cluster-builder.ts";
import { changeOfPool, diagnoseOnce } from "./diagnose-rollout.ts";
import { drainFindingWorlds } from "./testing/drain-finding-worlds.ts";
import { budget, deletedPod, draining, oneDown, poolWith, shopPod, vmOn, withVm } from "./testing/finding-parts.ts";
import {
  diagnoseInTurn,
  migrationObject,
  psiChange,
  type RolloutGiven,
  reportOf,
  rolloutFacts,
} from "./testing/rollout-builder.ts";

const start = rolloutFacts({}, 0).now;
const timeAt = (seconds: number) => writeTime(start + seconds * 1000);
const condition = (type: string, status: string, seconds: number, message = "") => ({
  type,
  status,
  message,
  lastTransitionTime: timeAt(seconds),
});
/** A rollout with the report of a node that was cordoned at the start. */
const reported = (...conditions: readonly JsonMap[]): RolloutGiven => ({
  reports: [{ ...reportOf("worker-0", ""), status: { conditions: [condition("Cordoned", "True", 0), ...conditions] } }],
});
const foundAt = (seconds: number, given: RolloutGiven) => {
  const { rollout, young } = diagnoseOnce(rolloutFacts(given, seconds));
  const idsOf = (findings: readonly RolloutFinding[]) => findings.map(({ id, severity }) => `${severity} ${id}`);
  return { findings: idsOf(rollout.findings), young: idsOf(young) };
};
const diagnoseDrainOf = (minutes: number) =>
  diagnoseOnce(rolloutFacts({ ...withVm(vmOn({ isMigratable: false })), ...reported() }, minutes * 60));

test("an unwatched drain counts from the cordon of the node", () => {
  const { rollout, young } = diagnoseDrainOf(10);
  expect(rollout.findings.map(({ id, severity, since }) => ({ id, severity, since }))).toEqual([
    { id: "VMNotMigratable", severity: "blocking", since: timeAt(0) },
  ]);
  expect(young).toEqual([]);
});

test("separates young causes from lasting ones", () => {
  const { rollout, young } = diagnoseDrainOf(1);
  expect(rollout.findings).toEqual([]);
  expect(young.map(({ id }) => id)).toEqual(["VMNotMigratable"]);
});

/** Returns a migration with a creation time, and optionally a later search for a target. */
const migrationFrom = (phase: string, created: number, searched = created): KubeObject => {
  const phaseTransitionTimestamps = [{ phase: "Scheduling", phaseTransitionTimestamp: timeAt(searched) }];
  const object = migrationObject("vm-0", phase, { at: created % 60, status: { phaseTransitionTimestamps } });
  return { ...object, metadata: { ...object.metadata, creationTimestamp: timeAt(created) } };
};

test.each([
  ["a migration that was created a moment ago", [migrationFrom("Scheduling", 1195)], "MigrationUnschedulable"],
  ["a migration whose turn has just come", [migrationFrom("Scheduling", 100, 1195)], "MigrationUnschedulable"],
  [
    "a migration after one that had a target",
    [migrationFrom("Failed", 1000), migrationFrom("Running", 1100), migrationFrom("Scheduling", 1195)].map(
      (each, index) =>
        index === 1 ? { ...each, status: { phase: "Failed", migrationState: { startTimestamp: "x" } } } : each,
    ),
    "MigrationUnschedulable",
  ],
  ["a VM that was asked to leave a moment ago", [], "EvacuationNotStarted"],
])("%s is no finding in a healthy drain", (_what, vmims, id) => {
  const world = { ...withVm(vmOn(), vmims), ...reported() };
  const { findings, young } = foundAt(1200, world);
  expect(findings).toEqual([]);
  expect(young).toEqual([`blocking ${id}`]);
});

test("reports a VM without a target at once, even over pending attempts", () => {
  const world = { ...withVm(vmOn(), [migrationFrom("Failed", 880), migrationFrom("Scheduling", 1195)]), ...reported() };
  expect(foundAt(1200, world).findings).toEqual(["blocking MigrationUnschedulable"]);
});

test("attempts of an earlier drain do not make a finding older", () => {
  const world = { ...withVm(vmOn(), [migrationFrom("Failed", -9000), migrationFrom("Scheduling", 55)]), ...reported() };
  expect(foundAt(60, world)).toEqual({ findings: [], young: ["blocking MigrationUnschedulable"] });
});

test("reports a slow drain unless a VM has just left", () => {
  const failed = condition("Drained", "Unknown", 35_900, "Error: the server was unable to return a response");
  const world = { nodes: draining, ...reported(failed) };
  expect(foundAt(36_000, world)).toEqual({ findings: ["blocking DrainSlow"], young: [] });
  const left = { ...world, vmims: [migrationFrom("Succeeded", 35_500)] };
  expect(foundAt(36_000, left).findings).toEqual([]);
});

test("reports an overdue reboot by the reported time", () => {
  const world = { nodes: oneDown, ...reported(condition("RebootedNode", "Unknown", 100)) };
  expect(foundAt(2799, world).findings).toEqual([]);
  expect(foundAt(2800, world).findings).toEqual(["blocking RebootOverdue"]);
  const kubelet = { ...world, changes: [{ ...psiChange, hasKubeletDropIn: true }] };
  expect(foundAt(2800, kubelet).findings).toEqual(["blocking KubeletDown"]);
  const earlier = { nodes: oneDown, ...reported(condition("RebootedNode", "True", 100)) };
  expect(foundAt(2800, earlier).findings).toEqual([]);
});

test("a render failure counts from its condition", () => {
  const world = poolWith({}, { conditions: [condition("RenderDegraded", "True", 0, "bad")] });
  expect(foundAt(59, world)).toEqual({ findings: [], young: ["blocking RenderFailed"] });
  expect(foundAt(60, world).findings).toEqual(["blocking RenderFailed"]);
});

const findingWorld = (name: string) => drainFindingWorlds.find(({ id }) => id === name) ?? expect.fail(`no ${name}`);

test("a reported drain error counts during the next attempt", () => {
  const { world, age } = findingWorld("PodBudget");
  const before = diagnoseInTurn([0, world], [age, world])[1]?.rollout;
  const facts = rolloutFacts(
    { ...world, ...reported(condition("Drained", "Unknown", 300, "Draining node.")) },
    age + 30,
  );
  expect(diagnoseOnce({ ...facts, before }).rollout.findings).toEqual(before?.findings);
});

test("a protected pod counts from the drain, a terminating one from its deletion", () => {
  const drain = reported(condition("Drained", "Unknown", 595, "Draining node."));
  const foundIn = (more: RolloutGiven) => diagnoseOnce(rolloutFacts({ nodes: draining, ...drain, ...more }, 600));
  const { rollout } = foundIn({ drainedPods: { "worker-0": [shopPod] }, budgets: [budget("db")] });
  expect(rollout.findings).toMatchObject([{ id: "PodBudget", since: timeAt(0) }]);
  const ending = (seconds: number) => foundIn({ drainedPods: { "worker-0": [deletedPod(timeAt(seconds + 30), 30)] } });
  expect(ending(0).rollout.findings).toMatchObject([{ id: "PodTerminating", since: timeAt(0) }]);
  expect(ending(590)).toMatchObject({ rollout: { findings: [] }, young: [{ id: "PodTerminating" }] });
});

test("diagnoses a pool without changes of ours by its sources", () => {
  const pool = poolObject("worker", {});
  const rendered = { ...pool, spec: { configuration: { name: "rendered-2", source: [{ name: "00-worker" }] } } };
  expect(changeOfPool(rendered)).toMatchObject({ machineConfig: "00-worker", operation: "Apply", pools: ["worker"] });
  expect(changeOfPool({ ...pool, spec: {} })).toMatchObject({ operation: "Delete", pools: ["worker"] });
});
