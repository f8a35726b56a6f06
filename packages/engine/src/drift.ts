// What differs: owned fields from the server's last answer, a live object from the desired one, a prediction from what is there.

import type { KubeObject } from "./cluster.ts";
import { type FieldSet, leavesOf } from "./field-set.ts";
import { entriesOf, equalJson, isMap, type Json, type JsonMap, member } from "./json.ts";
import { fieldElement, type Path, valueAt, writeDotted } from "./path.ts";
import { leafPaths, noSchema } from "./shape.ts";

/** A path whose live value is another than the one we want or predict. A side without the field has no value. */
export type Change = { readonly path: Path; readonly live?: Json; readonly desired?: Json };

/** Looks at exactly the owned fields of an answer; a field that is gone counts as changed. */
export function ownedChanges(owned: FieldSet, answer: KubeObject, live: KubeObject): readonly Change[] {
  return leavesOf(owned).flatMap((path) => changeAt(path, valueAt(live, path), valueAt(answer, path)));
}

/** Looks at every leaf of the desired object: maps member by member, lists as a whole, numbers by value. */
export function desiredChanges(desired: KubeObject, live: KubeObject): readonly Change[] {
  return leafPaths(desired, noSchema).flatMap((path) => changeAt(path, valueAt(live, path), valueAt(desired, path)));
}

/** All that differs between two forms of an object, but for its status and what identifies it. */
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

/** `spec.mode ("Automatic" -> "Predictive")`: what we want, then what is there. */
export function describeChange({ path, live, desired }: Change): string {
  return `${writeDotted(path)} (${shown(desired)} -> ${shown(live)})`;
}

const longest = 60;

function shown(value: Json | undefined): string {
  if (value === undefined) return "absent";
  const signs = Array.from(JSON.stringify(value).slice(0, 2 * longest + 2));
  return signs.length > longest ? `${signs.slice(0, longest).join("")}…` : signs.join("");
}
