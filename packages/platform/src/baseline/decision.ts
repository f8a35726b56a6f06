import type { KubeObject } from "@virt/api";
import type { Bucket, Change, Path } from "@virt/objects";
import type { Contested } from "./contested.ts";
import type { PauseRecord } from "./state.ts";

/** The reason for an apply: the object is absent, its intent changed or it drifted. */
export type Cause = "create" | "intent" | "drift";

/** An apply. Perform `handOver` and `removals` before it. */
export type ApplyDecision = {
  readonly cause: Cause;
  readonly object: KubeObject;
  /** The object without the operator's state annotation. */
  readonly intent: KubeObject;
  /** The intent without the user's patch. Absent if there is no patch. */
  readonly unpatched?: UnpatchedApply;
  /** Fields that another manager must own before the apply, to keep their values. */
  readonly handOver: readonly Path[];
  /** Members to remove first, because the apply would leave their map empty. */
  readonly removals: readonly Path[];
  readonly contested: readonly Contested[];
  readonly changes: readonly Change[];
  readonly opponents: readonly string[];
  readonly done: SettledDecision;
};

export type UnpatchedApply = { readonly intent: KubeObject; readonly removals: readonly Path[] };

export type AdoptedField = Change & { readonly managers: readonly string[] };

export type SettledDecision = {
  /** The number of operations in a new patch, or 0 if the patch did not change. */
  readonly patched: number;
  readonly released: readonly Path[];
  /** Fields that the operator takes over from other managers because the user requested it. */
  readonly adopted: readonly AdoptedField[];
  readonly isResumed: boolean;
};

/** The object is on hold: the operator does not write to it. */
export type HeldDecision = {
  readonly kind: "held";
  readonly reason: string;
  readonly message: string;
  /** Changes by other clients since the last write. They are reported, but not corrected. */
  readonly changes?: readonly Change[];
  readonly opponents?: readonly string[];
  /** The delay until the next attempt, because the server's response may change. */
  readonly inMs?: number;
};

/** The next action for an object. `inMs` is the delay until the next decision. Absent: an event triggers it. */
export type ObjectDecision =
  | { readonly kind: "managed-by-other"; readonly by: string }
  | { readonly kind: "unmanaged" }
  | { readonly kind: "paused"; readonly reason: "edit-war" | "manual" }
  /** Another client keeps deleting the object. The operator re-creates it only after this delay. */
  | { readonly kind: "deletion-fight"; readonly inMs: number; readonly count: number }
  | HeldDecision
  | { readonly kind: "contested"; readonly contested: readonly Contested[] }
  | { readonly kind: "in-sync"; readonly contested: readonly Contested[]; readonly intent: KubeObject }
  /** The object is in sync except for changes by admission. */
  | {
      readonly kind: "mutated";
      readonly changes: readonly Change[];
      readonly contested: readonly Contested[];
      readonly inMs: number;
    }
  | { readonly kind: "not-there" } // and the operator must not create it
  | { readonly kind: "apply"; readonly apply: ApplyDecision; readonly bucket: Bucket; readonly skipsDryRun: boolean }
  | { readonly kind: "wait"; readonly why: "throttled" | "fight"; readonly inMs: number }
  | { readonly kind: "pause"; readonly paused: PauseRecord; readonly state: string; readonly bucket: Bucket };
