// Compares a live object with its intent and finds the owner of each changed field.

import { autopilotName, fieldManagers, type Json, type KubeObject, managedByLabel } from "@virt/api";
import {
  appliedBy,
  type Change,
  contentChanges,
  describeOpponent,
  entriesOf,
  equalJson,
  type FieldSet,
  fieldSet,
  hasField,
  isMap,
  isNoFields,
  leafPaths,
  leavesOf,
  mayOwn,
  type Opponent,
  type Owner,
  opponentOf,
  ownedChanges,
  type Path,
  readOwners,
  type ShapeOf,
  subtractFields,
  valueAt,
  writePath,
} from "@virt/objects";
import { isOwnLabel, isState, isStateParent, releasedManager } from "../hco-annotations.ts";
import type { ObjectMemory } from "./observe-object.ts";
import { readState } from "./state.ts";

export type Comparison =
  | { readonly kind: "in-sync" }
  /** The comparison is inconclusive, so a dry run is needed. */
  | { readonly kind: "ask"; readonly cause: "intent" | "start" }
  | { readonly kind: "drift"; readonly changes: readonly Change[] };

export type ComparedObject = {
  readonly intent: KubeObject;
  readonly live: KubeObject;
  readonly memory: ObjectMemory;
  readonly shapeOf: ShapeOf;
};

export function compareObject(compared: ComparedObject): Comparison {
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
 * Compares objects after a start, when there is no earlier response. The object is in sync if the operator owns exactly
 * the wanted fields and values. Fields that other managers took over count as drift, so that a restart does not prolong
 * an edit war.
 */
function compareAtStart({ intent, live, shapeOf }: ComparedObject): Comparison {
  const wanted = leafPaths(intent, shapeOf);
  const fields = fieldSet(wanted);
  const own = leavesOf(appliedBy(readOwners(live), fieldManagers.platform)).filter(
    (path) => !isState(path) && (hasField(fields, path) || !isHeldBy(fields, path)), // skips parents of lost fields
  );
  const owned = new Set(own.map(writePath));
  const applied = new Set(Object.values(readState(live).fields).flat());
  const lost = wanted.filter((path) => !owned.has(writePath(path)));
  const changes = wanted.flatMap((path) => {
    const field = { path, wanted: valueAt(intent, path), there: valueAt(live, path) };
    return isMet(field, shapeOf) ? [] : [changeOf(field)];
  });
  const isNoMore = owned.size === wanted.length - lost.length;
  if (isNoMore && lost.length === 0 && changes.length === 0) return { kind: "in-sync" };
  const isTaken = lost.every((path) => applied.has(writePath(path)) || isOwnLabel(path));
  const isAllLost = changes.every(({ path }) => !owned.has(writePath(path)));
  if (isNoMore && isTaken && isAllLost && changes.length > 0) return { kind: "drift", changes };
  return { kind: "ask", cause: "start" };
}

function changeOf({ path, wanted, there }: DesiredField): Change {
  return { path, ...(there !== undefined && { live: there }), ...(wanted !== undefined && { desired: wanted }) };
}

/**
 * Reports whether a dry run shows that an apply would change content or give up fields. Fields that the autopilot also
 * owns are not worth a write: it keeps their values anyway. Without the operator's label, only the ownership shows that
 * fields are managed, so the first apply is due even if all values are already there.
 */
export function isWriteDue(live: KubeObject, reply: KubeObject): boolean {
  const isChanging = contentChanges(live, reply).some(({ path }) => !isState(path) && !isStateParent(path));
  const [before, after] = [live, reply].map((object) => appliedBy(readOwners(object), fieldManagers.platform));
  if (isChanging || before === undefined || after === undefined) return isChanging;
  const isLabelled = reply.metadata.labels?.[managedByLabel.key] === managedByLabel.value;
  if (!isLabelled && isNoFields(before) && !isNoFields(after)) return true;
  const lost = subtractFields(before, after);
  return !isNoFields(lost) && leavesOf(lost).some((path) => !isAutopilotField(live, path));
}

function isAutopilotField(live: KubeObject, path: Path): boolean {
  return readOwners(live).some(({ manager, fields }) => manager === autopilotName && hasField(fields, path));
}

export type DesiredField = { readonly path: Path; readonly wanted: Json | undefined; readonly there: Json | undefined };

export function isMet({ path, wanted, there }: DesiredField, shapeOf: ShapeOf): boolean {
  if (equalJson(wanted, there)) return true;
  return isEmptyMap(wanted) && isMap(there) && shapeOf(path.map(nameOf))?.kind !== "atomic";
}

export function isEmptyMap(value: Json | undefined): boolean {
  return isMap(value) && entriesOf(value).length === 0;
}

function nameOf(element: string): string {
  return element.startsWith("f:") ? element.slice(2) : "[]";
}

export type BlamedManagers = { readonly path: Path; readonly opponent: Opponent | "unknown" };

/** Returns the manager responsible for each change. Names no manager if the server has not responded yet. */
export function findBlamedManagers(
  changes: readonly Change[],
  live: KubeObject,
  answer = live,
): readonly BlamedManagers[] {
  const encounter = {
    live: readOwners(live),
    answer: readOwners(answer),
    ours: [fieldManagers.platform, releasedManager],
  };
  return changes.map(({ path }) => ({ path, opponent: opponentOf(path, encounter) }));
}

export function describeOpponents(blamed: readonly BlamedManagers[]): readonly string[] {
  return [...new Set(blamed.map(({ opponent }) => describeOpponent(opponent)))];
}

/** Returns the owners of the field or a part of it. Includes owners in another API version that may own it. */
export function holdersOf(live: KubeObject, path: Path): readonly Owner[] {
  return readOwners(live).filter((owner) => isHeldBy(owner.fields, path) || mayOwn(owner, path, live));
}

/** Reports whether the set owns the field or a part of it. */
export function isHeldBy(fields: FieldSet, path: Path): boolean {
  return path.reduce<FieldSet | undefined>((at, element) => at?.below.get(element), fields) !== undefined;
}

/** Reports whether the owner is another client. The operator's own managers and subresources are not. */
export function isForeign({ manager, subresource }: Owner): boolean {
  return subresource === undefined && manager !== fieldManagers.platform && manager !== releasedManager;
}
