// Builds the intent of an object: the baseline with the user's patch, without ignored, governed and contested fields.

import { type JsonMap, type KubeObject, managedByLabel } from "@virt/api";
import { isAutopilotObject } from "@virt/cluster";
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
} from "@virt/objects";
import { didYouMean, shorten } from "../annotation-values.ts";
import { autopilotFields } from "../autopilot/manager.ts";
import { type Contest, type Contested, contestedPaths } from "./contested.ts";
import type { HeldDecision } from "./decision.ts";
import type { ObservedObject } from "./observe-object.ts";
import type { Overrides } from "./overrides.ts";
import type { ObjectState } from "./state.ts";

export type IntendedObject =
  | {
      readonly kind: "intended";
      readonly object: KubeObject;
      readonly contested: readonly Contested[];
      readonly masked: readonly Path[];
      readonly ignored: readonly string[];
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
  const theirs = sharedFields(masked.object, observed);
  const left = [...observed.governed, ...theirs];
  const governed = left.length === 0 ? masked.object : leaveOut(masked.object, left);
  const ignored = given.map(writePointer);
  const foreign = contestOf(observed, governed, { state, ignored, isGoverned: overrides.isGoverned });
  const [adopted, contested] = overrides.isAdopted ? [foreign, []] : [[], foreign];
  const agreed = leaveOut(
    governed,
    contested.map(({ path }) => path),
  );
  const object = isLabelTheirs(observed) ? agreed : labelled(agreed);
  return {
    kind: "intended",
    object,
    contested,
    masked: [...masked.released, ...left],
    ignored,
    adopted,
    patchOperations: patched?.operations ?? 0,
  };
}

/** Returns the fields of a shared object that the active autopilot owns. It would take them back at once. */
function sharedFields(wanted: KubeObject, { adoption, isAutopilotActive, live, shapeOf }: ObservedObject) {
  const isShared = adoption === "fieldwise" && isAutopilotActive === true && live !== undefined;
  return isShared && isAutopilotObject(live) ? autopilotFields(wanted, live, shapeOf) : [];
}

/** Reports whether the label belongs to the active autopilot: on the HyperConverged always, otherwise on its objects. */
function isLabelTheirs({ adoption, isAutopilotActive, live, ref }: ObservedObject): boolean {
  if (adoption !== "fieldwise" || isAutopilotActive !== true || live === undefined) return false;
  return ref.kind === "HyperConverged" || isAutopilotObject(live);
}

/** Reports whether the pointer is valid: it matches the object, a field that was released earlier, or the schema. */
function isMatched(
  pointer: Pointer,
  wanted: KubeObject,
  { seen, state }: { readonly seen: ObservedObject; readonly state: ObjectState },
): boolean {
  const { baseline, live, shapeOf, translate, isDeclared } = seen;
  if (state.released.includes(writePointer(pointer))) return true;
  const meant = translate?.([pointer]) ?? [pointer];
  const objects = [wanted, baseline, ...(live === undefined ? [] : [live])];
  // A pointer to a field that only the other version has translates to nothing. It is valid.
  const isKnown = (one: Pointer) => isDeclared(one) || objects.some((object) => isPointedAt(object, one, shapeOf));
  return meant.length === 0 || meant.some(isKnown);
}

/** Puts the object on hold. The pointer is probably a typo, and an apply would overwrite the field that it should protect. */
function strayPointer(pointer: Pointer, wanted: KubeObject, { shapeOf }: ObservedObject): HeldDecision {
  const text = writePointer(pointer);
  const known = leafPaths(wanted, shapeOf).filter(([root]) => root === "f:spec" || root === "f:data");
  const fields = new Set(known.flatMap((path) => path.map((_, at) => writePath(path.slice(0, at + 1)))));
  const message = `pointer "${shorten(text)}" matches no field of the object${didYouMean(text, [...fields])}`;
  return { kind: "held", reason: "InvalidIgnoreFields", message };
}

/** Includes the served version in the message, because patches are not translated between versions. */
export function invalidPatch({ translate, ref }: ObservedObject, reason: string): HeldDecision {
  const message = translate === undefined ? reason : `${reason} (the served version is ${ref.apiVersion})`;
  return { kind: "held", reason: "InvalidPatch", message };
}

function contestOf(
  { live, shapeOf, defaultOf, memory, translate }: ObservedObject,
  candidate: KubeObject,
  { state, ignored, isGoverned }: Pick<Contest, "state" | "ignored" | "isGoverned">,
): readonly Contested[] {
  if (live === undefined) return [];
  const answer = memory.answer?.metadata.uid === live.metadata.uid ? memory.answer : undefined;
  return contestedPaths({ candidate, live, answer, state, shapeOf, defaultOf, ignored, isGoverned, translate });
}

const labelled = oncePer((object: KubeObject): KubeObject => {
  const labels = { ...object.metadata.labels, [managedByLabel.key]: managedByLabel.value };
  return { ...object, metadata: { ...object.metadata, labels } };
});

const pointersTo = oncePer((paths: readonly Path[]) => paths.map(writePath));

/**
 * Returns the pointers in the intent, by asset. Assigns the fields of a patch to the first asset, so that they are
 * removed together with the patch.
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
