import type { Status } from "@virt/api";
import { equalJson } from "@virt/objects";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isForced, isPinned } from "./approval.ts";
import type { Observed } from "./observed.ts";
import { type ItemResult, recordItemResult } from "./stages/execute.ts";
import { anyObserved } from "./testing/any-observed.ts";
import { decided, expectLaw } from "./testing/expect-law.ts";
import { observeNextReconcile } from "./testing/observe-next-reconcile.ts";
import { transition } from "./transition.ts";

/** Reports whether a changing plan starts. A correction does not count. */
function isStart({ stored }: Observed, { phase, items = [] }: Status): boolean {
  const isEntered = phase === "InProgress" && stored.phase !== "InProgress" && stored.phase !== "Drifted";
  return isEntered && items.some(({ changes }) => changes);
}

test("nothing is applied unless approval and intent are on record, and then it is what is on record", () => {
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

test("nothing is applied, and no plan that a process before us has shown is begun, unless it is what is rendered now", () => {
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

test("nothing of a plan is applied for a spec that it was not drafted for", () => {
  expectLaw((observed) => {
    const isOther =
      observed.stored.observedGeneration !== observed.generation && observed.stored.specHash === "of another spec";
    return decided(observed).effect === undefined || !isOther;
  });
});

test("a config that does not say Apply neither enters InProgress nor stays there", () => {
  expectLaw((observed) => observed.spec.action === "Apply" || decided(observed).status.phase !== "InProgress");
});

test("an execution starts for a generation that was not executed before", () => {
  expectLaw((observed) => {
    const { status } = decided(observed);
    if (!isStart(observed, status)) return true;
    return (
      observed.generation > (observed.stored.executedGeneration ?? 0) &&
      status.executedGeneration === observed.generation
    );
  });
});

test("in a forced review no edit runs a plan that was not on display before it", () => {
  expectLaw((observed) => {
    const { status } = decided(observed);
    if (!isForced(observed) || !isStart(observed, status)) return true;
    const { review } = observed.stored;
    return review !== undefined && review.generation < observed.generation && review.planHash === status.planHash;
  });
});

test("where a plan is pinned no other one starts or is applied", () => {
  expectLaw((observed) => {
    const { status, effect } = decided(observed);
    const { approvedPlan } = observed.spec;
    const runs = effect !== undefined || isStart(observed, status);
    return !runs || (approvedPlan === undefined ? !observed.operator.mustPin : approvedPlan === status.planHash);
  });
});

test("Ignore takes effect in one reconcile, keeps the items and does nothing", () => {
  expectLaw((observed) => {
    if (observed.spec.action !== "Ignore") return true;
    const { status, effect } = decided(observed);
    const isKept = equalJson(status.items, observed.stored.items) && status.executedGeneration === undefined;
    return status.phase === "Ignored" && effect === undefined && isKept;
  });
});

test("the executed generation never goes back, but Ignore forgets it", () => {
  expectLaw((observed) => {
    const { phase, executedGeneration = 0 } = decided(observed).status;
    return phase === "Ignored" || executedGeneration >= (observed.stored.executedGeneration ?? 0);
  });
});

test("a transient error leads nowhere", () => {
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

test("a plan fails by a rejected draft or a failed item, and by nothing else", () => {
  expectLaw((observed) => {
    const { status } = decided(observed);
    if (status.phase === observed.stored.phase) return true;
    const hasFailed = status.items?.some(({ state }) => state === "Failed") === true;
    if (status.phase === "Failed") return hasFailed || observed.draft?.kind === "rejected";
    return status.phase !== "CompletedWithErrors" || hasFailed;
  });
});

test("in a plan that has failed no item is open", () => {
  expectLaw((observed) => {
    const { status } = decided(observed);
    if (status.phase !== "Failed" || observed.stored.phase === "Failed") return true;
    return status.items?.every(({ state }) => state !== "InProgress") !== false;
  });
});

test("a config is in charge of its targets only by an approval that counts", () => {
  expectLaw((observed) => {
    const { executedGeneration, planHash = "" } = decided(observed).status;
    return (
      executedGeneration === observed.stored.executedGeneration ||
      executedGeneration === undefined ||
      isPinned(observed, planHash)
    );
  });
});

test("nothing is Completed while the nodes roll out what this config has written", () => {
  expectLaw((observed) => {
    const isRolling = observed.rollouts.some(({ health }) => health.state !== "done");
    const { phase, rollouts } = decided(observed).status;
    if (!isRolling) return true;
    return phase === "Ignored" ? rollouts === undefined : phase !== "Completed" && rollouts !== undefined;
  });
});

test("under Abort no item is begun or applied once one has failed", () => {
  expectLaw((observed) => {
    const { status, effect } = decided(observed);
    const hasFailed = status.items?.some(({ state }) => state === "Failed") === true;
    const isAborted = observed.spec.failurePolicy === "Abort" && observed.stored.phase === "InProgress" && hasFailed;
    return !isAborted || (effect === undefined && status.phase !== "InProgress");
  });
});

test("what was confirmed is not applied again by the same plan", () => {
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

test("an answer leaves its item confirmed or failed, never begun", () => {
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

test("the laws meet every phase, every effect and every way to go on", () => {
  const met = new Set<string>();
  // Rare transitions occur once in a thousand samples, so this number does not depend on the settings of the laws.
  for (const observed of fc.sample(anyObserved, { numRuns: 20_000, seed: 1 })) {
    const { status, effect, requeue } = transition(observed);
    met.add(`${observed.stored.phase} to ${status.phase}`).add(requeue.when);
    if (status.phase !== undefined) met.add(status.phase);
    if (effect !== undefined) met.add(effect.item.operation);
    if (isStart(observed, status) && isForced(observed)) met.add("acknowledged");
    if (observed.draft !== undefined) met.add(observed.draft.kind);
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
  Apply; Delete; acknowledged; drafted; blocked; rejected; unavailable;
  on-change; at-once; at; retry
`;
