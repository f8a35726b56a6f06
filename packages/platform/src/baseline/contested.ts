// Finds fields that another client set to a different value. The operator does not touch them until the user agrees.

import { autopilotName, fieldManagers, isAdvisorManager, type Json, type KubeObject } from "@virt/api";
import {
  appliedBy,
  leafPaths,
  maskFields,
  noFields,
  ownersAs,
  type Path,
  type Pointer,
  readOwners,
  readPointer,
  type ShapeOf,
  touchesField,
  valueAt,
  writePath,
} from "@virt/objects";
import { holdersOf, isForeign, isHeldBy, isMet } from "./compare.ts";
import type { ObjectState } from "./state.ts";

/** A field that another client owns and that the operator does not touch. */
export type Contested = {
  readonly path: Path;
  readonly managers: readonly string[];
  /** The value that the operator would set. Undefined if it would remove the field. */
  readonly wanted: Json | undefined;
  readonly there: Json | undefined;
};

export type Contest = {
  readonly candidate: KubeObject;
  readonly live: KubeObject;
  /** The server's last response for this object. The operator keeps fields that it owned then. */
  readonly answer?: KubeObject | undefined;
  readonly state: ObjectState;
  readonly shapeOf: ShapeOf;
  readonly defaultOf: (path: Path) => Json | undefined;
  /** The pointers that are currently ignored. If a user removes one from the annotation, the operator may take over the field. */
  readonly ignored: readonly string[];
  /** True if a user left the object to this operator. Fields of virt-platform-autopilot are then not contested. */
  readonly isGoverned?: boolean | undefined;
  /** Translates the user's pointers to the served version. */
  readonly translate?: ((pointers: readonly Pointer[]) => readonly Pointer[]) | undefined;
};

/** Returns the contested fields. Returns none if there are no managedFields, because the owners are unknown. */
export function contestedPaths(contest: Contest): readonly Contested[] {
  const { candidate, live, shapeOf, defaultOf, isGoverned = false } = contest;
  const ours = appliedBy(readOwners(live), fieldManagers.platform);
  const agreed = agreedIn(contest);
  return leafPaths(candidate, shapeOf).flatMap((path) => {
    const there = valueAt(live, path);
    const wanted = valueAt(candidate, path);
    if (isMet({ path, wanted, there }, shapeOf)) return [];
    const others = holdersOf(live, path)
      .filter(isForeign)
      .filter(({ manager }) => !(isGoverned && manager === autopilotName));
    const isPlanned = others.some(({ manager }) => isAdvisorManager(manager));
    const isAgreed = touchesField(ours, path) || (agreed(path) && !isPlanned);
    const isDefault = there !== undefined && isMet({ path, wanted: defaultOf(path), there }, shapeOf);
    if (others.length === 0 || isAgreed || isDefault) return [];
    return [{ path, managers: [...new Set(others.map(({ manager }) => manager))], wanted, there }];
  });
}

function agreedIn({ candidate, live, answer, state, shapeOf, ignored, translate }: Contest): (path: Path) => boolean {
  const applied = new Set(Object.values(state.fields).flat());
  const owned = answer === undefined ? noFields : appliedBy(ownersAs(answer, live.apiVersion), fieldManagers.platform);
  const back = state.released.filter((pointer) => !ignored.includes(pointer)).flatMap(asPointer);
  const consented = maskFields(candidate, translate?.(back) ?? back, shapeOf).released;
  return (path) =>
    applied.has(writePath(path)) ||
    isHeldBy(owned, path) ||
    consented.some((root) => root.every((element, at) => element === path[at]));
}

function asPointer(text: string): readonly Pointer[] {
  const read = readPointer(text);
  return read.kind === "pointer" ? [read.pointer] : [];
}
