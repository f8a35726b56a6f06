// What is to be done with one object, and why.

import type { KubeObject } from "@virt/api";
import type { Bucket, Change, Path } from "@virt/engine";
import type { Contested } from "./contested.ts";
import type { Paused } from "./state.ts";

export type Cause = "create" | "intent" | "drift";

/** An apply that is due once the server has confirmed it. */
export type Apply = {
  readonly cause: Cause;
  readonly object: KubeObject;
  /** The object without our memory. */
  readonly intent: KubeObject;
  /** The same without the person's patch, where there is one. */
  readonly unpatched?: KubeObject;
  /** Fields that another holder must take first, so that their values stay. */
  readonly handOver: readonly Path[];
  readonly contested: readonly Contested[];
  readonly changes: readonly Change[];
  readonly opponents: readonly string[];
  readonly done: Done;
};

/** What is done with it beside the values: worth telling once it succeeded. */
export type Done = {
  /** Operations of a patch that was not in force before; 0: none. */
  readonly patched: number;
  /** Fields that are let go because people or a plan ask for it. */
  readonly released: readonly Path[];
  /** Somebody ended a pause. */
  readonly isResumed: boolean;
};

/** Nothing is written to it. */
export type Held = {
  readonly kind: "held";
  readonly reason: string;
  readonly message: string;
  /** What others did to it meanwhile: told, not corrected. */
  readonly changes?: readonly Change[];
  readonly opponents?: readonly string[];
  /** The server may say something else then. */
  readonly inMs?: number;
};

export type Verdict =
  | { readonly kind: "managed-by-other"; readonly by: string }
  | { readonly kind: "unmanaged" }
  | { readonly kind: "paused"; readonly reason: "edit-war" | "manual" }
  /** Somebody deletes it again and again: it is not made again before this time has passed. */
  | { readonly kind: "deletion-fight"; readonly inMs: number; readonly count: number }
  | Held
  | { readonly kind: "contested"; readonly contested: readonly Contested[] }
  | { readonly kind: "in-sync"; readonly contested: readonly Contested[]; readonly intent: KubeObject }
  | { readonly kind: "not-there" } // and not ours to create
  | { readonly kind: "apply"; readonly apply: Apply; readonly bucket: Bucket; readonly skipsDryRun: boolean }
  | { readonly kind: "wait"; readonly why: "throttled" | "fight"; readonly inMs: number }
  | { readonly kind: "pause"; readonly paused: Paused; readonly state: string; readonly bucket: Bucket };
