import type {
  Conflict,
  Impact,
  InputRecord,
  Item,
  LeftBehind,
  PoolDisruption,
  Ref,
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
  readonly now: number;
  readonly operator: OperatorFacts;
  readonly generation: number;
  readonly spec: Spec;
  /** The stored status. Empty before the first reconcile. */
  readonly stored: Status;
  /** The highest impact that the profile can have. Used if there is no plan. */
  readonly impact: Severity;
  /** Why no plan can be drafted. `missing` also blocks plans in later phases. */
  readonly blocked?: {
    readonly kind: "missing" | "other";
    readonly message: string;
    /** The next step, if providing the missing prerequisite is not enough. */
    readonly next?: string;
  };
  readonly inputs: readonly ObservedInput[];
  readonly items: readonly ObservedItem[];
  /** Rollouts that writes of this config started, and that were unfinished at the last reconcile. */
  readonly rollouts: readonly ObservedRollout[];
  readonly snapshotHash: string;
  readonly statusOrigin: StatusOrigin;
  /** True if the plan would now disrupt pools differently than shown, because pools or policies changed. */
  readonly isDisruptionStale: boolean;
  /** When the state of virt-platform-autopilot changes without an event, in milliseconds. */
  readonly autopilotDueMs?: number;
  /** The impact of the stored plan, from this reconcile. Absent if not assessed yet. */
  readonly impactNow?: Impact;
  /** The result of the plan check. Always `unchecked` unless the plan is pending or running. */
  readonly planCheck: PlanCheck;
  readonly otherPlans?: readonly PoolPlan[];
  /** Absent if it was not read. The status then keeps its list. */
  readonly leftBehind?: readonly LeftBehind[];
  /** The draft, if `wantsDraft` requests one. */
  readonly draft?: Draft;
  /**
   * The comparison of this version's plan with the stored one. `aligned` means that they differ, but the cluster
   * already matches the new plan.
   */
  readonly upgrade?: "same" | "differs" | "aligned";
};

export type ObservedInput = InputRecord & {
  /** The current value. Undefined if it cannot be read, which does not count as a change. */
  readonly now: string | undefined;
  /** The value that the plan sets. */
  readonly planned?: string;
  readonly moved: string;
  /** The change in short form: `HyperConverged parallelMigrationsPerCluster changed 5 → 10`. */
  readonly change: string;
};

export type ObservedItem = {
  readonly item: Item;
  /** True if the target changed since the review. */
  readonly isStale: boolean;
  readonly isInPlace: boolean;
  /** True if virt-platform-autopilot is active and would revert the item. */
  readonly isReverted?: boolean;
  /** True if another client deleted the target that this plan applied. */
  readonly isGone?: boolean;
  /** The drift, confirmed by a forced dry run. Absent if the target is in sync. */
  readonly drift?: Drift;
  readonly problem?: TargetProblem;
  /** True if the target's operator can report problems. The item is then not complete right after its write. */
  readonly awaitsReport?: boolean;
  /** The state of the rollout. Absent if no rollout is in progress. */
  readonly rollout?: Health;
  /** The VM nodes that have not applied the MachineConfig yet. Absent if unknown. */
  readonly nodesWithout?: readonly string[];
  /** The error, if the operator is not allowed to list nodes. */
  readonly nodesRefusal?: string;
  /** The affected pools and their target configs. */
  readonly pools: readonly { readonly pool: string; readonly configuration: string }[];
  readonly current: Reviewed;
  /** The message of the completed item while its target is in sync. */
  readonly inSyncMessage: string;
};

/** The difference between an applied item and its live object. */
export type Drift = {
  /**
   * `created-again`: another client re-created the deleted object. `mutated`: admission changes the applied content.
   * `taken-over`: virt-platform-autopilot changed the content, and would change it again.
   */
  readonly kind: "changed" | "deleted" | "created-again" | "mutated" | "taken-over";
  /** The changed fields, as dotted paths. */
  readonly fields: readonly string[];
  /** The changes as `field (desired -> live)`, for display. */
  readonly changes: readonly string[];
  readonly managers: readonly string[];
  readonly diff: string;
  readonly conflicts: readonly Conflict[];
};

/**
 * A draft, or why it failed: `blocked` if a prerequisite is missing, `rejected` for a permanent error, `unavailable`
 * for a retryable one.
 */
export type Draft =
  | {
      readonly kind: "drafted";
      readonly items: readonly Item[];
      readonly planHash: string;
      readonly snapshotHash: string;
      readonly impact: Severity;
      readonly disruption: readonly PoolDisruption[];
      /** The MachineConfigs that the plan changes, from which the disruption is derived. */
      readonly writes: readonly MachineConfigWrite[];
      /** The targets of changes that virt-platform-autopilot would revert. */
      readonly reverted: readonly Ref[];
      readonly specHash: string;
      readonly inputs: readonly InputRecord[];
      readonly rollouts: Readonly<Record<string, Health>>;
      readonly pools: Readonly<Record<string, ObservedItem["pools"]>>;
    }
  | { readonly kind: "blocked"; readonly message: string }
  | { readonly kind: "rejected"; readonly message: string }
  | { readonly kind: "unavailable"; readonly message: string; readonly retryInMs?: number };

/** The write that a decision requests. A decision has at most one. */
export type Effect = { readonly kind: "execute"; readonly item: Item };

/** When to reconcile next. `retry` leaves the stored status unchanged. */
export type Requeue =
  | { readonly when: "on-change" } // also after 10 minutes
  | { readonly when: "at-once" }
  | { readonly when: "at"; readonly atMs: number }
  | { readonly when: "retry"; readonly message: string; readonly retryInMs?: number };

/** A decision. The operator first writes `status`, then executes `effect` and passes its result to `recordItemResult`. */
export type Decision = { readonly status: Status; readonly effect?: Effect; readonly requeue: Requeue };
