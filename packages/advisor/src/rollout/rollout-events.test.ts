import type { RolloutFinding, Status } from "@virt/api";
import { expect, test } from "vitest";
import { rolloutFixture } from "../testing/impact-fixtures.ts";
import { rolloutEvents } from "./rollout-events.ts";

const stuckOn = (...findings: readonly (readonly [string, string, RolloutFinding["severity"]?])[]): Status => ({
  planHash: "a".repeat(64),
  rollout: rolloutFixture(
    findings.map(([id, vm, severity = "blocking"]) => ({
      id,
      severity,
      node: "w-0",
      message: `VM prod/${vm} blocks`,
      since: "2026-01-01T00:00:00Z",
    })),
  ),
});

test("reports each cause once per node, without VM names", () => {
  const events = rolloutEvents(stuckOn(), stuckOn(["VMNotMigratable", "db"], ["VMNotMigratable", "web"]));
  expect(events.map(({ type, reason }) => `${type} ${reason}`)).toEqual(["Warning RolloutStuck"]);
  expect(events[0]?.note).toContain("on node w-0: VMNotMigratable.");
  expect(events[0]?.note).not.toMatch(/prod|db|web/);
});

test("does not report known causes and warnings", () => {
  const known = stuckOn(["VMNotMigratable", "db"]);
  expect(rolloutEvents(known, stuckOn(["VMNotMigratable", "web"]))).toEqual([]);
  expect(rolloutEvents(stuckOn(), stuckOn(["LanesTaken", "", "warning"]))).toEqual([]);
});

test("reports a resumed rollout when no blocker remains", () => {
  const reasons = (before: Status, after: Status) => rolloutEvents(before, after).map(({ reason }) => reason);
  const stuck = stuckOn(["VMNotMigratable", "db"], ["PodBudget", ""]);
  expect(reasons(stuck, stuckOn(["PodBudget", ""]))).toEqual([]);
  expect(reasons(stuck, stuckOn())).toEqual(["RolloutResumed"]);
  expect(reasons(stuckOn(), stuckOn())).toEqual([]);
});

test("does not report an ignored rollout as resumed", () => {
  const ignored: Status = { ...stuckOn(), phase: "Ignored" };
  expect(rolloutEvents({ ...stuckOn(["VMNotMigratable", "db"]), phase: "InProgress" }, ignored)).toEqual([]);
});

test("does not report a rollout as resumed with an unread input", () => {
  const unread = stuckOn();
  const notAssessed = [{ what: "VirtualMachineInstance", reason: "Forbidden", message: "" }] as const;
  const after = { ...unread, rollout: { ...unread.rollout, notAssessed } } as Status;
  expect(rolloutEvents(stuckOn(["VMNotMigratable", "db"]), after)).toEqual([]);
});

test("reports a finding of another release without a cause", () => {
  expect(rolloutEvents(stuckOn(), stuckOn(["NotKnownHere", ""]))[0]?.note).toContain("NotKnownHere");
});
