// The words that a VirtPlatformConfig may say; the CRD's enums are generated from these lists.

export const phases = [
  "Pending",
  "Drafting",
  "PrerequisiteFailed",
  "ReviewRequired",
  "InProgress",
  "Completed",
  "CompletedWithErrors",
  "CompletedWithUpgrade",
  "Failed",
  "Drifted",
  "Ignored",
] as const;
export type Phase = (typeof phases)[number];

export const actions = ["DryRun", "Apply", "Ignore"] as const;
export type Action = (typeof actions)[number];

export const failurePolicies = ["Abort", "Continue"] as const;
export type FailurePolicy = (typeof failurePolicies)[number];

/** From the mildest to the worst. */
export const severities = ["Low", "Medium", "High"] as const;
export type Severity = (typeof severities)[number];

export const operations = ["Apply", "Delete"] as const;
export type Operation = (typeof operations)[number];

export const itemStates = ["Pending", "InProgress", "Completed", "Failed"] as const;
export type ItemState = (typeof itemStates)[number];

/** Why a plan waits for a person; all but `Requested` withhold something that was asked for. */
export const reviewReasons = [
  "InputChanged",
  "OperatorUpgraded",
  "PlanStale",
  "ApprovalRequired",
  "NotRequested",
  "Requested",
] as const;
export type ReviewReason = (typeof reviewReasons)[number];

/** Phase conditions in the order in which they are written; exactly one is True. */
export const phaseConditions: readonly Phase[] = [
  "Ignored",
  "Drafting",
  "InProgress",
  "ReviewRequired",
  "Completed",
  "Drifted",
  "PrerequisiteFailed",
  "Failed",
  "Pending",
  "CompletedWithErrors",
  "CompletedWithUpgrade",
];

/** Written once they were ever set. */
export const sideConditions = ["InputDependencyDrift", "PlanStale", "UpgradeAvailable"] as const;
export type SideCondition = (typeof sideConditions)[number];

/** For tools: kstatus, Argo CD, Flux. */
export const toolConditions = ["Ready", "Reconciling", "Stalled"] as const;
export type ToolCondition = (typeof toolConditions)[number];
