import type { Item, Phase } from "@virt/api";
import { expect, test } from "vitest";
import { conditionOf } from "./conditions/status-conditions.ts";
import { eventsForStatusChange } from "./status-events.ts";
import type { TargetProblem } from "./target-problem.ts";
import {
  appliedItem,
  deschedulerItem,
  doneItem,
  health,
  observedItem,
  observedWith,
  psi,
  secondsAgo,
} from "./testing/observed-fixtures.ts";
import { transition } from "./transition.ts";

const problem: TargetProblem = {
  message: "KubeDescheduler 'cluster' is degraded (no route)",
  next: "kubectl describe kubedescheduler cluster -n openshift-kube-descheduler-operator",
  isExpected: false,
};
const expected: TargetProblem = { ...problem, isExpected: true };
const written = doneItem(deschedulerItem());
const waiting: Item = { ...written, state: "InProgress", message: "x" };

/** A plan with these applied items; `psiState` is how far the PSI rollout is. */
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

test("an item is not completed while the operator of its target reports a problem", () => {
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

test("an expected problem is shown in the item and stalls nothing", () => {
  const decision = transition(at("InProgress", written, expected, "waiting"));
  expect(itemOf(decision)).toMatchObject({ state: "InProgress", message: expected.message });
  expect(conditionOf(decision.status, "Stalled")?.status).toBe("False");
  expect(conditionOf(decision.status, "Reconciling")?.status).toBe("True");
});

test("the item is completed and the plan ends when the problem is gone", () => {
  const decision = transition(at("InProgress", waiting, undefined, "done"));
  expect(itemOf(decision)?.state).toBe("Completed");
});

test("a completed plan is not Ready while the operator of a target reports a problem", () => {
  const { status } = transition(at("Completed", written, problem, "done"));
  expect(status.phase).toBe("Completed");
  expect(conditionOf(status, "Ready")).toMatchObject({ status: "False", reason: "TargetDegraded" });
  expect(itemOf({ status, requeue: { when: "on-change" } })?.message).toBe(problem.message);
});

test("the problem is recorded as an event once", () => {
  const observed = at("Completed", written, problem, "done");
  const { status } = transition(observed);
  const events = (before: typeof status) => eventsForStatusChange(before, status, { moved: [] });
  expect(events(observed.stored).map(({ reason }) => reason)).toEqual(["TargetDegraded"]);
  expect(events(status)).toEqual([]);
});

test("waitTimeout ends the wait for an unexpected problem, not for an expected one", () => {
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
