// Compares live, desired and predicted objects, ignoring differences in form where needed. Takes snapshots of managed
// fields.

import type { KubeObject, Ref } from "@virt/api";
import { readDurationSeconds, readQuantity } from "../encoding/api-scalars.ts";
import { type FieldSet, leavesOf } from "../fields/field-set.ts";
import { fieldElement, leafPaths, noSchema, type Path, valueAt, writeDotted } from "../fields/path.ts";
import { at, entriesOf, equalJson, isList, isMap, type Json, type JsonMap, member } from "../json/json.ts";

/** A field with its live and desired values. An absent value is undefined. */
export type Change = { readonly path: Path; readonly live?: Json; readonly desired?: Json };

/** Returns the owned fields that changed. A field that was removed counts as changed. */
export function ownedChanges(owned: FieldSet, answer: KubeObject, live: KubeObject): readonly Change[] {
  return leavesOf(owned).flatMap((path) => changeAt(path, valueAt(live, path), valueAt(answer, path)));
}

/**
 * Returns the fields whose live value differs from the desired one. Compares maps by field, lists as a whole, and
 * numbers by value.
 */
export function desiredChanges(desired: KubeObject, live: KubeObject): readonly Change[] {
  return leafPaths(desired, noSchema).flatMap((path) => changeAt(path, valueAt(live, path), valueAt(desired, path)));
}

/** Returns all changed fields, except those in the status and the object's identity. */
export function contentChanges(live: KubeObject, predicted: KubeObject): readonly Change[] {
  return changesBelow([], contentOf(live), contentOf(predicted));
}

function contentOf(object: KubeObject): JsonMap {
  const { status: _, ...rest } = object;
  const { labels, annotations } = object.metadata;
  return { ...rest, metadata: { labels: labels ?? {}, annotations: annotations ?? {} } };
}

function changesBelow(path: Path, live: Json | undefined, desired: Json | undefined): readonly Change[] {
  if (!isMap(live) || !isMap(desired)) return changeAt(path, live, desired);
  const keys = new Set([...entriesOf(live), ...entriesOf(desired)].map(([key]) => key));
  return [...keys].flatMap((key) =>
    changesBelow([...path, fieldElement(key)], member(live, key), member(desired, key)),
  );
}

function changeAt(path: Path, live: Json | undefined, desired: Json | undefined): readonly Change[] {
  if (equalJson(live, desired)) return [];
  return [{ path, ...(live === undefined ? {} : { live }), ...(desired === undefined ? {} : { desired }) }];
}

/** Returns a string such as `spec.mode ("Automatic" -> "Predictive")`, with the desired value first. */
export function describeChange({ path, live, desired }: Change): string {
  return `${writeDotted(path)} (${showValue(desired)} -> ${showValue(live)})`;
}

const longest = 60;

/** Returns JSON, truncated to 60 characters. */
export function showValue(value: Json | undefined): string {
  if (value === undefined) return "absent";
  const signs = Array.from(JSON.stringify(value).slice(0, 2 * longest + 2));
  return signs.length > longest ? `${signs.slice(0, longest).join("")}…` : signs.join("");
}

/**
 * Reports whether an API server treats the values as equal. Compares durations and quantities by amount, and treats
 * empty values as absent. `isFilledIn` accepts members that only `there` has.
 */
export function isSameMeaning(
  wanted: Json | undefined,
  there: Json | undefined,
  isFilledIn: (names: readonly string[], value: Json) => boolean,
): boolean {
  if (equalJson(wanted, there)) return true;
  if (wanted === undefined || there === undefined) return isEmpty(wanted) && isEmpty(there);
  if (isList(wanted) && isList(there))
    return (
      wanted.length === there.length &&
      wanted.every((one, at) => isSameMeaning(one, there[at], (names, value) => isFilledIn(["[]", ...names], value)))
    );
  if (isMap(wanted) && isMap(there)) {
    const below = (key: string) => (names: readonly string[], value: Json) => isFilledIn([key, ...names], value);
    return (
      entriesOf(wanted).every(([key, value]) => isSameMeaning(value, member(there, key), below(key))) &&
      entriesOf(there).every(
        ([key, value]) => member(wanted, key) !== undefined || isEmpty(value) || isFilledIn([key], value),
      )
    );
  }
  return isSameAmount(wanted, there);
}

/** Reports whether the value is empty. Zero and false are not. */
function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === "") return true;
  return isList(value) ? value.length === 0 : isMap(value) && entriesOf(value).length === 0;
}

function isSameAmount(left: Json, right: Json): boolean {
  return [readDurationSeconds, readQuantity].some((read) => {
    const [first, second] = [read(left), read(right)];
    return (
      first !== undefined && second !== undefined && Math.abs(first - second) <= Math.abs(first) * Number.EPSILON * 4
    );
  });
}

const most = 3;

/** Returns a string such as `a, b, c and 4 more`. */
export function shortList(names: readonly string[]): string {
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}

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
