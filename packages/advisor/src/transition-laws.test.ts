import type { Item, Status } from "@virt/api";
import { equalJson } from "@virt/objects";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isForced, isPinned, isPlanStale } from "./approval.ts";
import { conditionIs, conditionOf } from "./conditions/status-conditions.ts";
import { isWriteOpen } from "./items.ts";
import type { Observed } from "./observed.ts";
import { type ItemResult, recordItemResult } from "./stages/execute.ts";
import { anyObserved } from "./testing/any-observed.ts";
import { decided, expectLaw } from "./testing/expect-law.ts";
import { observeNextReconcile } from "./testing/observe-next-reconcile.ts";
import { transition } from "./transition.ts";

/** Reports whether a plan with changes starts. A drift correction does not count. */
function isStart({ stored }: Observed, { phase, items = [] }: Status): boolean {
  const isEntered = phase === "InProgress" && stored.phase !== "InProgress" && stored.phase !== "Drifted";
  return isEntered && items.some(({ changes }) => changes);
}

test("applies only an approved and recorded item, as recorded", () => {
  expectLaw((observed) => {
    const { effect } = decided(observed);
    if (effect === undefined) return true;
    const { stored, spec } = observed;
    const intent = stored.items?.find(({ name }) => name === effect.item.name);
    const isIntended = intent?.state === "InProgress" && intent.changes && intent.appliedTime === undefined;
    const isApproved =
      stored.phase === "InProgress" && spec.action === "Apply" && isPinned(observed, stored.planHash ?? "");
    return isApproved && isIntended && equalJson(intent, effect.item);
  });
});

test("applies and starts only a plan that matches the current rendering", () => {
  expectLaw((observed) => {
    const { effect, status } = decided(observed);
    if (effect !== undefined) return observed.planCheck.kind === "intact";
    const isApproval = observed.stored.phase === "ReviewRequired" && isStart(observed, status);
    const isFresh = observed.draft?.kind === "drafted" && status.planHash !== observed.stored.planHash;
    if (!isApproval || isFresh) return true;
    return (
      observed.planCheck.kind !== "differs" && (observed.statusOrigin === "own" || observed.draft?.kind === "drafted")
    );
  });
});

test("applies nothing of a plan that was drafted for another spec", () => {
  expectLaw((observed) => {
    const isOther =
      observed.stored.observedGeneration !== observed.generation && observed.stored.specHash === "of another spec";
    return decided(observed).effect === undefined || !isOther;
  });
});

test("only a config with action Apply is InProgress", () => {
  expectLaw((observed) => observed.spec.action === "Apply" || decided(observed).status.phase !== "InProgress");
});

test("an execution starts once per generation", () => {
  expectLaw((observed) => {
    const { status } = decided(observed);
    if (!isStart(observed, status)) return true;
    return (
      observed.generation > (observed.stored.executedGeneration ?? 0) &&
      status.executedGeneration === observed.generation
    );
  });
});

test("after a forced review, only the shown plan starts", () => {
  expectLaw((observed) => {
    const { status } = decided(observed);
    if (!isForced(observed) || !isStart(observed, status)) return true;
    const { review } = observed.stored;
    return review !== undefined && review.generation < observed.generation && review.planHash === status.planHash;
  });
});

test("only the named plan starts or is applied", () => {
  expectLaw((observed) => {
    const { status, effect } = decided(observed);
    const { approvedPlan } = observed.spec;
    const runs = effect !== undefined || isStart(observed, status);
    return !runs || (approvedPlan === undefined ? !observed.operator.mustPin : approvedPlan === status.planHash);
  });
});

/** Returns the names of the items that virt-platform-autopilot would revert. A new plan counts with its own items. */
function revertedNames({ items, draft, stored }: Observed, { planHash, items: after = [] }: Status): readonly string[] {
  const isNew = draft?.kind === "drafted" && (planHash !== stored.planHash || stored.phase === "Drafting");
  if (!isNew) return items.filter(({ isReverted }) => isReverted === true).map(({ item }) => item.name);
  return after.filter(({ targetRef }) => draft.reverted.includes(targetRef)).map(({ name }) => name);
}

test("no plan starts with a change that virt-platform-autopilot reverts", () => {
  expectLaw((observed) => {
    const { status } = decided(observed);
    if (!isStart(observed, status)) return true;
    const reverted = revertedNames(observed, status);
    const isUnwritten = (item: Item) => item.changes && (item.state === "Pending" || isWriteOpen(item));
    return status.items?.every((item) => !isUnwritten(item) || !reverted.includes(item.name)) !== false;
  });
});

test("applies and corrects no item that virt-platform-autopilot reverts", () => {
  expectLaw((observed) => {
    const { status, effect } = decided(observed);
    const reverted = observed.items.filter(({ isReverted }) => isReverted === true).map(({ item }) => item);
    if (effect !== undefined) return !reverted.some(({ name }) => name === effect.item.name);
    const isOpen = ({ name }: Item) => status.items?.some((item) => item.name === name && item.state === "Pending");
    const isCorrected = observed.stored.phase === "Drifted" && status.phase === "InProgress";
    return !isCorrected || !reverted.some((item) => item.state === "Completed" && isOpen(item) === true);
  });
});

test("a plan on hold starts with the same approval when its obstacle is gone", () => {
  expectLaw((observed) => {
    const { status } = decided(observed);
    const isNew = observed.stored.review?.reason !== "ManagedByAutopilot";
    if (!isNew || status.review?.reason !== "ManagedByAutopilot") return true;
    const next = observeNextReconcile(observed, status);
    const isQuiet = next?.planCheck.kind === "intact" && next.inputs.length === 0 && next.blocked === undefined;
    if (!isQuiet || next.draft !== undefined || isPlanStale(next)) return true;
    const free = next.items.map(({ isReverted: _reverted, ...item }) => item);
    return transition({ ...next, items: free }).status.phase === "InProgress";
  });
});

test("Ignore takes effect in one reconcile and keeps the items", () => {
  expectLaw((observed) => {
    if (observed.spec.action !== "Ignore") return true;
    const { status, effect } = decided(observed);
    const isKept = equalJson(status.items, observed.stored.items) && status.executedGeneration === undefined;
    return status.phase === "Ignored" && effect === undefined && isKept;
  });
});

test("the executed generation never decreases, except by Ignore", () => {
  expectLaw((observed) => {
    const { phase, executedGeneration = 0 } = decided(observed).status;
    return phase === "Ignored" || executedGeneration >= (observed.stored.executedGeneration ?? 0);
  });
});

test("a transient error does not change the status", () => {
  expectLaw((observed) => {
    const { status, effect, requeue } = decided(observed);
    if (observed.draft?.kind === "unavailable" && requeue.when === "retry") return equalJson(status, observed.stored);
    if (effect === undefined) return true;
    return equalJson(
      recordItemResult(observed, effect.item, { kind: "unavailable", message: "503" }).status,
      observed.stored,
    );
  });
});

test("a plan fails only by a rejected draft or a failed item", () => {
  expectLaw((observed) => {
    const { status } = decided(observed);
    if (status.phase === observed.stored.phase) return true;
    const hasFailed = status.items?.some(({ state }) => state === "Failed") === true;
    if (status.phase === "Failed") return hasFailed || observed.draft?.kind === "rejected";
    return status.phase !== "CompletedWithErrors" || hasFailed;
  });
});

test("a failed plan has no open item", () => {
  expectLaw((observed) => {
    const { status } = decided(observed);
    if (status.phase !== "Failed" || observed.stored.phase === "Failed") return true;
    return status.items?.every(({ state }) => state !== "InProgress") !== false;
  });
});

test("a config takes over its targets only by a valid approval", () => {
  expectLaw((observed) => {
    const { executedGeneration, planHash = "" } = decided(observed).status;
    return (
      executedGeneration === observed.stored.executedGeneration ||
      executedGeneration === undefined ||
      isPinned(observed, planHash)
    );
  });
});

test("no config is Completed while its writes roll out", () => {
  expectLaw((observed) => {
    const isRolling = observed.rollouts.some(({ health }) => health.state !== "done");
    const { phase, rollouts } = decided(observed).status;
    if (!isRolling) return true;
    return phase === "Ignored" ? rollouts === undefined : phase !== "Completed" && rollouts !== undefined;
  });
});

test("an Abort plan applies nothing after a failed item", () => {
  expectLaw((observed) => {
    const { status, effect } = decided(observed);
    const hasFailed = status.items?.some(({ state }) => state === "Failed") === true;
    const isAborted = observed.spec.failurePolicy === "Abort" && observed.stored.phase === "InProgress" && hasFailed;
    return !isAborted || (effect === undefined && status.phase !== "InProgress");
  });
});

test("a plan does not apply a confirmed item again", () => {
  expectLaw((observed) => {
    const { effect } = decided(observed);
    if (effect === undefined) return true;
    let at = observeNextReconcile(observed, recordItemResult(observed, effect.item, { kind: "confirmed" }).status);
    for (let round = 0; round < 8 && at !== undefined; round += 1) {
      const { status, effect: next } = transition(at);
      if (next?.item.name === effect.item.name) return false;
      if (status.phase !== "InProgress") return true;
      at = observeNextReconcile(
        at,
        next === undefined ? status : recordItemResult(at, next.item, { kind: "confirmed" }).status,
      );
    }
    return true;
  });
});

test("a result leaves its item confirmed or failed", () => {
  const answers: readonly ItemResult[] = [{ kind: "confirmed" }, { kind: "rejected", message: "no" }];
  expectLaw((observed) => {
    const { effect } = decided(observed);
    return answers.every((answer) => {
      if (effect === undefined) return true;
      const item = recordItemResult(observed, effect.item, answer).status.items?.find(
        ({ name }) => name === effect.item.name,
      );
      return item?.appliedTime !== undefined || item?.state === "Failed";
    });
  });
});

test("the laws cover every phase, effect and requeue", () => {
  const met = new Set<string>();
  // Rare transitions occur only once in a thousand samples, so this needs a fixed, large number of runs.
  for (const observed of fc.sample(anyObserved, { numRuns: 20_000, seed: 1 })) {
    const { status, effect, requeue } = transition(observed);
    met.add(`${observed.stored.phase} to ${status.phase}`).add(requeue.when);
    if (status.phase !== undefined) met.add(status.phase);
    if (effect !== undefined) met.add(effect.item.operation);
    if (isStart(observed, status) && isForced(observed)) met.add("acknowledged");
    if (observed.draft !== undefined) met.add(observed.draft.kind);
    const isNewReason = status.review?.reason !== observed.stored.review?.reason;
    if (status.phase === "ReviewRequired" && isNewReason) met.add(`held by ${status.review?.reason}`);
    if (conditionIs(status, "Stalled", "True")) met.add(`stalled by ${conditionOf(status, "Stalled")?.reason}`);
  }
  expect(
    expected
      .split(";")
      .map((each) => each.trim())
      .filter((each) => !met.has(each)),
  ).toEqual([]);
});

const expected = `
  Drafting; PrerequisiteFailed; ReviewRequired; InProgress; Completed; CompletedWithErrors; CompletedWithUpgrade; Failed; Drifted; Ignored;
  Drafting to ReviewRequired; Drafting to InProgress; Drafting to Completed; Drafting to Failed;
  ReviewRequired to Drafting; ReviewRequired to InProgress; ReviewRequired to Completed;
  InProgress to Failed; InProgress to CompletedWithErrors; InProgress to Completed; InProgress to Drifted; InProgress to Drafting; InProgress to ReviewRequired; InProgress to Ignored;
  Drifted to InProgress; Drifted to Completed; Drifted to CompletedWithErrors; Completed to Drifted;
  Completed to CompletedWithUpgrade; CompletedWithUpgrade to Completed; CompletedWithErrors to Completed;
  held by ManagedByAutopilot; stalled by ManagedByAutopilot;
  Apply; Delete; acknowledged; drafted; blocked; rejected; unavailable;
  on-change; at-once; at; retry
`;
