// The interface to a cluster. Expected outcomes are values.

import type { Conflict, KubeObject, ObjectMeta, Ref } from "@virt/api";

export type { Conflict, KubeObject, ObjectMeta, Ref };

export type Outcome =
  | { readonly kind: "done"; readonly live?: KubeObject } // absent after a removal
  | { readonly kind: "conflict"; readonly conflicts: readonly BareConflict[] } // owned by other managers
  | { readonly kind: "stale" } // not the reviewed object
  | { readonly kind: "rejected"; readonly reason: string; readonly message: string } // a retry gets the same answer
  | { readonly kind: "missing"; readonly what: "kind" | "namespace" } // must exist before the object can be created
  // Says nothing about the object.
  | { readonly kind: "unavailable"; readonly message: string; readonly retryInMs?: number };

/** Its conflicts include the operation and time of the other manager. */
export type DryRunOutcome =
  | Exclude<Outcome, { kind: "conflict" }>
  | { readonly kind: "conflict"; readonly conflicts: readonly Conflict[] };

/** `absent`: the object does not exist, a success for removals. */
export type WriteResult = Outcome | { readonly kind: "absent" };

/** As reported by the API server, without operation and time. */
export type BareConflict = Pick<Conflict, "field" | "manager">;

/** Without a resourceVersion, only the uid must match. "absent" never overwrites another client's object. */
export type ExpectedVersion = { readonly uid: string; readonly resourceVersion?: string } | "absent" | "anything";

export type Write = { readonly manager: string; readonly force: boolean; readonly expect: ExpectedVersion };

/** Bound to one reconcile and its AbortSignal. */
export type Cluster = {
  readonly dryRunApply: (desired: KubeObject, write: Write) => Promise<DryRunOutcome>;
  readonly apply: (desired: KubeObject, write: Write) => Promise<Outcome>;
  readonly remove: (target: Ref, write: Write) => Promise<Outcome>;
};

/** With `name`, watches one object. */
export type InformerSpec = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly labelSelector?: string;
  readonly projection: Projection;
};

/**
 * `parts` keeps paths of keys, such as `["status", "capacity"]`, plus identity and deletion, but nothing else that a
 * creator could make large. `members` keeps only the members, without the resourceVersion, for thousands of objects
 * that are only read.
 */
export type Projection =
  | { readonly keep: "all" }
  | { readonly keep: "metadata" }
  | { readonly keep: "parts"; readonly parts: readonly (readonly string[])[] }
  | { readonly keep: "members"; readonly members: readonly ProjectionMember[] };

/**
 * A path of keys or key patterns. `beginsNot` matches keys with none of the prefixes. `among` selects list elements by
 * their value for `key`. `atMost` ends a path and replaces a larger value by `overLimit`.
 */
export type ProjectionMember = readonly (
  | string
  | { readonly begins: string }
  | { readonly contains: string }
  | { readonly beginsNot: readonly string[] }
  | { readonly among: readonly string[]; readonly key: string }
  | { readonly atMost: number }
)[];
