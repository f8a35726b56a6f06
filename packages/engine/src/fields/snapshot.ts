// What the targets of a plan look like in the fields it manages: the hash of this tells whether they moved since the review.

import type { KubeObject, Ref } from "../cluster.ts";
import { at, type Json, type JsonMap } from "../json/json.ts";

/** An object that a plan is about, as it is now; `live` is undefined where it does not exist. */
export type SnapshotTarget = {
  readonly ref: Ref;
  readonly live: KubeObject | undefined;
  readonly managedFields: readonly string[]; // dotted
};

/** One entry per target; its digest is the snapshot hash. */
export function snapshotTargets(targets: readonly SnapshotTarget[]): JsonMap {
  return Object.fromEntries(
    targets.map(({ ref, live, managedFields }) => [targetKey(ref), managedValues(live, managedFields)]),
  );
}

/** `<group>/<version>/<Kind>/<namespace>/<name>`; the core group is empty, a cluster-scoped object has no namespace. */
export function targetKey({ apiVersion, kind, namespace, name }: Ref): string {
  const groupVersion = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
  return [groupVersion, kind, ...(namespace ? [namespace] : []), name].join("/");
}

/** The values by dotted path, those that are there. Without managed fields: the whole spec. */
export function managedValues(live: KubeObject | undefined, managedFields: readonly string[]): Json {
  if (live === undefined) return { __state: "NOT_FOUND" };
  const fields = managedFields.length === 0 ? ["spec"] : managedFields;
  const values = fields.map((field) => [field, at(live, ...field.split(".").filter((name) => name !== ""))] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}
