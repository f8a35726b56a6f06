import { phaseConditions, type Status, sideConditions, toolConditions } from "@virt/api";
import { equalJson } from "@virt/engine";
import { test } from "vitest";
import { decided, expectLaw } from "./expect-law.ts";
import { lookAgain } from "./look-again.ts";
import type { Decision, Observed } from "./observed.ts";
import { record } from "./record.ts";
import { stamp } from "./stamp.ts";
import { transition } from "./transition.ts";

/** Whatever is decided, by itself or after an answer. */
function expectStatus(law: (seen: Observed, status: Status) => boolean): void {
  expectLaw((seen) => decisions(seen).every(({ status }) => status === seen.was || law(seen, status)));
}

function decisions(seen: Observed): readonly Decision[] {
  const { effect, ...decision } = decided(seen);
  if (effect === undefined) return [decision];
  const { item } = effect;
  return [
    record(seen, item, { kind: "confirmed" }),
    record(seen, item, { kind: "stale" }),
    record(seen, item, { kind: "rejected", message: "no" }),
    record(seen, item, { kind: "blocked", message: "Namespace 'x' does not exist" }),
  ];
}

test("exactly one phase condition is True, that of the phase", () => {
  expectStatus((_seen, { phase, conditions = [] }) => {
    const isTrue = conditions.filter(
      ({ type, status }) => status === "True" && phaseConditions.some((one) => one === type),
    );
    return isTrue.length === 1 && isTrue[0]?.type === phase;
  });
});

test("all conditions are there once, in their order", () => {
  const order: readonly string[] = [...phaseConditions, ...sideConditions, ...toolConditions];
  const optional: readonly string[] = sideConditions;
  expectStatus((_seen, { conditions = [] }) => {
    const types = conditions.map(({ type }) => type);
    return order.filter((type) => !optional.includes(type) || types.includes(type)).join() === types.join();
  });
});

test("a side condition that was ever set stays", () => {
  expectStatus(({ was }, { conditions = [] }) =>
    sideConditions.every(
      (side) => !was.conditions?.some(({ type }) => type === side) || conditions.some(({ type }) => type === side),
    ),
  );
});

test("the time of a condition moves with its status alone", () => {
  expectStatus(({ was, now }, { conditions = [] }) =>
    conditions.every(({ type, status, lastTransitionTime }) => {
      const before = was.conditions?.find((one) => one.type === type);
      return lastTransitionTime === (before?.status === status ? before.lastTransitionTime : stamp(now));
    }),
  );
});

test("the time of an item that stays in its state stays", () => {
  expectStatus(({ was }, { items = [] }) =>
    items.every(({ name, state, lastTransitionTime }) => {
      const before = was.items?.find((one) => one.name === name);
      return before?.state !== state || before.lastTransitionTime === lastTransitionTime;
    }),
  );
});

test("status and conditions are about the generation that was looked at", () => {
  expectStatus(({ generation }, { observedGeneration, executedGeneration = 0, conditions = [] }) => {
    const isCurrent = conditions.every((condition) => condition.observedGeneration === generation);
    return isCurrent && observedGeneration === generation && executedGeneration <= generation;
  });
});

test("a plan that runs or is completed is on display no more, and one in review is", () => {
  expectStatus((_seen, { phase, review, planHash }) => {
    if (phase === "InProgress" || phase === "Completed") return review === undefined;
    return phase !== "ReviewRequired" || review?.planHash === (planHash ?? "");
  });
});

test("an Apply that is withheld makes a forced review", () => {
  expectStatus(
    ({ spec }, { phase, review }) => phase !== "ReviewRequired" || spec.action !== "Apply" || review?.forced === true,
  );
});

test("at most one item is begun and not confirmed, where there was at most one", () => {
  const open = ({ items = [] }: Status) =>
    items.filter(({ state, changes, appliedTime }) => state === "InProgress" && changes && appliedTime === undefined);
  expectStatus(
    ({ was }, status) => status.phase !== "InProgress" || open(status).length <= Math.max(1, open(was).length),
  );
});

test("no item is corrected more than three times on record", () => {
  expectStatus((_seen, { items = [] }) => items.every(({ corrections = [] }) => corrections.length <= 3));
});

test("a decision that waits for a change says the same when nothing changed", () => {
  expectLaw((seen) => {
    const { status, again, effect } = decided(seen);
    const isResting = again.when === "on-change" || (again.when === "at" && status.phase !== "InProgress");
    if (effect !== undefined || !isResting) return true;
    if (seen.upgrade !== undefined && status.phase !== seen.was.phase) return true; // looked at once it is completed
    const next = lookAgain(seen, status);
    return next === undefined || equalJson(transition(next).status, status);
  });
});
