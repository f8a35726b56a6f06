import type { Item, KubeObject, Phase } from "@virt/api";
import { expect, test } from "vitest";
import { conditionOf } from "./conditions/status-conditions.ts";
import type { PlannedItem } from "./profile.ts";
import { recordItemResult } from "./stages/execute.ts";
import { eventsForStatusChange } from "./status-events.ts";
import { problemOfTarget, type TargetProblem } from "./target-problem.ts";
import {
  appliedItem,
  begunItem,
  deschedulerItem,
  doneItem,
  health,
  now,
  observedItem,
  observedWith,
  psi,
  secondsAgo,
} from "./testing/observed-fixtures.ts";
import { stamp } from "./times.ts";
import { transition } from "./transition.ts";

const problem: TargetProblem = {
  message: "KubeDescheduler 'cluster' is degraded (no route)",
  next: "kubectl describe kubedescheduler cluster -n openshift-kube-descheduler-operator",
  kind: "fault",
};
const expected: TargetProblem = { ...problem, kind: "expected" };
const unprocessed: TargetProblem = {
  ...problem,
  message: "The operator of KubeDescheduler 'cluster' has not processed the change yet",
  kind: "unprocessed",
};
const written = doneItem(deschedulerItem());
const waiting: Item = { ...written, state: "InProgress", message: "x" };

const at = (phase: Phase, item: Item, found: TargetProblem | undefined, psiState: "waiting" | "done", spec = {}) =>
  observedWith(phase, {
    spec,
    items: [
      psiState === "done"
        ? observedItem(doneItem(psi()), { isInPlace: true, rollout: health("done", "pool worker is ready") })
        : observedItem(appliedItem(psi()), { isInPlace: true, rollout: health("waiting", "1 of 3 nodes updated") }),
      observedItem(item, { isInPlace: true, ...(found && { problem: found }) }),
    ],
  });

const itemOf = (decision: ReturnType<typeof transition>) =>
  decision.status.items?.find(({ name }) => name === written.name);

test("an item waits while the operator of its target reports a problem", () => {
  const decision = transition(at("InProgress", written, problem, "done"));
  expect(decision.status.phase).toBe("InProgress");
  expect(itemOf(decision)).toMatchObject({ state: "InProgress", message: problem.message });
});

test("an unexpected problem stalls the plan and names the next step", () => {
  const { status } = transition(at("InProgress", waiting, problem, "done"));
  expect(conditionOf(status, "Stalled")).toMatchObject({ status: "True", reason: "TargetDegraded" });
  expect(conditionOf(status, "Reconciling")?.status).toBe("False");
  expect(conditionOf(status, "Ready")).toMatchObject({
    status: "False",
    reason: "TargetDegraded",
    message: `${problem.message}. Next: ${problem.next}`,
  });
});

test("an expected problem is shown in the item and does not stall", () => {
  const decision = transition(at("InProgress", written, expected, "waiting"));
  expect(itemOf(decision)).toMatchObject({ state: "InProgress", message: expected.message });
  expect(conditionOf(decision.status, "Stalled")?.status).toBe("False");
  expect(conditionOf(decision.status, "Reconciling")?.status).toBe("True");
});

test("the item completes when the problem is gone", () => {
  const decision = transition(at("InProgress", waiting, undefined, "done"));
  expect(itemOf(decision)?.state).toBe("Completed");
});

test("a completed plan is not Ready while a target has a problem", () => {
  const { status } = transition(at("Completed", written, problem, "done"));
  expect(status.phase).toBe("Completed");
  expect(conditionOf(status, "Ready")).toMatchObject({ status: "False", reason: "TargetDegraded" });
  expect(itemOf({ status, requeue: { when: "on-change" } })?.message).toBe(problem.message);
});

test("reports the problem as an event once", () => {
  const observed = at("Completed", written, problem, "done");
  const { status } = transition(observed);
  const events = (before: typeof status) => eventsForStatusChange(before, status, { moved: [] });
  expect(events(observed.stored).map(({ reason }) => reason)).toEqual(["TargetDegraded"]);
  expect(events(status)).toEqual([]);
});

test("waitTimeout ends the wait for an unexpected problem only", () => {
  const long = { ...waiting, appliedTime: secondsAgo(7200) };
  const finished = { ...at("InProgress", long, problem, "done", { waitTimeout: "1h" }) };
  const items = finished.items.map((one) =>
    one.item.name === psi().name ? { ...one, item: { ...one.item, lastTransitionTime: secondsAgo(3700) } } : one,
  );
  const { status } = transition({ ...finished, items });
  expect(status.phase).toBe("Failed");
  expect(status.items?.find(({ name }) => name === written.name)?.message).toBe(
    `Timeout waiting for resource to become healthy (waited 1h1m40s, timeout 1h0m0s): ${problem.message}`,
  );
  const patient = transition(at("InProgress", long, expected, "waiting", { waitTimeout: "1h" }));
  expect(itemOf(patient)?.state).toBe("InProgress");
});

test("an item waits until its operator processes the change, without stalling", () => {
  const { status } = transition(at("InProgress", written, unprocessed, "done"));
  expect(status.phase).toBe("InProgress");
  expect(itemOf({ status, requeue: { when: "on-change" } })).toMatchObject({
    state: "InProgress",
    message: unprocessed.message,
  });
  expect(conditionOf(status, "Stalled")?.status).toBe("False");
  expect(conditionOf(status, "Reconciling")).toMatchObject({ status: "True", message: unprocessed.message });
});

test("waitTimeout ends the wait for an operator that ignores the change", () => {
  const long = { ...waiting, appliedTime: secondsAgo(7200) };
  const observed = at("InProgress", long, unprocessed, "done", { waitTimeout: "1h" });
  const items = observed.items.map((one) =>
    one.item.name === psi().name ? { ...one, item: { ...one.item, lastTransitionTime: secondsAgo(7200) } } : one,
  );
  const { status } = transition({ ...observed, items });
  expect(status.phase).toBe("Failed");
  expect(itemOf({ status, requeue: { when: "on-change" } })?.message).toContain(unprocessed.message);
});

test("a confirmed write does not complete an item with a problem", () => {
  const begun = begunItem(deschedulerItem());
  const item = observedItem(begun, { isInPlace: true, awaitsReport: true });
  const decision = recordItemResult(observedWith("InProgress", { items: [item] }), begun, { kind: "confirmed" });
  expect(itemOf(decision)).toMatchObject({ state: "InProgress", appliedTime: stamp(now) });
  expect(decision.status.phase).toBe("InProgress");
});

type Unprocessed = { readonly longestMs?: number; readonly appliedSecondsAgo?: number; readonly phase?: Phase };

const cases: readonly { readonly reason: string; readonly given: Unprocessed; readonly counts: boolean }[] = [
  { reason: "an unprocessed change counts while its plan runs", given: {}, counts: true },
  {
    reason: "an unprocessed change does not count after the plan ended",
    given: { phase: "Completed" },
    counts: false,
  },
  { reason: "another client's change is not awaited", given: { appliedSecondsAgo: NaN }, counts: false },
  { reason: "an unprocessed change is awaited within its limit", given: { longestMs: 60_001 }, counts: true },
  { reason: "an unprocessed change is not awaited beyond its limit", given: { longestMs: 60_000 }, counts: false },
];

test.each(cases)("$reason", ({ given: { longestMs, appliedSecondsAgo = 60, phase = "InProgress" }, counts }) => {
  const found: TargetProblem = { ...unprocessed, ...(longestMs !== undefined && { longestMs }) };
  const live: KubeObject = { ...deschedulerItem().targetRef, metadata: { name: "cluster" } };
  const planned = { operation: "Apply", problemOf: () => found } as unknown as PlannedItem;
  const item = {
    operation: "Apply",
    ...(appliedSecondsAgo >= 0 && { appliedTime: secondsAgo(appliedSecondsAgo) }),
  } as const;
  expect(problemOfTarget(item, planned, live, { phase, now })).toEqual(counts ? found : undefined);
});
