// What is to be done with one object, and why.

import type { KubeObject } from "@virt/api";
import type { Bucket, Change, Path } from "@virt/engine";
import type { Contested } from "./contested.ts";
import type { PauseRecord } from "./state.ts";

/** Why an object is applied: it is absent, what is wanted of it changed, or it drifted. */
export type Cause = "create" | "intent" | "drift";

/** An apply that is due once the server has confirmed it. */
export type ApplyDecision = {
  readonly cause: Cause;
  readonly object: KubeObject;
  /** The object without our memory. */
  readonly intent: KubeObject;
  /** The same without the user's patch, if there is one. */
  readonly unpatched?: UnpatchedApply;
  /** Fields that another holder must take first, so that their values stay. */
  readonly handOver: readonly Path[];
  /** Members that must be removed first, because the apply would leave their map empty. */
  readonly removals: readonly Path[];
  readonly contested: readonly Contested[];
  readonly changes: readonly Change[];
  readonly opponents: readonly string[];
  readonly done: SettledDecision;
};

export type UnpatchedApply = { readonly intent: KubeObject; readonly removals: readonly Path[] };

export type AdoptedField = Change & { readonly managers: readonly string[] };

/** What is done with it beside the values: worth telling once it succeeded. */
export type SettledDecision = {
  /** Operations of a patch that was not in force before; 0: none. */
  readonly patched: number;
  /** Fields that are let go because people or a plan ask for it. */
  readonly released: readonly Path[];
  /** Fields that others held with another value and that we take because people said so. */
  readonly adopted: readonly AdoptedField[];
  /** Somebody ended a pause. */
  readonly isResumed: boolean;
};

/** Nothing is written to it. */
export type HeldDecision = {
  readonly kind: "held";
  readonly reason: string;
  readonly message: string;
  /** What others did to it meanwhile: told, not corrected. */
  readonly changes?: readonly Change[];
  readonly opponents?: readonly string[];
  /** The server may say something else then. */
  readonly inMs?: number;
};

/** What is to be done with an object. `inMs`: when it is worth deciding again, absent where an event will say so. */
export type ObjectDecision =
  | { readonly kind: "managed-by-other"; readonly by: string }
  | { readonly kind: "unmanaged" }
  | { readonly kind: "paused"; readonly reason: "edit-war" | "manual" }
  /** Somebody deletes it again and again: it is not made again before this time has passed. */
  | { readonly kind: "deletion-fight"; readonly inMs: number; readonly count: number }
  | HeldDecision
  | { readonly kind: "contested"; readonly contested: readonly Contested[] }
  | { readonly kind: "in-sync"; readonly contested: readonly Contested[]; readonly intent: KubeObject }
  /** As we applied it, but for what admission makes of it. */
  | {
      readonly kind: "mutated";
      readonly changes: readonly Change[];
      readonly contested: readonly Contested[];
      readonly inMs: number;
    }
  | { readonly kind: "not-there" } // and not ours to create
  | { readonly kind: "apply"; readonly apply: ApplyDecision; readonly bucket: Bucket; readonly skipsDryRun: boolean }
  | { readonly kind: "wait"; readonly why: "throttled" | "fight"; readonly inMs: number }
  | { readonly kind: "pause"; readonly paused: PauseRecord; readonly state: string; readonly bucket: Bucket };
