// Whether the live object is what we applied. In memory, so that nothing is asked when nothing of ours changed.

import { fieldManagers, type KubeObject } from "@virt/api";
import {
  appliedBy,
  type Change,
  contentChanges,
  equalJson,
  fieldSet,
  hasField,
  isNoFields,
  leafPaths,
  leavesOf,
  ownedChanges,
  type Path,
  readOwners,
  type ShapeOf,
  subtractFields,
  valueAt,
  writePath,
} from "@virt/engine";
import { holds } from "./holders.ts";
import { isMet, type Wish } from "./met.ts";
import { isOwnLabel, isState, isStateParent } from "./names.ts";
import type { ObjectMemory } from "./object-seen.ts";
import { readState } from "./state.ts";

export type Comparison =
  | { readonly kind: "in-sync" }
  /** Nobody knows yet: the server has to say. */
  | { readonly kind: "ask"; readonly cause: "intent" | "start" }
  | { readonly kind: "drift"; readonly changes: readonly Change[] };

export type Compared = {
  readonly intent: KubeObject;
  readonly live: KubeObject;
  readonly memory: ObjectMemory;
  readonly shapeOf: ShapeOf;
};

export function compare(compared: Compared): Comparison {
  const { intent, live, memory, shapeOf } = compared;
  const { answer, sent } = memory;
  if (answer === undefined || answer.metadata.uid !== live.metadata.uid) return compareAtStart(compared);
  if (!equalJson(sent, intent)) return { kind: "ask", cause: "intent" };
  if (live.metadata.resourceVersion === answer.metadata.resourceVersion) return { kind: "in-sync" };
  const own = appliedBy(readOwners(answer), fieldManagers.platform);
  const isOpen = (path: Path) => isMet({ path, wanted: valueAt(intent, path), there: valueAt(live, path) }, shapeOf);
  const changes = ownedChanges(own, answer, live).filter(({ path }) => !isState(path) && !isOpen(path));
  return changes.length === 0 ? { kind: "in-sync" } : { kind: "drift", changes };
}

/**
 * Without an answer: in sync if exactly our fields are ours, with the values that we want. What others took from us, and
 * nothing else, is drift as at any other time: a restart must not make a fight longer.
 */
function compareAtStart({ intent, live, shapeOf }: Compared): Comparison {
  const wanted = leafPaths(intent, shapeOf);
  const fields = fieldSet(wanted);
  const own = leavesOf(appliedBy(readOwners(live), fieldManagers.platform)).filter(
    (path) => !isState(path) && (hasField(fields, path) || !holds(fields, path)), // a map around a field that was taken
  );
  const owned = new Set(own.map(writePath));
  const applied = new Set(Object.values(readState(live).fields).flat());
  const lost = wanted.filter((path) => !owned.has(writePath(path)));
  const changes = wanted.flatMap((path) => {
    const wish = { path, wanted: valueAt(intent, path), there: valueAt(live, path) };
    return isMet(wish, shapeOf) ? [] : [changeOf(wish)];
  });
  const isNoMore = owned.size === wanted.length - lost.length;
  if (isNoMore && lost.length === 0 && changes.length === 0) return { kind: "in-sync" };
  const isTaken = lost.every((path) => applied.has(writePath(path)) || isOwnLabel(path));
  const isAllLost = changes.every(({ path }) => !owned.has(writePath(path)));
  if (isNoMore && isTaken && isAllLost && changes.length > 0) return { kind: "drift", changes };
  return { kind: "ask", cause: "start" };
}

function changeOf({ path, wanted, there }: Wish): Change {
  return { path, ...(there !== undefined && { live: there }), ...(wanted !== undefined && { desired: wanted }) };
}

/** Whether an apply is due after a dry run: it would change content, or give up fields. */
export function isWriteDue(live: KubeObject, reply: KubeObject): boolean {
  const isChanging = contentChanges(live, reply).some(({ path }) => !isState(path) && !isStateParent(path));
  const [before, after] = [live, reply].map((object) => appliedBy(readOwners(object), fieldManagers.platform));
  return isChanging || (before !== undefined && after !== undefined && !isNoFields(subtractFields(before, after)));
}
