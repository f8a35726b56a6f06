// What the pure packages need from a cluster: three verbs, whose answers are values.

import type { Conflict, KubeObject, ObjectMeta, Ref } from "@virt/api";

export type { Conflict, KubeObject, ObjectMeta, Ref };

/** What became of a write. */
export type Outcome =
  | { readonly kind: "done"; readonly live?: KubeObject } // absent after a removal
  | { readonly kind: "conflict"; readonly conflicts: readonly BareConflict[] } // others own these fields, and force was not given
  | { readonly kind: "stale" } // not the object that was reviewed
  | { readonly kind: "rejected"; readonly reason: string; readonly message: string } // it will say so again tomorrow
  | { readonly kind: "missing"; readonly what: "kind" | "namespace" } // must be there before the object can be
  | { readonly kind: "unavailable"; readonly message: string; readonly retryInMs?: number }; // says nothing about the object

/** The outcome of a dry run. Its conflicts are shown to people, so they say how and when the other manager set the field. */
export type DryRunOutcome =
  | Exclude<Outcome, { kind: "conflict" }>
  | { readonly kind: "conflict"; readonly conflicts: readonly Conflict[] };

/** What a write can say. `absent`: there is no such object, which for a removal is success. */
export type WriteResult = Outcome | { readonly kind: "absent" };

/** A conflict as the API server answers it. How and when the other manager set the field is in the live object alone. */
export type BareConflict = Pick<Conflict, "field" | "manager">;

/**
 * What must still be true of the object; without a version only that it is the same one. "absent" sends no force, so a
 * creation never runs over somebody else's.
 */
export type ExpectedVersion = { readonly uid: string; readonly resourceVersion?: string } | "absent" | "anything";

/** Who writes, and what must still be true of the object. */
export type Write = { readonly manager: string; readonly force: boolean; readonly expect: ExpectedVersion };

/** The port to a cluster, made per reconcile and bound to its AbortSignal. Expected outcomes are values. */
export type Cluster = {
  readonly dryRunApply: (desired: KubeObject, write: Write) => Promise<DryRunOutcome>; // server-side apply, dry run
  readonly apply: (desired: KubeObject, write: Write) => Promise<Outcome>;
  readonly remove: (target: Ref, write: Write) => Promise<Outcome>;
};

/** What an informer watches: a kind, or with a name one object of it, and what is kept of each object. */
export type InformerSpec = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly labelSelector?: string;
  readonly projection: Projection;
};

/**
 * Parts are paths of keys, such as `["status", "capacity"]`; identity and deletion are kept beside them, and nothing that
 * whoever makes an object can make large. Members are kept alone, not even with a version: for thousands of objects that
 * nobody writes.
 */
export type Projection =
  | { readonly keep: "all" }
  | { readonly keep: "metadata" }
  | { readonly keep: "parts"; readonly parts: readonly (readonly string[])[] }
  | { readonly keep: "members"; readonly members: readonly ProjectionMember[] };

/**
 * A path of keys, or of what they are like; `beginsNot`: they begin with none of these. `among` leads on into those elements of a list
 * that have one of the texts under the key. `atMost` ends a path: a value of more bytes is replaced by `overLimit`.
 */
export type ProjectionMember = readonly (
  | string
  | { readonly begins: string }
  | { readonly contains: string }
  | { readonly beginsNot: readonly string[] }
  | { readonly among: readonly string[]; readonly key: string }
  | { readonly atMost: number }
)[];
