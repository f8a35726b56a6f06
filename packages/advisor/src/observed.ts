// What one reconcile knows about a VirtPlatformConfig when it decides, and what a decision is.

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
import type { Health } from "@virt/engine";
import type { MachineConfigWrite } from "@virt/impact";
import type { PlanCheck } from "./check-plan.ts";
import type { OperatorFacts, StatusOrigin } from "./facts.ts";
import type { ObservedRollout } from "./rollouts.ts";
import type { PoolPlan } from "./shared-pools.ts";
import type { TargetProblem } from "./target-problem.ts";

/** What one reconcile knows about a config when it decides. Made by `observe`, for `transition`. */
export type Observed = {
  /** Milliseconds. */
  readonly now: number;
  readonly operator: OperatorFacts;
  readonly generation: number;
  readonly spec: Spec;
  /** The status as it is stored; empty before the first reconcile. */
  readonly stored: Status;
  /** What the profile can do at worst, while there is no plan. */
  readonly impact: Severity;
  /** Why nothing can be planned here. `missing` is something that a plan needs in any phase. */
  readonly blocked?: {
    readonly kind: "missing" | "other";
    readonly message: string;
    /** What a person does about it, where that is more than to provide what is missing. */
    readonly next?: string;
  };
  readonly inputs: readonly ObservedInput[];
  /** The stored items beside their targets. */
  readonly items: readonly ObservedItem[];
  /** Rollouts of this config's own writes that were not done at the last reconcile. */
  readonly rollouts: readonly ObservedRollout[];
  /** Of all targets as they are now. */
  readonly snapshotHash: string;
  readonly statusOrigin: StatusOrigin;
  /** The plan would do something else to a pool than what is on display: another pool inherits it, or a policy changed. */
  readonly isDisruptionStale: boolean;
  /** What the stored plan would do, assessed in this reconcile; undefined: it is not assessed, or not yet. */
  readonly impactNow?: Impact;
  /** Of a plan that waits or runs. */
  readonly planCheck: PlanCheck;
  /** Open plans of other configs that reboot nodes. */
  readonly otherPlans?: readonly PoolPlan[];
  /** What earlier plans of an ignored config left in place; undefined: not read, the stored list stays. */
  readonly leftBehind?: readonly LeftBehind[];
  /** Made when `wantsDraft` asks for it. */
  readonly draft?: Draft;
  /** How this version would plan, compared with the stored plan of another one. */
  readonly upgrade?: "same" | "differs" | "aligned"; // aligned: differs, and the cluster is as it would make it
};

export type ObservedInput = InputRecord & {
  /** Undefined: cannot be read, which is no change. */
  readonly now: string | undefined;
  /** What the plan makes of it. */
  readonly planned?: string;
  /** From what was in force to what is there now, as a sentence. */
  readonly moved: string;
  /** The same, shorter and with the source's full name: `HyperConverged parallelMigrationsPerCluster changed 5 → 10`. */
  readonly change: string;
};

export type ObservedItem = {
  readonly item: Item;
  /** The target is not any more what was reviewed. */
  readonly isStale: boolean;
  /** The target is as the item makes it. */
  readonly isInPlace: boolean;
  /** Another client deleted the target that this plan applied. */
  readonly isGone?: boolean;
  /** Not as desired: in memory, and by a forced dry run. Undefined: in sync. */
  readonly drift?: Drift;
  /** Reported by the target's operator. */
  readonly problem?: TargetProblem;
  /** The target's operator may report a problem: a confirmed write alone does not complete the item. */
  readonly awaitsReport?: boolean;
  /** Of the pools that roll a MachineConfig out; undefined where nothing is rolled out. */
  readonly rollout?: Health;
  /** Names of the nodes that may run VMs and do not have the MachineConfig in force; undefined: not known. */
  readonly nodesWithout?: readonly string[];
  /** Of a MachineConfig: the refusal that keeps the operator from reading which nodes have it. */
  readonly nodesRefusal?: string;
  /** The pools that it concerns, and what each aims at now. */
  readonly pools: readonly { readonly pool: string; readonly configuration: string }[];
  /** The target as it is now. */
  readonly current: Reviewed;
  /** The item's message once it is completed and in sync. */
  readonly inSyncMessage: string;
};

/** How a completed item differs from its target, as a dry run confirmed it. */
export type Drift = {
  /** `created-again`: what the plan deleted is back. `mutated`: admission keeps what is applied from being stored. */
  readonly kind: "changed" | "deleted" | "created-again" | "mutated";
  /** Dotted fields. */
  readonly fields: readonly string[];
  /** `field (desired -> live)`, for people. */
  readonly changes: readonly string[];
  readonly managers: readonly string[];
  readonly diff: string;
  readonly conflicts: readonly Conflict[];
};

/**
 * A plan as it would be stored, or why there is none: `blocked` until something is provided, `rejected` by the API server for good,
 * `unavailable` for now.
 */
export type Draft =
  | {
      readonly kind: "drafted";
      /** Pending all of them, with `changes` and `reviewed`. */
      readonly items: readonly Item[];
      readonly planHash: string;
      readonly snapshotHash: string;
      readonly impact: Severity;
      readonly disruption: readonly PoolDisruption[];
      /** The MachineConfigs that it changes, as they are and as they will be: what the disruption follows from. */
      readonly writes: readonly MachineConfigWrite[];
      readonly specHash: string;
      readonly inputs: readonly InputRecord[];
      /** Rollouts of items that change nothing, by item: they may still be on their way. */
      readonly rollouts: Readonly<Record<string, Health>>;
      /** What each target's pools aim at, by item. */
      readonly pools: Readonly<Record<string, ObservedItem["pools"]>>;
    }
  | { readonly kind: "blocked"; readonly message: string }
  | { readonly kind: "rejected"; readonly message: string }
  | { readonly kind: "unavailable"; readonly message: string; readonly retryInMs?: number };

/** One thing to do to a target, with what was reviewed. */
export type Effect = { readonly kind: "execute"; readonly item: Item };

/** When to reconcile the config again. A `retry` decides nothing: the stored status stays. */
export type Requeue =
  | { readonly when: "on-change" } // and after ten minutes
  | { readonly when: "at-once" }
  | { readonly when: "at"; readonly atMs: number }
  | { readonly when: "retry"; readonly message: string; readonly retryInMs?: number };

/** `status` is written before anything else follows. `effect` is applied in this reconcile; its result goes to `recordItemResult`. */
export type Decision = { readonly status: Status; readonly effect?: Effect; readonly requeue: Requeue };
