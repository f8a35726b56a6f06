// The public API of the advisor core.

export { approverOf, isLockBypassed } from "./approval.ts";
export type { ObservedAutopilot } from "./autopilot-targets.ts";
export { type ComparedItem, changesMachineConfigs, composeDraft } from "./compose-draft.ts";
export { isSilent, pendingStatus } from "./conditions/pending.ts";
export { conditionIs, conditionOf, withRetryingCondition } from "./conditions/status-conditions.ts";
export { deletableKinds } from "./deletable-kinds.ts";
export { admissionChanges, type DriftSuspect, findDriftSuspects, mutationRecheckMs } from "./drift.ts";
export type { Drifts, ReconcileFacts, StatusOrigin } from "./facts.ts";
export { type LiveTargets, withLiveTargets } from "./facts.ts";
export { isStale, reviewedNow } from "./hashes.ts";
export { movedSinceApplied, movedSinceDrafted, targetsOfMovedInputs } from "./inputs.ts";
export { isApplied, isMachineConfig, isSkipped, isWriteOpen, rolesIn } from "./items.ts";
export {
  type LeftBehindParts,
  leftBehindText,
  listLeftBehind,
  partLeftBehind,
  possibleTargets,
  wantsLeftBehind,
} from "./left-behind.ts";
export { blockingFinding, type NextStep, type NextStepKind, nextStepOf, nextStepText } from "./next-step.ts";
export { observe } from "./observe.ts";
export type { Decision, Draft, Drift, Effect, Observed, Requeue } from "./observed.ts";
export { hasPlanBegun, isPlanGuarded, isPlanOpen } from "./phases.ts";
export { findBlocker, missingNamespaceText, optionsOf, plannedItems } from "./plan.ts";
export { findNamedPlan, isPlanNamed, shortHash } from "./plan-names.ts";
export type { DryRunResult, PlanInput, PlannedItem } from "./profile.ts";
export {
  type AnyProfileFacts,
  type CrdRequirement,
  defineProfile,
  type OptionsInput,
  type OptionsRefusal,
  type Profile,
  type ProfileTarget,
} from "./profile.ts";
export { type DiagnosedRollout, publishStatus } from "./publish-status.ts";
export {
  besideHco,
  type KernelFact,
  kernelArguments,
  type LookupFact,
  lookup,
  namespace,
  nodes,
  type ObjectsRead,
  type ProfileFactOf,
  type ProfileFacts,
  type ProfileHcoFact,
  type ProfileRead,
  type ProfileReads,
  pools,
  target,
  type VmNodesFact,
  vmNodes,
} from "./reads.ts";
export {
  type RecordedDecision,
  type Rejection,
  readRejection,
  recordedApprover,
  writeDecision,
} from "./recorded-decision.ts";
export { rolloutChanges } from "./rollout/rollout-changes.ts";
export { isRolloutOpen, rolloutProblem, rolloutTarget } from "./rollout/rollouts.ts";
export { otherPoolPlans, poolPlansOf } from "./shared-pools.ts";
export { type ItemResult, recordItemResult } from "./stages/execute.ts";
export { restoreStatus } from "./stages/refuse-plan.ts";
export { type EventContext, eventsForStatusChange } from "./status-events.ts";
export type { TargetProblem } from "./target-problem.ts";
export { shiftTimes } from "./times.ts";
export { transition, wantsDraft } from "./transition.ts";
