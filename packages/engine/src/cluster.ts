// What the pure packages need from a cluster: three verbs, whose answers are values.

import type { Conflict, KubeObject, ObjectMeta, Ref } from "@virt/api";

export type { Conflict, KubeObject, ObjectMeta, Ref };

export type Outcome =
  | { readonly kind: "done"; readonly live?: KubeObject } // absent after a removal
  | { readonly kind: "conflict"; readonly conflicts: readonly Conflict[] } // others own these fields, and force was not given
  | { readonly kind: "stale" } // not the object that was reviewed
  | { readonly kind: "rejected"; readonly reason: string; readonly message: string } // it will say so again tomorrow
  | { readonly kind: "missing"; readonly what: "kind" | "namespace" } // must be there before the object can be
  | { readonly kind: "unavailable"; readonly message: string; readonly retryInMs?: number }; // says nothing about the object

/**
 * What must still be true of the object; without a version only that it is the same one. "absent" sends no force, so a
 * creation never runs over somebody else's.
 */
export type Expect = { readonly uid: string; readonly resourceVersion?: string } | "absent" | "anything";

export type Write = { readonly manager: string; readonly force: boolean; readonly expect: Expect };

// Made per pass and bound to its AbortSignal.
export type Cluster = {
  readonly predict: (desired: KubeObject, write: Write) => Promise<Outcome>; // server-side apply, dry run
  readonly apply: (desired: KubeObject, write: Write) => Promise<Outcome>;
  readonly remove: (target: Ref, write: Write) => Promise<Outcome>;
};
