// Snapshots of the managed fields of a plan's targets, to detect changes since the review.

import type { KubeObject, Ref } from "@virt/api";
import { at, type Json, type JsonMap } from "../json/json.ts";

/** `live` is undefined if the object does not exist. */
export type SnapshotTarget = {
  readonly ref: Ref;
  readonly live: KubeObject | undefined;
  readonly managedFields: readonly string[]; // dotted
};

/** Returns the values by target. The digest of the result is the snapshot hash. */
export function snapshotTargets(targets: readonly SnapshotTarget[]): JsonMap {
  return Object.fromEntries(
    targets.map(({ ref, live, managedFields }) => [targetKey(ref), managedValues(live, managedFields)]),
  );
}

/** Returns `<group>/<version>/<Kind>/<namespace>/<name>`. The core group is empty, and the namespace is optional. */
export function targetKey({ apiVersion, kind, namespace, name }: Ref): string {
  const groupVersion = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
  return [groupVersion, kind, ...(namespace ? [namespace] : []), name].join("/");
}

/** Returns the values that exist. Without managed fields, returns the whole spec. */
export function managedValues(live: KubeObject | undefined, managedFields: readonly string[]): Json {
  if (live === undefined) return { __state: "NOT_FOUND" };
  const fields = managedFields.length === 0 ? ["spec"] : managedFields;
  const values = fields.map((field) => [field, at(live, ...field.split(".").filter((name) => name !== ""))] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}
