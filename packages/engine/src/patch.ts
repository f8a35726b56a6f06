// Applies a patch annotation to an object we are about to apply: all of it or nothing, and never to another object.

import type { KubeObject } from "./cluster.ts";
import { Draft } from "./draft.ts";
import { at, entriesOf, equalJson, isMap, type Json, type JsonMap } from "./json.ts";
import { ownPrefix } from "./override-roots.ts";
import { carryOut } from "./patch-operations.ts";
import { type Refusal, readPatch } from "./patch-text.ts";

export type Patched = { readonly kind: "patched"; readonly object: KubeObject; readonly operations: number } | Refusal;

/** Neither the baseline nor anything in it is changed. The reason of a refusal is a sentence for people. */
export function applyPatch(baseline: KubeObject, text: string): Patched {
  const patch = readPatch(text);
  if (patch.kind === "refused") return patch;
  const draft = new Draft(withMetadata(baseline));
  const refusal = carryOut(patch, draft);
  if (refusal !== undefined) return refusal;
  const object = draft.document;
  if (!isSameObject(baseline, object)) return { kind: "refused", reason: "patch changes the identity of the object" };
  return { kind: "patched", object: withoutEmptied(object), operations: patch.operations.length };
}

// So that a label or annotation can be added where there is none yet.
function withMetadata(baseline: KubeObject): JsonMap {
  const { labels = {}, annotations = {} } = baseline.metadata;
  return { ...baseline, metadata: { ...baseline.metadata, labels, annotations } };
}

function withoutEmptied(object: KubeObject): KubeObject {
  const isEmptied = ([key, value]: readonly [string, Json]) =>
    (key === "labels" || key === "annotations") && isMap(value) && entriesOf(value).length === 0;
  const metadata = Object.fromEntries(entriesOf(object.metadata).filter((entry) => !isEmptied(entry)));
  return { ...object, metadata } as KubeObject;
}

const identity: readonly (readonly string[])[] = [
  ["apiVersion"],
  ["kind"],
  ["metadata", "name"],
  ["metadata", "namespace"],
  ["metadata", "labels", `${ownPrefix}managed-by`],
];

// The roots keep a patch away from all this; whoever widens them must get past this too.
function isSameObject(baseline: KubeObject, document: Json): document is KubeObject {
  const isSame = identity.every((path) => equalJson(at(baseline, ...path), at(document, ...path)));
  return isSame && equalJson(partsOf(baseline), partsOf(document)) && at(document, "metadata", "uid") === undefined;
}

function partsOf(value: Json): readonly string[] {
  return isMap(value)
    ? entriesOf(value)
        .map(([key]) => key)
        .toSorted()
    : [];
}
