// The outcome of a write, and the next step for users if admission modifies what was written.

import type { Conflict, KubeObject } from "@virt/api";

/** The outcome of a write. Only `done` changed the object, but `unavailable` may have. */
export type Outcome =
  | { readonly kind: "done"; readonly live?: KubeObject } // absent after a removal
  | { readonly kind: "conflict"; readonly conflicts: readonly BareConflict[] } // owned by other managers
  | { readonly kind: "stale" } // not the reviewed object
  | { readonly kind: "rejected"; readonly reason: string; readonly message: string } // a retry gets the same response
  | { readonly kind: "missing"; readonly what: "kind" | "namespace" } // must exist before the object can be created
  // The state of the object is unknown.
  | { readonly kind: "unavailable"; readonly message: string; readonly retryInMs?: number };

/** Conflicts include the operation and time of the other manager. */
export type DryRunOutcome =
  | Exclude<Outcome, { kind: "conflict" }>
  | { readonly kind: "conflict"; readonly conflicts: readonly Conflict[] };

/** `absent`: the object does not exist, which is a success for removals. */
export type WriteResult = Outcome | { readonly kind: "absent" };

/** A conflict as the API server reports it, without operation and time. */
export type BareConflict = Pick<Conflict, "field" | "manager">;

/** Without a resourceVersion, only the uid has to match. "absent" never overwrites another client's object. */
export type ExpectedVersion = { readonly uid: string; readonly resourceVersion?: string } | "absent" | "anything";

/**
 * The field manager of a write and the state of the object that it expects. `force` takes over fields of other
 * managers.
 */
export type Write = { readonly manager: string; readonly force: boolean; readonly expect: ExpectedVersion };

/** Names two commands, because kubectl prints nothing if one of several kinds is not served. */
export const findMutator =
  "find the webhook or policy with: kubectl get mutatingwebhookconfigurations (or kubectl get mutatingadmissionpolicies, if the API server supports them)";
