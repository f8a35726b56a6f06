// The objects that an informer watches, and the parts of them that it keeps.

/** The watched objects. With `name`, a single object. */
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
 * their value for `key`. `atMost` ends a path and replaces a larger value with `overLimit`.
 */
export type ProjectionMember = readonly (
  | string
  | { readonly begins: string }
  | { readonly contains: string }
  | { readonly beginsNot: readonly string[] }
  | { readonly among: readonly string[]; readonly key: string }
  | { readonly atMost: number }
)[];
