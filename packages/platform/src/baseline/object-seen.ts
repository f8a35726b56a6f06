// What one pass knows about one managed object.

import type { Json, KubeObject, Ref } from "@virt/api";
import type { Bucket, Path, ShapeOf } from "@virt/engine";
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
  readonly memory: ObjectMemory;
};

/** What the process remembers of an object. All of it may be lost. */
export type ObjectMemory = {
  /** The server's last answer to an apply, or the live object that served as one. */
  readonly answer?: KubeObject;
  /** Digest of what was last sent. */
  readonly sent?: string;
  readonly bucket: Bucket;
  /** A pause that could not be written yet: corrections stop all the same. */
  readonly unwrittenPause?: Paused;
  /** When somebody's deletion of it was last undone. */
  readonly wasThere: boolean;
};
