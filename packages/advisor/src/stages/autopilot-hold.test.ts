import { expect, test } from "vitest";
import { shownDifference } from "../check-plan.ts";
import { conditionOf } from "../conditions/status-conditions.ts";
import { nextStepOf, nextStepText } from "../next-step.ts";
import type { Observed, ObservedItem } from "../observed.ts";
import {
  configObject,
  deschedulerItem,
  drafted,
  drift,
  generation,
  now,
  observedItem,
  observedWith,
} from "../testing/observed-fixtures.ts";
import { transition } from "../transition.ts";

const target = "KubeDescheduler 'cluster'";
const reason = `${target} is managed by virt-platform-autopilot, which reverts this change`;
const command =
  "kubectl annotate kubedescheduler cluster -n openshift-kube-descheduler-operator platform.kubevirt.io/mode=unmanaged";

const reverted = (item = deschedulerItem()): ObservedItem => observedItem(item, { isReverted: true });

const approved = (given: Parameters<typeof observedWith>[1] = {}): Observed =>
  observedWith("ReviewRequired", { generation: generation + 1, items: [reverted()], ...given });

const free = (observed: Observed): Observed => ({
  ...observed,
  items: (observed.stored.items ?? []).map((item) => observedItem(item)),
});

test("an approved plan is on hold, with the command, and keeps its approval", () => {
  const { status, requeue } = transition(approved());
  expect(status).toMatchObject({
    phase: "ReviewRequired",
    review: { reason: "ManagedByAutopilot", message: reason, forced: false },
  });
  expect(conditionOf(status, "Ready")).toMatchObject({
    status: "False",
    reason: "ManagedByAutopilot",
    message: `${reason}. Next: ${command}`,
  });
  expect(conditionOf(status, "ReviewRequired")?.message).toBe(`Plan aaaaaaaaaaaa is on hold: ${reason}.`);
  expect(status.items?.[0]?.warnings).toEqual([`${reason}. Next: ${command}`]);
  expect(requeue).toEqual({ when: "on-change" });
  const again = { ...approved(), stored: status };
  expect(transition({ ...again, items: [reverted(status.items?.[0])] }).status).toEqual(status);
  expect(transition(free(again)).status.phase).toBe("InProgress");
});

test("the next step on the command line is the same command", () => {
  const { status } = transition(approved());
  expect(nextStepText(nextStepOf(configObject(status)), "k")).toBe(`${reason}; to start the plan, run: ${command}`);
});

test("an approved plan is on hold as soon as it is drafted", () => {
  const draft = drafted([deschedulerItem()], { reverted: [deschedulerItem().targetRef] });
  const { status } = transition(observedWith("Drafting", { generation: generation + 1, items: [], draft }));
  expect(status).toMatchObject({ phase: "ReviewRequired", review: { reason: "ManagedByAutopilot" } });
  expect(transition(free({ ...approved(), stored: status })).status.phase).toBe("InProgress");
});

test("a plan on hold is reconciled when the state of the autopilot changes without an event", () => {
  expect(transition(approved({ autopilotDueMs: now + 9_000 })).requeue).toEqual({ when: "at", atMs: now + 9_000 });
});

test("the warning of a plan under review follows the autopilot, and does not make the plan stale", () => {
  const preview = approved({ generation, spec: { action: "DryRun" } });
  const { status: warned } = transition(preview);
  expect(warned.items?.[0]?.warnings).toEqual([`${reason}. Next: ${command}`]);
  const { status: cleared } = transition(free({ ...preview, stored: warned }));
  expect(cleared.items?.[0]).not.toHaveProperty("warnings");
  expect(shownDifference(warned.items ?? [], cleared.items ?? [])).toBeUndefined();
});

test("a running plan needs a new review if the autopilot takes over a target that is not written yet", () => {
  const { status, effect } = transition(
    observedWith("InProgress", { items: [reverted()], spec: { bypassOptimisticLock: true } }),
  );
  expect(effect).toBeUndefined();
  expect(status).toMatchObject({ phase: "Drafting", review: { reason: "PlanStale", forced: true } });
});

const takenOver = drift({ kind: "taken-over", managers: ["virt-platform-autopilot"] });
const completed = deschedulerItem({ state: "Completed" });
const drifted = (bypassOptimisticLock: boolean, kind = takenOver, isReverted = true): Observed =>
  observedWith("Drifted", {
    spec: { bypassOptimisticLock },
    items: [observedItem(completed, { drift: kind, ...(isReverted && { isReverted }) })],
  });

test("a takeover is drift that bypassOptimisticLock does not correct", () => {
  const { status, effect } = transition(drifted(true));
  expect([status.phase, effect]).toEqual(["Drifted", undefined]);
  expect(conditionOf(status, "Drifted")?.message).toContain(`${target} was changed by virt-platform-autopilot`);
  expect(conditionOf(status, "Ready")?.message).toContain(`run: ${command}`);
  expect(conditionOf(status, "Stalled")).toMatchObject({ status: "True", reason: "ManagedByAutopilot" });
  expect(nextStepOf(configObject(status, { bypassOptimisticLock: true })).kind).toBe("replan");
  expect(transition(drifted(true, drift(), false)).status.phase).toBe("InProgress");
});

test("without bypassOptimisticLock, the next step of a takeover names both commands", () => {
  const message = conditionOf(transition(drifted(false)).status, "Ready")?.message ?? "";
  expect(message).toContain(`run: ${command}; then undo the change, or to apply the plan again, run: kubectl patch`);
});

test("other drift is corrected next to a takeover", () => {
  const other = observedItem(deschedulerItem({ name: "other", state: "Completed" }), { drift: drift() });
  const { items, ...rest } = drifted(true);
  const { status } = transition({ ...rest, items: [...items, other] });
  expect(status.phase).toBe("InProgress");
  expect(status.items?.map(({ state }) => state)).toEqual(["Completed", "Pending"]);
});
