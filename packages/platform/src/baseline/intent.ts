// What we would apply: baseline, then the person's patch, then what they want ignored, then what others contest.

import { type JsonMap, type KubeObject, managedByLabel } from "@virt/api";
import {
  applyPatch,
  leafPaths,
  leaveOut,
  mask,
  oncePer,
  type Path,
  readIgnoreFields,
  writePath,
  writePointer,
} from "@virt/engine";
import { type Contested, contestedPaths } from "./contested.ts";
import type { ObjectSeen } from "./object-seen.ts";
import type { Overrides } from "./overrides.ts";
import type { State } from "./state.ts";
import type { Held } from "./verdict.ts";

export type Intended =
  | {
      readonly kind: "intended";
      readonly object: KubeObject;
      readonly contested: readonly Contested[];
      /** Let go on purpose: ignored, or governed by a plan. */
      readonly masked: readonly Path[];
      readonly ignored: readonly string[];
      readonly patchOperations: number;
    }
  | Held;

export function intend(seen: ObjectSeen, overrides: Overrides, state: State): Intended {
  const patched = overrides.patch === undefined ? undefined : applyPatch(seen.baseline, overrides.patch);
  if (patched?.kind === "refused") return invalidPatch(seen, patched.reason);
  const pointers = overrides.ignoreFields === undefined ? undefined : readIgnoreFields(overrides.ignoreFields);
  if (pointers?.kind === "refused") return { kind: "held", reason: "InvalidIgnoreFields", message: pointers.reason };
  const wanted = patched?.object ?? seen.baseline;
  const given = pointers?.pointers ?? [];
  const masked = mask(wanted, seen.translate?.(given) ?? given, seen.shapeOf);
  const governed = seen.governed.length === 0 ? masked.object : leaveOut(masked.object, seen.governed);
  const ignored = given.map(writePointer);
  const contested = overrides.isAdopted ? [] : contestOf(seen, governed, { state, ignored });
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
    masked: [...masked.released, ...seen.governed],
    ignored,
    patchOperations: patched?.operations ?? 0,
  };
}

/** Pointers are translated to the version that is served, patches are not: whoever wrote one must know which it is. */
export function invalidPatch({ translate, ref }: ObjectSeen, reason: string): Held {
  const message = translate === undefined ? reason : `${reason} (the served version is ${ref.apiVersion})`;
  return { kind: "held", reason: "InvalidPatch", message };
}

function contestOf(
  { live, shapeOf, defaultOf, memory, translate }: ObjectSeen,
  candidate: KubeObject,
  { state, ignored }: { readonly state: State; readonly ignored: readonly string[] },
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
  { parts, shapeOf }: ObjectSeen,
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
