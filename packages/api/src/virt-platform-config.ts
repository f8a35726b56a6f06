// The VirtPlatformConfig API. The enums of the CRD are generated from the lists here.

import type { Guards, Impact, PoolDisruption } from "./impact.ts";
import type { Conflict, JsonMap, KubeObject, ObjectMeta, Ref } from "./object.ts";
import type { RolloutStatus } from "./rollout.ts";

/** All phases of a config. */
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
/** The phase of a config. A config has none before its first reconcile. */
export type Phase = (typeof phases)[number];

/** All values of `spec.action`. */
export const actions = ["DryRun", "Apply", "Ignore"] as const;
/** The action that the user requests in `spec.action`. */
export type Action = (typeof actions)[number];

/** How to continue after a failed item. `Abort` skips the remaining items. `Continue` applies those that do not depend on it. */
export const failurePolicies = ["Abort", "Continue"] as const;
/** The reaction to a failed item: stop the plan, or continue with the other items. */
export type FailurePolicy = (typeof failurePolicies)[number];

/** Impact severities, from mildest to worst. */
export const severities = ["Low", "Medium", "High"] as const;
/** A plan's impact item. A plan's impact is the worst of its items. */
export type Severity = (typeof severities)[number];

/** All operations of a plan item. */
export const operations = ["Apply", "Delete"] as const;
/** The action that a plan item performs on its target. */
export type Operation = (typeof operations)[number];

/** States of a plan item. It is `InProgress` from just before its write until its rollout is done. */
export const itemStates = ["Pending", "InProgress", "Completed", "Failed"] as const;
/** The state of a plan item. `Completed` includes the rollout to the nodes. */
export type ItemState = (typeof itemStates)[number];

/** Reasons for a review. Only `Requested` means that the user requested it. */
export const reviewReasons = [
  "InputChanged",
  "OperatorUpgraded",
  "PlanStale",
  "PlanTampered",
  "ApprovalRequired",
  "PolicyNotInForce",
  "Guarded",
  "ManagedByAutopilot",
  "NotRequested",
  "Requested",
] as const;
/** Why a plan needs a review. */
export type ReviewReason = (typeof reviewReasons)[number];

/**
 * The phase conditions, in the order of `status.conditions`. Exactly one of them is True, but Drifted can be True in
 * addition.
 */
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

/** Conditions that are independent of the phase. They are absent until they first become True. */
export const sideConditions = ["InputDependencyDrift", "PlanStale", "UpgradeAvailable"] as const;
/** A condition type that is independent of the phase. */
export type SideCondition = (typeof sideConditions)[number];

/** Conditions for tools such as kstatus, Argo CD and Flux. */
export const toolConditions = ["Ready", "Reconciling", "Stalled"] as const;
/** A condition type for generic tools such as kstatus and Argo CD. */
export type ToolCondition = (typeof toolConditions)[number];

/** A VirtPlatformConfig. `status` is absent before the first reconcile. */
export type VirtPlatformConfig = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: Spec;
  readonly status?: Status;
};

/** `spec`, after the API server has set the defaults. */
export type Spec = {
  readonly profile: string;
  readonly action: Action;
  readonly failurePolicy: FailurePolicy;
  readonly bypassOptimisticLock: boolean;
  /** The time limit as a Go duration. Absent means no limit. */
  readonly waitTimeout?: string;
  readonly approvedPlan?: string;
  readonly guards?: Guards;
  readonly options?: Readonly<Record<string, JsonMap>>;
};

/** `status`. Fields that do not apply to the phase are absent. */
export type Status = {
  readonly phase?: Phase;
  readonly impactSeverity?: Severity;
  readonly observedGeneration?: number;
  readonly executedGeneration?: number;
  readonly specHash?: string;
  readonly planHash?: string;
  readonly sourceSnapshotHash?: string;
  readonly operatorVersion?: string;
  readonly appliedOptions?: Readonly<Record<string, JsonMap>>;
  readonly review?: Review;
  /** The effect of the plan's own MachineConfigs, without unaffected pools. Covered by the plan hash. */
  readonly disruption?: readonly PoolDisruption[];
  /** Not covered by the plan hash. */
  readonly impact?: Impact;
  /** Warnings that depend on the plans of other configs. Present only during a review, and not covered by the plan hash. */
  readonly warnings?: readonly string[];
  readonly rollout?: RolloutStatus;
  /** Such as `4/12 nodes`, or `stuck: 4/12 nodes` while Stalled is True. Absent if no pool is rolling out. */
  readonly progress?: string;
  readonly inputs?: readonly InputRecord[];
  readonly items?: readonly Item[];
  readonly rollouts?: readonly PendingRollout[];
  /** Present only while the config is ignored. Updated after each edit and each start of the advisor. */
  readonly leftBehind?: readonly LeftBehind[];
  readonly conditions?: readonly Condition[];
};

/** The review that a plan requires, and why. */
export type Review = {
  readonly planHash: string;
  readonly generation: number;
  readonly forced: boolean;
  readonly reason: ReviewReason;
  /** Details, if the reason alone is not sufficient. */
  readonly message?: string;
};

/** An input of a plan. `used` is its value when the plan was drafted, `applied` its value in the last completed plan. */
export type InputRecord = { readonly name: string; readonly used?: string; readonly applied?: string };

/** The change that a plan makes to one object, and its progress. */
export type Item = {
  readonly name: string;
  readonly operation: Operation;
  readonly targetRef: Ref;
  readonly impactSeverity: Severity;
  /** True if the item changes its target. Otherwise, the advisor does not apply it. */
  readonly changes: boolean;
  readonly diff: string;
  readonly desiredState?: KubeObject;
  readonly managedFields?: readonly string[];
  readonly conflicts?: readonly Conflict[];
  readonly warnings?: readonly string[];
  /** The item that must be Completed before this one starts. */
  readonly waitsFor?: string;
  readonly state: ItemState;
  readonly message: string;
  readonly lastTransitionTime?: string;
  readonly reviewed?: Reviewed;
  /** The hash of the target's managed fields when the plan was drafted. Covered by the plan hash. */
  readonly sourceHash?: string;
  /** When the API server confirmed the write. */
  readonly appliedTime?: string;
  readonly rollout?: Rollout;
  readonly corrections?: readonly string[];
};

/** The target at the time of the review. `uid` and `resourceVersion` are empty if it did not exist. */
export type Reviewed = { readonly uid: string; readonly resourceVersion: string; readonly hash: string };

/** A rollout: when its write started, and the target config of each pool before the write. */
export type Rollout = {
  readonly startTime: string;
  readonly before: readonly { readonly pool: string; readonly configuration: string }[];
};

/** An unfinished rollout that a write of this config started, in this or an earlier plan. */
export type PendingRollout = Rollout & { readonly machineConfig: string };

/** An object that an earlier plan applied and that no config manages now. The advisor still owns some of its fields. */
export type LeftBehind = Ref & {
  /** When the advisor last applied the object. */
  readonly appliedTime?: string;
  /** True if the advisor is not allowed to read the object, so it is unknown whether it exists. */
  readonly unread?: boolean;
};

/** A condition as in `metav1`. `lastTransitionTime` is in RFC 3339 and changes only with `status`. */
export type Condition = {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
};
