// Shared code of the command line and the console: patches that record decisions, and views of what the advisor
// reports. It does no I/O and runs in a browser.

export {
  blockingFinding,
  findNamedPlan,
  hasPlanBegun,
  isPlanNamed,
  type NextStep,
  type NextStepKind,
  nextStepOf,
  nextStepText,
  type Rejection,
  readRejection,
  shortHash as planName,
} from "@virt/advisor";
export { type BlockerRemedy, blockerRemedies, durationText, findingRemedies, foreignText } from "@virt/impact";
export {
  type AdoptionProgress,
  type AdoptionQuery,
  type AdoptionView,
  type AdoptionViewRow,
  readAdoptionQuery,
} from "./adoption-view.ts";
export { type AssetStateRow, assetDetailLines, assetStateRows, fieldText } from "./asset-rows.ts";
export { gapText, isRolloutCurrent, noBlockerText, uncheckedText } from "./blocker-texts.ts";
export { type DiffHunk, type DiffLine, type ObjectDiff, readDiff } from "./diff-lines.ts";
export { driftDiff } from "./drift-diff.ts";
export {
  type DriftRow,
  driftedTargets,
  driftRows,
  isDrifted,
  type LiveTarget,
  type MovedInput,
  movedInputs,
} from "./drift-rows.ts";
export { type ExecutionSetting, executionSettings, executionText } from "./execution-settings.ts";
export type { FollowClock, FollowedSubject, KindTransport, OpenWatch, PageFailure } from "./follow-subject.ts";
export { followWatchedKind } from "./follow-watched-kind.ts";
export { installCommand } from "./install-command.ts";
export {
  approvalAttempts,
  approvalPatches,
  type ConfigOperation,
  type ConfigPatch,
  type Decider,
  ignorePatch,
  keptOptionsText,
  planPatches,
  rejectionPatch,
  rejectionText,
} from "./plan-patches.ts";
export {
  autopilotText,
  combinedStateText,
  type PlatformOperators,
  platformOperators,
} from "./platform-operators.ts";
export {
  leftBehindCount,
  leftBehindNotice,
  type ProfileRow,
  phaseWord,
  profileRow,
  profileRows,
  progressCount,
} from "./profile-rows.ts";
export { projectForPage } from "./project-for-page.ts";
export { type RollingPool, rollingPools, rollingPoolText, rolloutContinues } from "./rolling-pools.ts";
export { platformWritesOf, type RolloutCauseView } from "./rollout-causes.ts";
export {
  ageText,
  type CountVms,
  type ExpectedPool,
  expectedRollout,
  type FindingView,
  type NodeProgressView,
  type PoolProgressView,
  type RolloutProgressView,
  type StoppedVmView,
  secondsSince,
  unrenderedPools,
  viewFinding,
  viewRollout,
} from "./rollout-progress.ts";
export { Silence } from "./silence.ts";
export type { StreamLine } from "./stream-line.ts";
export {
  isTargetResource,
  isWatchedName,
  targetResource,
  type WatchedKind,
  type WatchedName,
  watchedKinds,
} from "./watched-kinds.ts";
