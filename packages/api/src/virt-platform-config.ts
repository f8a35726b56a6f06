// A VirtPlatformConfig: what a person asks for, and what the advisor reports. The CRD's enums are generated from the lists here.

import type { Guards, Impact, PoolDisruption } from "./impact.ts";
import type { Conflict, JsonMap, KubeObject, ObjectMeta, Ref } from "./object.ts";
import type { RolloutStatus } from "./rollout.ts";

/** A config is in exactly one; none before its first reconcile. */
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
/** How far a config is. */
export type Phase = (typeof phases)[number];

/** What a person asks for: a plan to review, its execution, or neither. */
export const actions = ["DryRun", "Apply", "Ignore"] as const;
/** What a person asks for. */
export type Action = (typeof actions)[number];

/** After a failed item: end the plan, or go on with items that do not depend on it. */
export const failurePolicies = ["Abort", "Continue"] as const;
/** What happens to the rest of a plan when an item fails. */
export type FailurePolicy = (typeof failurePolicies)[number];

/** From the mildest to the worst. */
export const severities = ["Low", "Medium", "High"] as const;
/** How much an item can disturb. */
export type Severity = (typeof severities)[number];

/** What an item does to its target. */
export const operations = ["Apply", "Delete"] as const;
/** What an item does to its target. */
export type Operation = (typeof operations)[number];

/** `InProgress` from the intent to write until the rollout is done. */
export const itemStates = ["Pending", "InProgress", "Completed", "Failed"] as const;
/** How far an item is. */
export type ItemState = (typeof itemStates)[number];

/** Why a plan waits for a person; all but `Requested` withhold something that was asked for. */
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
/** Why a plan waits for a review. */
export type ReviewReason = (typeof reviewReasons)[number];

/** Phase conditions in the order in which they are written. One is True; Drifted also beside InProgress, CompletedWithErrors and Failed. */
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
/** Condition types beside the one of the phase. */
export type SideCondition = (typeof sideConditions)[number];

/** For tools: kstatus, Argo CD, Flux. */
export const toolConditions = ["Ready", "Reconciling", "Stalled"] as const;
/** Condition types that tools read. */
export type ToolCondition = (typeof toolConditions)[number];

/** As it is stored. No status before the first reconcile. */
export type VirtPlatformConfig = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: Spec;
  readonly status?: Status;
};

/** The API server has filled in the defaults. */
export type Spec = {
  readonly profile: string;
  readonly action: Action;
  readonly failurePolicy: FailurePolicy;
  readonly bypassOptimisticLock: boolean;
  /** A Go duration; absent: no limit. */
  readonly waitTimeout?: string;
  readonly approvedPlan?: string;
  readonly guards?: Guards;
  /** By the options key of the profile. */
  readonly options?: Readonly<Record<string, JsonMap>>;
};

/** What the advisor reports. Absent members: not known in this phase. */
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
  /** What the plan's own MachineConfigs do to each pool, by pool; pools to which nothing happens are left out. Part of the plan. */
  readonly disruption?: readonly PoolDisruption[];
  /** An observation beside the plan, and no part of it. */
  readonly impact?: Impact;
  /** Warnings that depend on the plans of other configs, while this one waits for a review. No part of the plan. */
  readonly warnings?: readonly string[];
  readonly rollout?: RolloutStatus;
  /** `4/12 nodes`, of the pools that roll, with `stuck: ` before it while Stalled is True; absent while none rolls. */
  readonly progress?: string;
  readonly inputs?: readonly InputRecord[];
  readonly items?: readonly Item[];
  readonly rollouts?: readonly PendingRollout[];
  /** Only while the config is ignored, as of the last edit or start of the advisor. */
  readonly leftBehind?: readonly LeftBehind[];
  readonly conditions?: readonly Condition[];
};

/** The plan on display. */
export type Review = {
  readonly planHash: string;
  readonly generation: number;
  readonly forced: boolean;
  readonly reason: ReviewReason;
  /** What gave the reason, where the reason alone does not tell. */
  readonly message?: string;
};

/** `used` when the plan was drafted, `applied` by the last plan that was finished. */
export type InputRecord = { readonly name: string; readonly used?: string; readonly applied?: string };

/** One object of a plan: what is applied or deleted, as it was reviewed, and how far it is. */
export type Item = {
  readonly name: string;
  readonly operation: Operation;
  readonly targetRef: Ref;
  readonly impactSeverity: Severity;
  /** Whether the plan changes the target. An item that changes nothing is not applied. */
  readonly changes: boolean;
  readonly diff: string;
  /** Absent for Delete. */
  readonly desiredState?: KubeObject;
  readonly managedFields?: readonly string[];
  readonly conflicts?: readonly Conflict[];
  readonly warnings?: readonly string[];
  /** The item that must be Completed before this one is begun. */
  readonly waitsFor?: string;
  readonly state: ItemState;
  readonly message: string;
  readonly lastTransitionTime?: string;
  readonly reviewed?: Reviewed;
  /** Hash of the target's managed fields when the plan was drafted; part of the plan's hash. */
  readonly sourceHash?: string;
  /** When the API server confirmed the write of this plan; absent until then. */
  readonly appliedTime?: string;
  readonly rollout?: Rollout;
  readonly corrections?: readonly string[];
};

/** The target as it was reviewed; uid and resourceVersion are empty for one that was absent. */
export type Reviewed = { readonly uid: string; readonly resourceVersion: string; readonly hash: string };

/** When the write began, and what each pool aimed at before it. */
export type Rollout = {
  readonly startTime: string;
  readonly before: readonly { readonly pool: string; readonly configuration: string }[];
};

/** A rollout that a write of this config set in motion and that is not done, whatever the plan is now. */
export type PendingRollout = Rollout & { readonly machineConfig: string };

/** An object that an earlier plan applied and that still has fields of ours, although no config manages it. */
export type LeftBehind = Ref & {
  /** When the advisor last applied it. */
  readonly appliedTime?: string;
  /** True if the advisor may not read it: then nobody knows whether it is there. */
  readonly unread?: boolean;
};

/** As `metav1.Condition`. */
export type Condition = {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
};
