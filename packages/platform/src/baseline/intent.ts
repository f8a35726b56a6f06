// What we would apply: baseline, then the person's patch, then what they want ignored, then what others contest.

import { type JsonMap, type KubeObject, managedByLabel } from "@virt/api";
import {
  applyPatch,
  isPointedAt,
  leafPaths,
  leaveOut,
  maskFields,
  oncePer,
  type Path,
  type Pointer,
  readIgnoreFields,
  writePath,
  writePointer,
} from "@virt/engine";
import { didYouMean, shorten } from "../annotation-values.ts";
import { type Contested, contestedPaths } from "./contested.ts";
import type { HeldDecision } from "./decision.ts";
import type { ObservedObject } from "./observe-object.ts";
import type { Overrides } from "./overrides.ts";
import type { ObjectState } from "./state.ts";

export type IntendedObject =
  | {
      readonly kind: "intended";
      readonly object: KubeObject;
      readonly contested: readonly Contested[];
      /** Let go on purpose: ignored, or governed by a plan. */
      readonly masked: readonly Path[];
      readonly ignored: readonly string[];
      /** Contested fields that are taken because people said so. */
      readonly adopted: readonly Contested[];
      readonly patchOperations: number;
    }
  | HeldDecision;

export function buildIntent(observed: ObservedObject, overrides: Overrides, state: ObjectState): IntendedObject {
  const patched = overrides.patch === undefined ? undefined : applyPatch(observed.baseline, overrides.patch);
  if (patched?.kind === "refused") return invalidPatch(observed, patched.reason);
  const pointers = overrides.ignoreFields === undefined ? undefined : readIgnoreFields(overrides.ignoreFields);
  if (pointers?.kind === "refused") return { kind: "held", reason: "InvalidIgnoreFields", message: pointers.reason };
  const wanted = patched?.object ?? observed.baseline;
  const given = pointers?.pointers ?? [];
  const stray = given.find((pointer) => !isMatched(pointer, wanted, { seen: observed, state }));
  if (stray !== undefined) return strayPointer(stray, wanted, observed);
  const masked = maskFields(wanted, observed.translate?.(given) ?? given, observed.shapeOf);
  const governed = observed.governed.length === 0 ? masked.object : leaveOut(masked.object, observed.governed);
  const ignored = given.map(writePointer);
  const foreign = contestOf(observed, governed, { state, ignored });
  const [adopted, contested] = overrides.isAdopted ? [foreign, []] : [[], foreign];
  const object = labelled(
    leaveOut(
      governed,
      contested.map(({ path }) => path),
    ),
  );
  return {
    kind: "intended",
    object,
    contested,
    masked: [...masked.released, ...observed.governed],
    ignored,
    adopted,
    patchOperations: patched?.operations ?? 0,
  };
}

/**
 * Whether a pointer means something: in what we want, with or without the patch, in what is there, in what it released
 * before, which others may have removed since, or in the schema, by which the field may come.
 */
function isMatched(
  pointer: Pointer,
  wanted: KubeObject,
  { seen, state }: { readonly seen: ObservedObject; readonly state: ObjectState },
): boolean {
  const { baseline, live, shapeOf, translate, isDeclared } = seen;
  if (state.released.includes(writePointer(pointer))) return true;
  const meant = translate?.([pointer]) ?? [pointer];
  const objects = [wanted, baseline, ...(live === undefined ? [] : [live])];
  // A field that only the other version has is known, though it has no place in this one.
  const isKnown = (one: Pointer) => isDeclared(one) || objects.some((object) => isPointedAt(object, one, shapeOf));
  return meant.length === 0 || meant.some(isKnown);
}

/** It is a typing error more often than not, and what it was to protect would be overwritten. */
function strayPointer(pointer: Pointer, wanted: KubeObject, { shapeOf }: ObservedObject): HeldDecision {
  const text = writePointer(pointer);
  const known = leafPaths(wanted, shapeOf).filter(([root]) => root === "f:spec" || root === "f:data");
  const fields = new Set(known.flatMap((path) => path.map((_, at) => writePath(path.slice(0, at + 1)))));
  const message = `pointer "${shorten(text)}" matches no field of the object${didYouMean(text, [...fields])}`;
  return { kind: "held", reason: "InvalidIgnoreFields", message };
}

/** Pointers are translated to the version that is served, patches are not: whoever wrote one must know which it is. */
export function invalidPatch({ translate, ref }: ObservedObject, reason: string): HeldDecision {
  const message = translate === undefined ? reason : `${reason} (the served version is ${ref.apiVersion})`;
  return { kind: "held", reason: "InvalidPatch", message };
}

function contestOf(
  { live, shapeOf, defaultOf, memory, translate }: ObservedObject,
  candidate: KubeObject,
  { state, ignored }: { readonly state: ObjectState; readonly ignored: readonly string[] },
): readonly Contested[] {
  if (live === undefined) return [];
  const answer = memory.answer?.metadata.uid === live.metadata.uid ? memory.answer : undefined;
  return contestedPaths({ candidate, live, answer, state, shapeOf, defaultOf, ignored, translate });
}

const labelled = oncePer((object: KubeObject): KubeObject => {
  const labels = { ...object.metadata.labels, [managedByLabel.key]: managedByLabel.value };
  return { ...object, metadata: { ...object.metadata, labels } };
});

const pointersTo = oncePer((paths: readonly Path[]) => paths.map(writePath));

/**
 * By asset, the pointers of what it put into the intent. What a patch added goes with the first of them: when the patch
 * is taken away, so is that.
 */
export function fieldsByAsset(
  { parts, shapeOf }: ObservedObject,
  intent: KubeObject,
): Readonly<Record<string, readonly string[]>> {
  const pointersOf = (object: JsonMap) => pointersTo(leafPaths(object, shapeOf));
  const rendered = parts.map(({ asset, object }) => ({ asset, pointers: new Set(pointersOf(object)) }));
  const intended = pointersOf(intent).filter(
    (pointer) => !pointer.startsWith("/metadata/labels/platform.kubevirt.io~1"),
  );
  const patched = intended.filter((pointer) => rendered.every(({ pointers }) => !pointers.has(pointer)));
  return Object.fromEntries(
    rendered.map(({ asset, pointers }, at) => {
      const own = intended.filter((pointer) => pointers.has(pointer));
      return [asset, at === 0 ? [...own, ...patched] : own];
    }),
  );
}
