// InProgress: applies the items in order, records each result, and waits for all rollouts.

import type { Conflict, Item, Status } from "@virt/api";
import { isLockBypassed, isPinned } from "../approval.ts";
import { revertedTargets } from "../autopilot-targets.ts";
import { isTampered } from "../check-plan.ts";
import { phaseMessages } from "../conditions/phase.ts";
import { conditionIs, upgradeConditions } from "../conditions/status-conditions.ts";
import { driftText } from "../drift.ts";
import { enterDrafting, enterPhase, enterPrerequisiteFailed, unconvergedPools } from "../enter-phase.ts";
import { recordAppliedInputs } from "../inputs.ts";
import { confirmItem, isWriteOpen, withState } from "../items.ts";
import type { Decision, Observed } from "../observed.ts";
import { advanceItems, type ItemFailure, isPlanStopped, nextRequeueAt, startNextItem } from "../progress.ts";
import { areRolloutsDone } from "../rollout/rollouts.ts";
import { awaitApproval } from "./await-approval.ts";
import { refusePlan, refuseStalePlan } from "./refuse-plan.ts";

export function executePlan(observed: Observed): Decision {
  const { stored, spec } = observed;
  if (spec.action !== "Apply") return enterDrafting(observed, { message: phaseMessages.started });
  if (!isPinned(observed, stored.planHash ?? "")) return awaitApproval(observed);
  return runPlan(markExecuting(observed));
}

/** Marks the generation as executed. An approval during the execution counts for the running plan, not for a later one. */
function markExecuting(observed: Observed): Observed {
  return { ...observed, stored: { ...observed.stored, executedGeneration: observed.generation } };
}

function runPlan(observed: Observed): Decision {
  const { spec, now, planCheck } = observed;
  if (isTampered(planCheck)) return refusePlan(observed, planCheck);
  const isStale = observed.items.some(({ item, isStale }) => item.state === "Pending" && isStale);
  if (isStale && !isLockBypassed(spec)) return refuseStalePlan(observed);
  if (revertedTargets(observed.items).length > 0) return refuseStalePlan(observed);
  if (planCheck.kind === "differs") return refusePlan(observed, planCheck);
  const { items, failure } = advanceItems(observed.items, spec, now);
  if (observed.items.some(({ item }) => isOpen(item))) return continueExecution(observed, items, failure);
  return (
    nextExecutionStep(observed, items, failure) ??
    (mayFinish(observed, items) ? completePlan(observed, items) : waitForPools(observed, items))
  );
}

/** Reports whether the plan may end. A plan with errors ends immediately. Its unfinished rollouts stay recorded. */
function mayFinish(observed: Observed, items: readonly Item[]): boolean {
  return areRolloutsDone(observed) || items.some(({ state }) => state === "Failed");
}

/** Waits for rollouts of earlier plans after all items of this plan are done. */
function waitForPools(observed: Observed, items: readonly Item[]): Decision {
  const atMs = nextRequeueAt(items, observed.spec, observed.now);
  return enterPhase(observed, "InProgress", { set: { items }, requeue: { when: "at", atMs } });
}

/** Decides how to continue. The plan ends in a later reconcile, which first checks all items for drift. */
function continueExecution(observed: Observed, items: readonly Item[], failure?: ItemFailure): Decision {
  const { items: next } = startNextItem(items, observed.items, observed.now);
  return (
    nextExecutionStep(observed, items, failure) ??
    enterPhase(observed, "InProgress", { set: { items: next }, requeue: { when: "at-once" } })
  );
}

function nextExecutionStep(observed: Observed, items: readonly Item[], failure?: ItemFailure): Decision | undefined {
  const { spec, now, stored } = observed;
  if (isPlanStopped(spec.failurePolicy, items)) return failPlan(observed, items, failure);
  const before = items.find(isWriteOpen);
  const { items: next } = startNextItem(items, observed.items, now);
  const set = { items: next };
  if (before !== undefined) {
    const onRecord =
      isOnRecord(stored, before) && observed.planCheck.kind === "intact"
        ? { effect: { kind: "execute", item: before } as const }
        : {};
    return enterPhase(observed, "InProgress", { set, requeue: { when: "at-once" }, ...onRecord });
  }
  if (next.some(isWriteOpen)) return enterPhase(observed, "InProgress", { set, requeue: { when: "at-once" } });
  if (next.some(isOpen)) {
    return enterPhase(observed, "InProgress", { set, requeue: { when: "at", atMs: nextRequeueAt(next, spec, now) } });
  }
  return undefined;
}

/** Reports whether the approval and the intent to write were stored before this reconcile. Otherwise, nothing may be applied. */
function isOnRecord(stored: Status, item: Item): boolean {
  return (
    stored.phase === "InProgress" && stored.items?.some((one) => one.name === item.name && isWriteOpen(one)) === true
  );
}

function isOpen({ state }: Item): boolean {
  return state === "Pending" || state === "InProgress";
}

function failPlan(observed: Observed, items: readonly Item[], failure?: ItemFailure): Decision {
  const item = items.find(({ state }) => state === "Failed");
  const why = failure?.why ?? item?.message ?? "";
  const message = `Item '${failure?.item ?? item?.name ?? ""}' failed: ${why}`;
  return enterPhase(observed, "Failed", { message, set: { items }, requeue: { when: "on-change" } });
}

/** Completes the plan. The verified targets become the new reference. A deleted target cannot be verified. */
function completePlan(observed: Observed, items: readonly Item[]): Decision {
  const verified = items.map((item) => {
    const seen = observed.items.find((one) => one.item.name === item.name);
    return seen === undefined || seen.isGone === true ? item : { ...item, reviewed: seen.current };
  });
  const hasFailed = items.some(({ state }) => state === "Failed");
  const set = {
    items: verified,
    inputs: recordAppliedInputs(observed.stored.inputs ?? [], observed.inputs, hasFailed),
    sourceSnapshotHash: observed.snapshotHash,
  };
  const again = { when: "at-once" } as const; // the next reconcile checks inputs, drift, recovery and version
  if (hasFailed)
    return enterPhase(observed, "CompletedWithErrors", { set, requeue: again, ...unconvergedPools(observed) });
  const drifted = observed.items.filter(({ drift }) => drift !== undefined);
  if (drifted.length > 0) return enterPhase(observed, "Drifted", { message: driftText(drifted), set, requeue: again });
  const isAdopted =
    conditionIs(observed.stored, "UpgradeAvailable", "True") &&
    observed.stored.operatorVersion === observed.operator.version;
  return enterPhase(observed, "Completed", {
    message: "All items applied successfully",
    set,
    side: isAdopted ? [upgradeConditions.applied] : [],
    requeue: again,
    ...unconvergedPools(observed),
  });
}

/** The result of a write. After `unavailable`, the state of the object is unknown. */
export type ItemResult =
  | { readonly kind: "confirmed"; readonly tookOver?: readonly Conflict[] }
  | { readonly kind: "stale" }
  | { readonly kind: "rejected"; readonly message: string } // after several attempts
  | { readonly kind: "blocked"; readonly message: string }
  | { readonly kind: "edited" } // the config changed during the reconcile
  | { readonly kind: "unavailable"; readonly message: string; readonly retryInMs?: number };

/** Returns the decision that replaces the original one after its effect. */
export function recordItemResult(observed: Observed, item: Item, done: ItemResult): Decision {
  switch (done.kind) {
    case "confirmed": {
      const awaitsReport = observed.items.some((one) => one.item.name === item.name && one.awaitsReport === true);
      return continueExecution(...withItem(observed, confirmItem(item, observed.now, awaitsReport)));
    }
    case "rejected": {
      const verb = item.operation === "Delete" ? "delete" : "apply";
      const message = `Failed to ${verb}: ${done.message}`;
      const failure = { item: item.name, why: done.message };
      return continueExecution(...withItem(observed, withState(item, "Failed", message, observed.now)), failure);
    }
    case "stale":
      return refuseStalePlan(markExecuting(observed));
    case "blocked":
      return enterPrerequisiteFailed(markExecuting(observed), done.message);
    case "edited":
      return { status: observed.stored, requeue: { when: "at-once" } };
    case "unavailable": {
      const { message, retryInMs } = done;
      return {
        status: observed.stored,
        requeue: { when: "retry", message, ...(retryInMs !== undefined && { retryInMs }) },
      };
    }
  }
}

/** Replaces an item. Also updates all other items, so that all of them are from the same time. */
function withItem(observed: Observed, item: Item): [Observed, readonly Item[]] {
  const { items } = advanceItems(observed.items, observed.spec, observed.now);
  return [markExecuting(observed), items.map((other) => (other.name === item.name ? item : other))];
}
