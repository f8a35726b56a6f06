import type { Status } from "@virt/api";
import { equalJson } from "@virt/engine";
import { expect, test } from "vitest";
import { isForced, isPinned } from "./approval.ts";
import { decided, expectLaw, worlds } from "./expect-law.ts";
import { lookAgain } from "./look-again.ts";
import type { Observed } from "./observed.ts";
import { type Done, record } from "./record.ts";
import { transition } from "./transition.ts";

/** A plan that changes something starts to run; a correction repeats one that ran. */
function isStart({ was }: Observed, { phase, items = [] }: Status): boolean {
  const isEntered = phase === "InProgress" && was.phase !== "InProgress" && was.phase !== "Drifted";
  return isEntered && items.some(({ changes }) => changes);
}

test("nothing is applied unless approval and intent are on record, and then it is what is on record", () => {
  expectLaw((seen) => {
    const { effect } = decided(seen);
    if (effect === undefined) return true;
    const { was, spec } = seen;
    const stored = was.items?.find(({ name }) => name === effect.item.name);
    const isIntended = stored?.state === "InProgress" && stored.changes && stored.appliedTime === undefined;
    const isApproved = was.phase === "InProgress" && spec.action === "Apply" && isPinned(seen, was.planHash ?? "");
    return isApproved && isIntended && equalJson(stored, effect.item);
  });
});

test("nothing of a plan is applied for a spec that it was not drafted for", () => {
  expectLaw((seen) => {
    const isOther = seen.was.observedGeneration !== seen.generation && seen.was.specHash === "of another spec";
    return decided(seen).effect === undefined || !isOther;
  });
});

test("a config that does not say Apply neither enters InProgress nor stays there", () => {
  expectLaw((seen) => seen.spec.action === "Apply" || decided(seen).status.phase !== "InProgress");
});

test("an execution starts for a generation that was not executed before", () => {
  expectLaw((seen) => {
    const { status } = decided(seen);
    if (!isStart(seen, status)) return true;
    return seen.generation > (seen.was.executedGeneration ?? 0) && status.executedGeneration === seen.generation;
  });
});

test("in a forced review no edit runs a plan that was not on display before it", () => {
  expectLaw((seen) => {
    const { status } = decided(seen);
    if (!isForced(seen) || !isStart(seen, status)) return true;
    const { review } = seen.was;
    return review !== undefined && review.generation < seen.generation && review.planHash === status.planHash;
  });
});

test("where a plan is pinned no other one starts or is applied", () => {
  expectLaw((seen) => {
    const { status, effect } = decided(seen);
    const { approvedPlan } = seen.spec;
    const runs = effect !== undefined || isStart(seen, status);
    return !runs || (approvedPlan === undefined ? !seen.operator.mustPin : approvedPlan === status.planHash);
  });
});

test("Ignore takes effect in one pass, keeps the items and does nothing", () => {
  expectLaw((seen) => {
    if (seen.spec.action !== "Ignore") return true;
    const { status, effect } = decided(seen);
    const isKept = equalJson(status.items, seen.was.items) && status.executedGeneration === undefined;
    return status.phase === "Ignored" && effect === undefined && isKept;
  });
});

test("the executed generation never goes back, but Ignore forgets it", () => {
  expectLaw((seen) => {
    const { phase, executedGeneration = 0 } = decided(seen).status;
    return phase === "Ignored" || executedGeneration >= (seen.was.executedGeneration ?? 0);
  });
});

test("an error that passes leads nowhere", () => {
  expectLaw((seen) => {
    const { status, effect, again } = decided(seen);
    if (seen.draft?.kind === "unavailable" && again.when === "retry") return equalJson(status, seen.was);
    if (effect === undefined) return true;
    return equalJson(record(seen, effect.item, { kind: "unavailable", message: "503" }).status, seen.was);
  });
});

test("a plan fails by a rejected draft or a failed item, and by nothing else", () => {
  expectLaw((seen) => {
    const { status } = decided(seen);
    if (status.phase === seen.was.phase) return true;
    const hasFailed = status.items?.some(({ state }) => state === "Failed") === true;
    if (status.phase === "Failed") return hasFailed || seen.draft?.kind === "rejected";
    return status.phase !== "CompletedWithErrors" || hasFailed;
  });
});

test("under Abort no item is begun or applied once one has failed", () => {
  expectLaw((seen) => {
    const { status, effect } = decided(seen);
    const hasFailed = status.items?.some(({ state }) => state === "Failed") === true;
    const isAborted = seen.spec.failurePolicy === "Abort" && seen.was.phase === "InProgress" && hasFailed;
    return !isAborted || (effect === undefined && status.phase !== "InProgress");
  });
});

test("what was confirmed is not applied again by the same plan", () => {
  expectLaw((seen) => {
    const { effect } = decided(seen);
    if (effect === undefined) return true;
    let at = lookAgain(seen, record(seen, effect.item, { kind: "confirmed" }).status);
    for (let pass = 0; pass < 8 && at !== undefined; pass += 1) {
      const { status, effect: next } = transition(at);
      if (next?.item.name === effect.item.name) return false;
      if (status.phase !== "InProgress") return true;
      at = lookAgain(at, next === undefined ? status : record(at, next.item, { kind: "confirmed" }).status);
    }
    return true;
  });
});

test("an answer leaves its item confirmed or failed, never begun", () => {
  const answers: readonly Done[] = [{ kind: "confirmed" }, { kind: "rejected", message: "no" }];
  expectLaw((seen) => {
    const { effect } = decided(seen);
    return answers.every((answer) => {
      if (effect === undefined) return true;
      const item = record(seen, effect.item, answer).status.items?.find(({ name }) => name === effect.item.name);
      return item?.appliedTime !== undefined || item?.state === "Failed";
    });
  });
});

test("the laws meet every phase, every effect and every way to go on", () => {
  const met = new Set<string>();
  for (const seen of worlds()) {
    const { status, effect, again } = decided(seen);
    met.add(`${seen.was.phase} to ${status.phase}`).add(again.when);
    if (status.phase !== undefined) met.add(status.phase);
    if (effect !== undefined) met.add(effect.item.operation);
    if (isStart(seen, status) && isForced(seen)) met.add("acknowledged");
    if (seen.draft !== undefined) met.add(seen.draft.kind);
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
