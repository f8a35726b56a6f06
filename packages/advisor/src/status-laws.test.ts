import { phaseConditions, type Status, sideConditions, toolConditions } from "@virt/api";
import { equalJson } from "@virt/objects";
import { test } from "vitest";
import { isHeldFor } from "./approval.ts";
import { driftedItems } from "./drift.ts";
import type { Decision, Observed } from "./observed.ts";
import { recordItemResult } from "./stages/execute.ts";
import { decided, expectLaw } from "./testing/expect-law.ts";
import { observeNextReconcile } from "./testing/observe-next-reconcile.ts";
import { stamp } from "./times.ts";
import { transition } from "./transition.ts";

/** Checks a property of every decision, both before and after the result of its write. */
function expectStatus(law: (observed: Observed, status: Status) => boolean): void {
  expectLaw((observed) =>
    decisions(observed).every(({ status }) => status === observed.stored || law(observed, status)),
  );
}

function decisions(observed: Observed): readonly Decision[] {
  const { effect, ...decision } = decided(observed);
  if (effect === undefined) return [decision];
  const { item } = effect;
  return [
    recordItemResult(observed, item, { kind: "confirmed" }),
    recordItemResult(observed, item, { kind: "stale" }),
    recordItemResult(observed, item, { kind: "rejected", message: "no" }),
    recordItemResult(observed, item, { kind: "blocked", message: "Namespace 'x' does not exist" }),
  ];
}

test("only the condition of the phase is True, and possibly Drifted", () => {
  expectStatus(({ items }, { phase, conditions = [], items: after = [] }) => {
    const isTrue = conditions
      .filter(({ type, status }) => status === "True" && phaseConditions.some((one) => one === type))
      .map(({ type }) => type);
    const mayDrift = phase === "InProgress" || phase === "CompletedWithErrors" || phase === "Failed";
    const isDrifted = mayDrift && driftedItems(items, after).length > 0;
    const wanted: readonly (string | undefined)[] = [phase, ...(isDrifted ? ["Drifted"] : [])];
    return isTrue.length === wanted.length && isTrue.every((type) => wanted.includes(type));
  });
});

test("each condition exists once, in order", () => {
  const order: readonly string[] = [...phaseConditions, ...sideConditions, ...toolConditions];
  const optional: readonly string[] = sideConditions;
  expectStatus((_seen, { conditions = [] }) => {
    const types = conditions.map(({ type }) => type);
    return order.filter((type) => !optional.includes(type) || types.includes(type)).join() === types.join();
  });
});

test("a side condition is never removed", () => {
  expectStatus(({ stored }, { conditions = [] }) =>
    sideConditions.every(
      (side) => !stored.conditions?.some(({ type }) => type === side) || conditions.some(({ type }) => type === side),
    ),
  );
});

test("a condition's time changes only with its status", () => {
  expectStatus(({ stored, now }, { conditions = [] }) =>
    conditions.every(({ type, status, lastTransitionTime }) => {
      const before = stored.conditions?.find((one) => one.type === type);
      return lastTransitionTime === (before?.status === status ? before.lastTransitionTime : stamp(now));
    }),
  );
});

test("an item's time changes only with its state", () => {
  expectStatus(({ stored }, { items = [] }) =>
    items.every(({ name, state, lastTransitionTime }) => {
      const before = stored.items?.find((one) => one.name === name);
      return before?.state !== state || before.lastTransitionTime === lastTransitionTime;
    }),
  );
});

test("status and conditions have the observed generation", () => {
  expectStatus(({ generation }, { observedGeneration, executedGeneration = 0, conditions = [] }) => {
    const isCurrent = conditions.every((condition) => condition.observedGeneration === generation);
    return isCurrent && observedGeneration === generation && executedGeneration <= generation;
  });
});

test("only a plan in review has a review", () => {
  expectStatus((_seen, { phase, review, planHash }) => {
    if (phase === "InProgress" || phase === "Completed") return review === undefined;
    return phase !== "ReviewRequired" || review?.planHash === (planHash ?? "");
  });
});

test("an Apply that waits in review forces the review, unless it is on hold", () => {
  expectStatus(({ spec }, { phase, review }) => {
    if (phase !== "ReviewRequired" || spec.action !== "Apply") return true;
    return review?.forced === true || isHeldFor(review?.reason);
  });
});

test("at most one item is begun and not confirmed", () => {
  const open = ({ items = [] }: Status) =>
    items.filter(({ state, changes, appliedTime }) => state === "InProgress" && changes && appliedTime === undefined);
  expectStatus(
    ({ stored }, status) => status.phase !== "InProgress" || open(status).length <= Math.max(1, open(stored).length),
  );
});

test("an item records at most three corrections", () => {
  expectStatus((_seen, { items = [] }) => items.every(({ corrections = [] }) => corrections.length <= 3));
});

test("a settled decision repeats itself if nothing changes", () => {
  expectLaw((observed) => {
    const { status, requeue, effect } = decided(observed);
    const isResting = requeue.when === "on-change" || (requeue.when === "at" && status.phase !== "InProgress");
    if (effect !== undefined || !isResting) return true;
    if (observed.upgrade !== undefined && status.phase !== observed.stored.phase) return true; // compared only when the plan completes
    const next = observeNextReconcile(observed, status);
    return next === undefined || equalJson(transition(next).status, status);
  });
});
