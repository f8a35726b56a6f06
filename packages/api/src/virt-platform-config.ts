// A VirtPlatformConfig: what a person asks for, and what the advisor says about it.

import type { Conflict, JsonMap, KubeObject, ObjectMeta, Ref } from "./object.ts";
import type { Action, FailurePolicy, ItemState, Operation, Phase, ReviewReason, Severity } from "./phase.ts";

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
  /** By the options key of the profile. */
  readonly options?: Readonly<Record<string, JsonMap>>;
};

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
  readonly inputs?: readonly InputRecord[];
  readonly items?: readonly Item[];
  readonly conditions?: readonly Condition[];
};

/** The plan on display. */
export type Review = {
  readonly planHash: string;
  readonly generation: number;
  readonly forced: boolean;
  readonly reason: ReviewReason;
};

/** `used` when the plan was drafted, `applied` by the last plan that was finished. */
export type InputRecord = { readonly name: string; readonly used?: string; readonly applied?: string };

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
  /** When the API server confirmed the write of this plan; absent until then. */
  readonly appliedTime?: string;
  readonly rollout?: Rollout;
  readonly corrections?: readonly string[];
};

/** The target as it was reviewed; uid and resourceVersion are empty for one that was absent. */
export type Reviewed = { readonly uid: string; readonly resourceVersion: string; readonly hash: string };

export type Rollout = {
  readonly startTime: string;
  readonly before: readonly { readonly pool: string; readonly configuration: string }[];
};

export type Condition = {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
};
