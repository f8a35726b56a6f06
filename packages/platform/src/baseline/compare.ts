// Whether the live object is what we applied. In memory, so that nothing is asked when nothing of ours changed.

import { fieldManagers, type KubeObject } from "@virt/api";
import {
  appliedBy,
  type Change,
  contentChanges,
  equalJson,
  isNoFields,
  leafPaths,
  leavesOf,
  ownedChanges,
  readOwners,
  type ShapeOf,
  subtractFields,
  valueAt,
  writePath,
} from "@virt/engine";
import { isState, isStateParent } from "./names.ts";
import type { ObjectMemory } from "./object-seen.ts";

export type Comparison =
  | { readonly kind: "in-sync" }
  /** Nobody knows yet: the server has to say. */
  | { readonly kind: "ask"; readonly cause: "intent" | "start" }
  | { readonly kind: "drift"; readonly changes: readonly Change[] };

export type Compared = {
  readonly intent: KubeObject;
  readonly hash: string;
  readonly live: KubeObject;
  readonly memory: ObjectMemory;
  readonly shapeOf: ShapeOf;
};

export function compare({ intent, hash, live, memory, shapeOf }: Compared): Comparison {
  const { answer, sent } = memory;
  if (answer === undefined)
    return isAlreadyOurs(intent, live, shapeOf) ? { kind: "in-sync" } : { kind: "ask", cause: "start" };
  if (sent !== hash) return { kind: "ask", cause: "intent" };
  if (live.metadata.resourceVersion === answer.metadata.resourceVersion && live.metadata.uid === answer.metadata.uid)
    return { kind: "in-sync" };
  const own = appliedBy(readOwners(answer), fieldManagers.platform);
  const changes = ownedChanges(own, answer, live).filter(({ path }) => !isState(path));
  return changes.length === 0 ? { kind: "in-sync" } : { kind: "drift", changes };
}

/** After a start: exactly our fields are ours, and all have the values that we want. */
function isAlreadyOurs(intent: KubeObject, live: KubeObject, shapeOf: ShapeOf): boolean {
  const wanted = leafPaths(intent, shapeOf);
  const own = leavesOf(appliedBy(readOwners(live), fieldManagers.platform)).filter((path) => !isState(path));
  const owned = new Set(own.map(writePath));
  const isSame = wanted.length === owned.size && wanted.every((path) => owned.has(writePath(path)));
  return isSame && wanted.every((path) => equalJson(valueAt(intent, path), valueAt(live, path)));
}

/** Whether an apply is due after a dry run: it would change content, or give up fields. */
export function isWriteDue(live: KubeObject, reply: KubeObject): boolean {
  const isChanging = contentChanges(live, reply).some(({ path }) => !isState(path) && !isStateParent(path));
  const [before, after] = [live, reply].map((object) => appliedBy(readOwners(object), fieldManagers.platform));
  return isChanging || (before !== undefined && after !== undefined && !isNoFields(subtractFields(before, after)));
}
