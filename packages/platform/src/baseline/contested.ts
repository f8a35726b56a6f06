// Which fields others set on purpose to something else: they are left alone until somebody agrees.

import { fieldManagers, type Json, type KubeObject } from "@virt/api";
import {
  appliedBy,
  equalJson,
  leafPaths,
  type Owner,
  ownersOf,
  type Path,
  readOwners,
  type ShapeOf,
  touchesField,
  valueAt,
  writePath,
} from "@virt/engine";
import { releasedManager } from "./names.ts";
import type { State } from "./state.ts";

export type Contested = { readonly path: Path; readonly managers: readonly string[] };

export type Contest = {
  readonly candidate: KubeObject;
  readonly live: KubeObject;
  readonly state: State;
  readonly shapeOf: ShapeOf;
  readonly defaultOf: (path: Path) => Json | undefined;
  /** Pointers that are ignored now: one that left the annotation is consent. */
  readonly ignored: readonly string[];
};

/** Without any managedFields nothing is contested: nobody can say who set what. */
export function contestedPaths({ candidate, live, state, shapeOf, defaultOf, ignored }: Contest): readonly Contested[] {
  const owners = readOwners(live);
  const ours = appliedBy(owners, fieldManagers.platform);
  const agreed = agreedIn(state, ignored);
  return leafPaths(candidate, shapeOf).flatMap((path) => {
    const there = valueAt(live, path);
    if (equalJson(there, valueAt(candidate, path))) return [];
    const others = ownersOf(owners, path).filter(isOther);
    const isAgreed =
      touchesField(ours, path) || (agreed(path) && !others.some(({ manager }) => manager === fieldManagers.advisor));
    const isDefault = there !== undefined && equalJson(there, defaultOf(path));
    if (others.length === 0 || isAgreed || isDefault) return [];
    return [{ path, managers: [...new Set(others.map(({ manager }) => manager))] }];
  });
}

function isOther({ manager, subresource }: Owner): boolean {
  return subresource === undefined && manager !== fieldManagers.platform && manager !== releasedManager;
}

function agreedIn(state: State, ignored: readonly string[]): (path: Path) => boolean {
  const applied = new Set(Object.values(state.fields).flat());
  const back = state.released.filter((pointer) => !ignored.includes(pointer));
  return (path) => {
    const pointer = writePath(path);
    return applied.has(pointer) || back.some((root) => pointer === root || pointer.startsWith(`${root}/`));
  };
}
