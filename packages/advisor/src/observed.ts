// What one pass knows about a VirtPlatformConfig when it decides, and what a decision is.

import type { Conflict, InputRecord, Item, Reviewed, Severity, Spec, Status } from "@virt/api";
import type { Health } from "@virt/engine";

export type Observed = {
  /** Milliseconds. */
  readonly now: number;
  readonly operator: { readonly version: string; readonly mustPin: boolean };
  readonly generation: number;
  readonly spec: Spec;
  /** As it is stored; empty for a config that nobody looked at yet. */
  readonly was: Status;
  /** What the profile can do at worst, while there is no plan. */
  readonly impact: Severity;
  /** Why nothing can be planned here. `missing` is something that a plan needs in any phase. */
  readonly blocked?: { readonly kind: "missing" | "other"; readonly message: string };
  readonly inputs: readonly InputSeen[];
  /** The stored items beside their targets. */
  readonly items: readonly ItemSeen[];
  /** Of all targets as they are now. */
  readonly snapshotHash: string;
  /** Made when `wantsDraft` asks for it. */
  readonly draft?: Draft;
  /** How this version would plan, compared with the stored plan of another one. */
  readonly upgrade?: "same" | "differs" | "aligned"; // aligned: differs, and the cluster looks as it would make it
};

export type InputSeen = InputRecord & {
  /** Undefined: cannot be read, which is no change. */
  readonly now: string | undefined;
  /** What the plan makes of it. */
  readonly planned?: string;
  /** From what was in force to what is there now, as a sentence. */
  readonly moved: string;
};

export type ItemSeen = {
  readonly item: Item;
  /** The target is not any more what was reviewed. */
  readonly isStale: boolean;
  /** Not as desired: in memory, and by a forced dry run. Undefined: in sync. */
  readonly drift?: Drift;
  /** Of the pools that roll a MachineConfig out; undefined where nothing is rolled out. */
  readonly rollout?: Health;
  /** The pools that it concerns, and what each aims at now. */
  readonly pools: readonly { readonly pool: string; readonly configuration: string }[];
  /** The target as it is now. */
  readonly current: Reviewed;
  /** What the item says once it is completed and in sync. */
  readonly restingMessage: string;
};

export type Drift = {
  /** Dotted fields. */
  readonly fields: readonly string[];
  /** `field (desired -> live)`, for people. */
  readonly changes: readonly string[];
  readonly managers: readonly string[];
  readonly diff: string;
  readonly conflicts: readonly Conflict[];
};

export type Draft =
  | {
      readonly kind: "drafted";
      /** Pending all of them, with `changes` and `reviewed`. */
      readonly items: readonly Item[];
      readonly planHash: string;
      readonly snapshotHash: string;
      readonly impact: Severity;
      readonly specHash: string;
      readonly inputs: readonly InputRecord[];
      /** Rollouts of items that change nothing, by item: they may still be on their way. */
      readonly rollouts: Readonly<Record<string, Health>>;
      /** What each target's pools aim at, by item. */
      readonly pools: Readonly<Record<string, ItemSeen["pools"]>>;
    }
  | { readonly kind: "blocked"; readonly message: string }
  | { readonly kind: "rejected"; readonly message: string }
  | { readonly kind: "unavailable"; readonly message: string; readonly retryInMs?: number };

/** One thing to do to a target, with what was reviewed. */
export type Effect = { readonly kind: "execute"; readonly item: Item };

export type Again =
  | { readonly when: "on-change" } // and in ten minutes, or what the phase says
  | { readonly when: "at-once" }
  | { readonly when: "at"; readonly atMs: number }
  | { readonly when: "retry"; readonly message: string; readonly retryInMs?: number };

export type Decision = { readonly status: Status; readonly effect?: Effect; readonly again: Again };
