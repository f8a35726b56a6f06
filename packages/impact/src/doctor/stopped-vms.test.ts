import { expect, test } from "vitest";
import { notAssessed } from "../assessed.ts";
import { vmObject } from "../testing/cluster-builder.ts";
import { diagnoseRollout } from "./diagnose-rollout.ts";
import { concludeRollout } from "./rollout-status.ts";
import { startCommand } from "./stopped-vms.ts";
import { diagnoseInTurn, type RolloutGiven, rollingNode, rolloutFacts } from "./testing/rollout-builder.ts";

const nodes = [rollingNode("worker-0", "Draining"), rollingNode("worker-1", "Waiting")];
const [pinned, moving, elsewhere] = [
  vmObject("pinned", "worker-0", { isMigratable: false }),
  vmObject("moving", "worker-1"),
  vmObject("elsewhere", "master-0"),
];
const all: RolloutGiven = { nodes, vms: [pinned, moving, elsewhere] };
const stoppedIn = (...worlds: readonly (readonly [number, RolloutGiven])[]) =>
  diagnoseInTurn(...worlds).at(-1)?.rollout.stoppedVms;

test("remembers a stopped VM until it runs again", () => {
  const stopped = { nodes, vms: [moving] };
  expect(stoppedIn([0, all])).toBeUndefined();
  expect(stoppedIn([0, all], [60, stopped])).toEqual({ total: 1, listed: [{ namespace: "vms", name: "pinned" }] });
  expect(stoppedIn([0, all], [60, stopped], [120, all])).toBeUndefined();
});

test("an ended VM counts as stopped, a starting one does not", () => {
  const ended = { nodes, vms: [vmObject("pinned", "worker-0", { phase: "Succeeded" }), moving] };
  expect(stoppedIn([0, all], [60, ended])?.total).toBe(1);
  const starting = { nodes, vms: [vmObject("pinned", "", { phase: "Scheduling" }), moving] };
  expect(stoppedIn([0, all], [60, starting])).toBeUndefined();
});

test("ignores a VM without a VirtualMachine", () => {
  const alone = { nodes, vms: [vmObject("alone", "worker-0", { owner: null })] };
  expect(stoppedIn([0, alone], [60, { nodes, vms: [] }])).toBeUndefined();
});

test("after a restart, reads blocking and stopped VMs from the status", () => {
  const [, blocked] = diagnoseInTurn([0, all], [130, all]);
  expect(blocked?.rollout.findings.map(({ id }) => id)).toEqual(["VMNotMigratable"]);
  const restarted = (vms: NonNullable<RolloutGiven["vms"]>) =>
    diagnoseRollout({ ...rolloutFacts({ nodes, vms }, 190), before: blocked?.rollout });
  const { rollout } = restarted([moving]);
  expect(rollout.stoppedVms?.listed).toEqual([{ namespace: "vms", name: "pinned" }]);
  const again = diagnoseRollout({ ...rolloutFacts({ nodes, vms: [moving] }, 250), before: rollout });
  expect(again.rollout.stoppedVms).toEqual(rollout.stoppedVms);
});

test("keeps known VMs while VMs cannot be listed", () => {
  const [, before] = diagnoseInTurn([0, all], [60, { nodes, vms: [moving] }]);
  const facts = { ...rolloutFacts({ nodes }, 120, before), vms: notAssessed("Forbidden") };
  expect(diagnoseRollout(facts).rollout.stoppedVms).toEqual(before?.rollout.stoppedVms);
});

test("counts VMs with hidden names", () => {
  const unnamed = { ...all, areVmsNamed: false };
  expect(stoppedIn([0, unnamed], [60, { ...unnamed, vms: [] }])).toEqual({ total: 2, listed: [] });
});

test("the last summary counts VMs that were not restarted", () => {
  const [, last] = diagnoseInTurn([0, all], [60, { nodes, vms: [] }]);
  if (last === undefined) throw new Error("nothing was diagnosed");
  expect(concludeRollout(last.rollout).summary).toMatch(/, 2 VMs were stopped and have not restarted$/);
});

test("omits commands for unsafe names", () => {
  expect(startCommand({ namespace: "vms", name: "pinned-0" })).toBe("virtctl start pinned-0 -n vms");
  expect(startCommand({ namespace: "vms", name: "a; rm -rf /" })).toBeUndefined();
});
