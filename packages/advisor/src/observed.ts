import type {
  Conflict,
  Impact,
  InputRecord,
  Item,
  LeftBehind,
  PoolDisruption,
  Reviewed,
  Severity,
  Spec,
  Status,
} from "@virt/api";
import type { Health } from "@virt/cluster";
import type { MachineConfigWrite } from "@virt/impact";
import type { PlanCheck } from "./check-plan.ts";
import type { OperatorFacts, StatusOrigin } from "./facts.ts";
import type { ObservedRollout } from "./rollout/rollouts.ts";
import type { PoolPlan } from "./shared-pools.ts";
import type { TargetProblem } from "./target-problem.ts";

/** The input of `transition`. `observe` derives it from the facts. */
export type Observed = {
  /** Milliseconds. */
  readonly now: number;
  readonly operator: OperatorFacts;
  readonly generation: number;
  readonly spec: Spec;
  /** Empty before the first reconcile. */
  readonly stored: Status;
  /** The worst impact of the profile, used without a plan. */
  readonly impact: Severity;
  /** The reason why no plan can be drafted. `missing` also blocks a plan in later phases. */
  readonly blocked?: {
    readonly kind: "missing" | "other";
    readonly message: string;
    /** The next step, if it is not enough to provide the missing prerequisite. */
    readonly next?: string;
  };
  readonly inputs: readonly ObservedInput[];
  readonly items: readonly ObservedItem[];
  /** Rollouts of writes of this config that were unfinished at the last reconcile. */
  readonly rollouts: readonly ObservedRollout[];
  readonly snapshotHash: string;
  readonly statusOrigin: StatusOrigin;
  /** True if the plan now disrupts pools differently than shown, because pools or policies changed. */
  readonly isDisruptionStale: boolean;
  /** The impact of the stored plan, from this reconcile. Absent if not assessed yet. */
  readonly impactNow?: Impact;
  /** `unchecked` unless the plan waits or runs. */
  readonly planCheck: PlanCheck;
  readonly otherPlans?: readonly PoolPlan[];
  /** Absent if not read. The stored list is then kept. */
  readonly leftBehind?: readonly LeftBehind[];
  /** Present if `wantsDraft` requests it. */
  readonly draft?: Draft;
  /** The plan of this version compared with the stored one. `aligned`: differs, but the cluster already matches. */
  readonly upgrade?: "same" | "differs" | "aligned";
};

export type ObservedInput = InputRecord & {
  /** Undefined if it cannot be read. This does not count as a change. */
  readonly now: string | undefined;
  /** The value that the plan gives it. */
  readonly planned?: string;
  /** The change as a sentence. */
  readonly moved: string;
  /** The change in short form: `HyperConverged parallelMigrationsPerCluster changed 5 → 10`. */
  readonly change: string;
};

export type ObservedItem = {
  readonly item: Item;
  /** True if the target changed since the review. */
  readonly isStale: boolean;
  readonly isInPlace: boolean;
  /** True if another client deleted the target that this plan applied. */
  readonly isGone?: boolean;
  /** Confirmed by a forced dry run. Absent if in sync. */
  readonly drift?: Drift;
  readonly problem?: TargetProblem;
  /** True if the target's operator may report a problem. A confirmed write then does not complete the item. */
  readonly awaitsReport?: boolean;
  /** Absent if no rollout is in progress. */
  readonly rollout?: Health;
  /** Nodes for VMs that do not run the MachineConfig yet. Absent if unknown. */
  readonly nodesWithout?: readonly string[];
  /** Set if the API server refuses to list nodes. */
  readonly nodesRefusal?: string;
  /** The affected pools and their target configurations. */
  readonly pools: readonly { readonly pool: string; readonly configuration: string }[];
  readonly current: Reviewed;
  /** The message of the completed item while it is in sync. */
  readonly inSyncMessage: string;
};

/** The difference between an applied item and its live object. */
export type Drift = {
  /** `created-again`: a deleted object is back. `mutated`: admission changes the applied content. */
  readonly kind: "changed" | "deleted" | "created-again" | "mutated";
  /** Field paths with dots. */
  readonly fields: readonly string[];
  /** `field (desired -> live)`, for display. */
  readonly changes: readonly string[];
  readonly managers: readonly string[];
  readonly diff: string;
  readonly conflicts: readonly Conflict[];
};

/** A draft, or why it failed. `blocked`: a prerequisite is missing. `rejected`: permanent. `unavailable`: retryable. */
export type Draft =
  | {
      readonly kind: "drafted";
      readonly items: readonly Item[];
      readonly planHash: string;
      readonly snapshotHash: string;
      readonly impact: Severity;
      readonly disruption: readonly PoolDisruption[];
      /** The changed MachineConfigs, from which the disruption is derived. */
      readonly writes: readonly MachineConfigWrite[];
      readonly specHash: string;
      readonly inputs: readonly InputRecord[];
      readonly rollouts: Readonly<Record<string, Health>>;
      readonly pools: Readonly<Record<string, ObservedItem["pools"]>>;
    }
  | { readonly kind: "blocked"; readonly message: string }
  | { readonly kind: "rejected"; readonly message: string }
  | { readonly kind: "unavailable"; readonly message: string; readonly retryInMs?: number };

/** The write that a decision asks for. A decision has at most one. */
export type Effect = { readonly kind: "execute"; readonly item: Item };

/** The time of the next reconcile. `retry` keeps the stored status. */
export type Requeue =
  | { readonly when: "on-change" } // also after 10 minutes
  | { readonly when: "at-once" }
  | { readonly when: "at"; readonly atMs: number }
  | { readonly when: "retry"; readonly message: string; readonly retryInMs?: number };

/** The operator first writes `status`, then applies `effect` and passes its result to `recordItemResult`. */
export type Decision = { readonly status: Status; readonly effect?: Effect; readonly requeue: Requeue };
