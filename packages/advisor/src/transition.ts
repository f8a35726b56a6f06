// Decides the next status of a config. Handles Ignore and spec edits first, then the stage of the phase. Does no I/O.

import { type Phase, phases } from "@virt/api";
import { equalJson } from "@virt/objects";
import { isPlanStale, mayExecute } from "./approval.ts";
import { phaseMessages } from "./conditions/phase.ts";
import { enterDrafting, enterPhase, enterPrerequisiteFailed } from "./enter-phase.ts";
import { specHash } from "./hashes.ts";
import { movedSinceApplied, movedSinceDrafted } from "./inputs.ts";
import { worstImpact } from "./items.ts";
import type { Decision, Observed } from "./observed.ts";
import { needsServedKinds } from "./phases.ts";
import { isPlanNamed } from "./plan-names.ts";
import { updateCompleted } from "./progress.ts";
import { areRolloutsDone } from "./rollout/rollouts.ts";
import { awaitApproval } from "./stages/await-approval.ts";
import { executePlan } from "./stages/execute.ts";
import { guardPlan } from "./stages/guard.ts";
import { toReviewStatus } from "./stages/review-status.ts";

/**
 * Returns the next decision. It applies an item only if the stored status already records the intent. See
 * example.test.ts for a complete run.
 */
export function transition(observed: Observed): Decision {
  const before = handleIgnoreAndEdits(observed);
  if (before.kind === "decided") return before.decision;
  return stages[before.phase](observed);
}

const startDrafting = (observed: Observed) => enterDrafting(observed, { message: phaseMessages.started });

// One stage for each phase. A phase without a stage does not compile.
const stages: Readonly<Record<Phase, (observed: Observed) => Decision>> = {
  Pending: startDrafting,
  Ignored: startDrafting,
  Drafting: toReviewStatus,
  PrerequisiteFailed: awaitPrerequisites,
  ReviewRequired: awaitApproval,
  InProgress: executePlan,
  Completed: guardPlan,
  CompletedWithErrors: guardPlan,
  CompletedWithUpgrade: guardPlan,
  Drifted: guardPlan,
  Failed: requeueIdle,
};

function awaitPrerequisites(observed: Observed): Decision {
  if (observed.blocked === undefined) return enterDrafting(observed, { message: "Prerequisites now available" });
  return enterPrerequisiteFailed(observed, observed.blocked.message);
}

/** Requeues a failed plan. It stays Failed until the user edits the spec, but its applied items still report drift. */
function requeueIdle(observed: Observed): Decision {
  const items = observed.items.map(updateCompleted);
  return enterPhase(observed, "Failed", { set: { items }, requeue: { when: "on-change" } });
}

type EditHandlingResult =
  | { readonly kind: "decided"; readonly decision: Decision }
  | { readonly kind: "stage"; readonly phase: Phase };

function handleIgnoreAndEdits(observed: Observed): EditHandlingResult {
  const { stored, spec, generation } = observed;
  if (spec.action === "Ignore") return decided(enterIgnored(observed));
  const phase = phases.find((known) => known === stored.phase);
  if (phase === "Ignored") return decided(enterDrafting(observed, { message: phaseMessages.resumed }));
  if (phase === undefined)
    return decided(
      enterDrafting(observed, {
        message: stored.phase === undefined ? phaseMessages.started : phaseMessages.unknownPhase,
      }),
    );
  const isEdited = stored.observedGeneration !== generation;
  if (isEdited && !isApprovalOnly(observed, phase) && phase !== "Drafting")
    return decided(enterDrafting(observed, { message: editMessage(observed, phase) }));
  if (needsServedKinds(phase) && observed.blocked?.kind === "missing")
    return decided(enterPrerequisiteFailed(observed, observed.blocked.message));
  return { kind: "stage", phase };
}

const decided = (decision: Decision): EditHandlingResult => ({ kind: "decided", decision });

function enterIgnored(observed: Observed): Decision {
  const { stored, impact, leftBehind = stored.leftBehind ?? [] } = observed;
  const set = {
    impactSeverity: worstImpact(stored.items ?? [], impact),
    executedGeneration: undefined,
    leftBehind: leftBehind.length === 0 ? undefined : leftBehind,
  };
  return enterPhase(observed, "Ignored", { set, requeue: { when: "on-change" } });
}

/** Reports whether the edit only requests the execution of the existing plan, which needs no new draft. */
function isApprovalOnly({ spec, stored }: Observed, phase: Phase): boolean {
  if (spec.action !== "Apply" || specHash(spec) !== stored.specHash) return false;
  if (phase === "ReviewRequired") return true;
  return (
    phase === "InProgress" && (spec.approvedPlan === undefined || isPlanNamed(spec.approvedPlan, stored.planHash ?? ""))
  );
}

function editMessage({ spec, stored }: Observed, phase: Phase): string {
  if (phase === "Failed" || phase === "PrerequisiteFailed") return "Retrying after spec change";
  if (phase === "Drifted") return "Regenerating after spec change";
  if (phase === "CompletedWithUpgrade") return "User regenerating plan to adopt operator upgrade";
  const isFinished = phase === "Completed" || phase === "CompletedWithErrors";
  const hasOptions = equalJson(spec.options ?? {}, stored.appliedOptions ?? {});
  return isFinished && !hasOptions ? "Options changed - regenerating plan" : "Spec changed - regenerating plan";
}

/** Reports whether `transition` needs `observed.draft`. Call this first, because a draft requires requests. */
export function wantsDraft(observed: Observed): boolean {
  const before = handleIgnoreAndEdits(observed);
  if (before.kind === "decided" || observed.blocked !== undefined) return false;
  switch (before.phase) {
    case "Drafting":
      return true;
    case "ReviewRequired":
      return (
        movedSinceDrafted(observed.inputs).length === 0 && (observed.statusOrigin !== "own" || isOutdated(observed))
      );
    case "CompletedWithUpgrade":
      return observed.upgrade === "aligned" && movedSinceApplied(observed.inputs).length === 0;
    case "Pending":
    case "PrerequisiteFailed":
    case "InProgress":
    case "Completed":
    case "CompletedWithErrors":
    case "Failed":
    case "Drifted":
    case "Ignored":
      return false;
  }
}

/** Reports whether a plan that is not approved has stale targets, or has no changes and nothing to wait for. */
function isOutdated(observed: Observed): boolean {
  const { items, stored } = observed;
  if (mayExecute(observed, stored.planHash ?? "")) return false;
  const isIdle =
    areRolloutsDone(observed) &&
    items.every(({ item, rollout }) => !item.changes && (rollout?.state ?? "done") === "done");
  return isIdle || isPlanStale(observed);
}
