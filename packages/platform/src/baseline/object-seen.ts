// What one pass knows about one managed object.

import type { Json, KubeObject, Ref } from "@virt/api";
import type { Bucket, Path, Pointer, ShapeOf } from "@virt/engine";
import type { Paused } from "./state.ts";

/** The render of one active asset. */
export type Part = { readonly asset: string; readonly object: KubeObject };

export type ObjectSeen = {
  /** Milliseconds. */
  readonly now: number;
  readonly ref: Ref;
  /** The merged renders of the active assets, without anything of ours. */
  readonly baseline: KubeObject;
  readonly parts: readonly Part[];
  readonly adoption: "whole" | "fieldwise";
  /** False: only others create it. */
  readonly mayCreate: boolean;
  readonly shapeOf: ShapeOf;
  readonly defaultOf: (path: Path) => Json | undefined;
  readonly live: KubeObject | undefined;
  /** Fields that a plan is in charge of, where the object is yielded field by field. */
  readonly governed: readonly Path[];
  /** Assets that are switched off and whose fields go with them. */
  readonly pruned: readonly string[];
  readonly memory: ObjectMemory;
  /** Pointers of people in terms of the version that is served. */
  readonly translate?: (pointers: readonly Pointer[]) => readonly Pointer[];
};

/** What the process remembers of an object. All of it may be lost. */
export type ObjectMemory = {
  /** The server's last answer to an apply, or the live object that served as one. */
  readonly answer?: KubeObject;
  /** What was last sent, without our memory. */
  readonly sent?: KubeObject;
  readonly bucket: Bucket;
  /** A pause that could not be written yet: corrections stop all the same. */
  readonly unwrittenPause?: Paused;
  /** It existed when it was last seen: if it is gone now, somebody deleted it. */
  readonly wasThere: boolean;
  /** When deletions by others were undone, in milliseconds. */
  readonly recreated?: readonly number[];
  readonly refused?: Refused;
};

/** A patched intent that the server refuses, while it would take the one without the patch. */
export type Refused = {
  readonly intent: KubeObject;
  /** Of the schema that it was refused by. */
  readonly shapeOf: ShapeOf;
  /** The server's. */
  readonly message: string;
  /** Milliseconds. */
  readonly askAgainAt: number;
};
