// The VirtPlatformConfig API. The enums of the CRD are generated from the lists here.

import type { Guards, Impact, PoolDisruption } from "./impact.ts";
import type { Conflict, JsonMap, KubeObject, ObjectMeta, Ref } from "./object.ts";
import type { RolloutStatus } from "./rollout.ts";

/** All phases of a config. The CRD lists the same values. */
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

/** All values of `spec.action`. The CRD lists the same values. */
export const actions = ["DryRun", "Apply", "Ignore"] as const;
/** The action that the user requests in `spec.action`. */
export type Action = (typeof actions)[number];

/** After a failed item: `Abort` skips the remaining items, `Continue` applies those that do not depend on it. */
export const failurePolicies = ["Abort", "Continue"] as const;
/** The reaction to a failed item: stop the plan, or continue with the other items. */
export type FailurePolicy = (typeof failurePolicies)[number];

/** From the mildest to the worst. */
export const severities = ["Low", "Medium", "High"] as const;
/** The impact of a plan item. That of a plan is the worst of its items. */
export type Severity = (typeof severities)[number];

/** All operations of a plan item. */
export const operations = ["Apply", "Delete"] as const;
/** The operation of a plan item on its target. */
export type Operation = (typeof operations)[number];

/** An item is `InProgress` from just before its write until its rollout is done. */
export const itemStates = ["Pending", "InProgress", "Completed", "Failed"] as const;
/** The state of a plan item. `Completed` includes the rollout to the nodes. */
export type ItemState = (typeof itemStates)[number];

/** Only `Requested` means that the user asked for the review. */
export const reviewReasons = [
  "InputChanged",
  "OperatorUpgraded",
  "PlanStale",
  "PlanTampered",
  "ApprovalRequired",
  "PolicyNotInForce",
  "Guarded",
  "NotRequested",
  "Requested",
] as const;
/** The reason why a plan needs a review. */
export type ReviewReason = (typeof reviewReasons)[number];

/** In the order of `status.conditions`. Exactly one is True, except that Drifted can also be True. */
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

/** Absent until they are first True. */
export const sideConditions = ["InputDependencyDrift", "PlanStale", "UpgradeAvailable"] as const;
/** A condition type that is independent of the phase. */
export type SideCondition = (typeof sideConditions)[number];

/** Conditions for tools such as kstatus, Argo CD and Flux. */
export const toolConditions = ["Ready", "Reconciling", "Stalled"] as const;
/** A condition type for generic tools such as kstatus and Argo CD. */
export type ToolCondition = (typeof toolConditions)[number];

/** The stored object. `status` is absent before the first reconcile. */
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
  /** A Go duration. Absent: no limit. */
  readonly waitTimeout?: string;
  readonly approvedPlan?: string;
  readonly guards?: Guards;
  /** Keyed by the options key of the profile. */
  readonly options?: Readonly<Record<string, JsonMap>>;
};

/** Members that do not apply to the phase are absent. */
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
  /** The effect of the plan's own MachineConfigs. Omits unaffected pools. Part of the plan's hash. */
  readonly disruption?: readonly PoolDisruption[];
  /** Not part of the plan's hash. */
  readonly impact?: Impact;
  /** These depend on the plans of other configs. Present only during a review, and not part of the plan's hash. */
  readonly warnings?: readonly string[];
  readonly rollout?: RolloutStatus;
  /** Such as `4/12 nodes`, or `stuck: 4/12 nodes` while Stalled is True. Absent if no pool is rolling out. */
  readonly progress?: string;
  readonly inputs?: readonly InputRecord[];
  readonly items?: readonly Item[];
  readonly rollouts?: readonly PendingRollout[];
  /** Present only while the config is ignored. Read after each edit and after each start of the advisor. */
  readonly leftBehind?: readonly LeftBehind[];
  readonly conditions?: readonly Condition[];
};

/** The required review and its reason. */
export type Review = {
  readonly planHash: string;
  readonly generation: number;
  readonly forced: boolean;
  readonly reason: ReviewReason;
  /** Details of the reason, if the reason alone is not sufficient. */
  readonly message?: string;
};

/** `used`: the value when the plan was drafted. `applied`: the value in the last completed plan. */
export type InputRecord = { readonly name: string; readonly used?: string; readonly applied?: string };

/** The change that a plan makes to one object, and its progress. */
export type Item = {
  readonly name: string;
  readonly operation: Operation;
  readonly targetRef: Ref;
  readonly impactSeverity: Severity;
  /** True if the plan changes the target. Otherwise, the advisor does not apply the item. */
  readonly changes: boolean;
  readonly diff: string;
  /** Absent for Delete. */
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
  /** Hash of the target's managed fields at the time of the draft. Part of the plan's hash. */
  readonly sourceHash?: string;
  /** The time at which the API server confirmed the write. Absent until then. */
  readonly appliedTime?: string;
  readonly rollout?: Rollout;
  readonly corrections?: readonly string[];
};

/** The target at the time of the review. uid and resourceVersion are empty if it did not exist. */
export type Reviewed = { readonly uid: string; readonly resourceVersion: string; readonly hash: string };

/** The start of the write, and the target configuration of each pool before it. */
export type Rollout = {
  readonly startTime: string;
  readonly before: readonly { readonly pool: string; readonly configuration: string }[];
};

/** An unfinished rollout that a write of this config started, regardless of the current plan. */
export type PendingRollout = Rollout & { readonly machineConfig: string };

/** An object that an earlier plan applied and that no config manages any longer. The advisor still owns some of its fields. */
export type LeftBehind = Ref & {
  /** The time of the advisor's last apply. */
  readonly appliedTime?: string;
  /** True if the advisor is not allowed to read the object, so that its presence is unknown. */
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
