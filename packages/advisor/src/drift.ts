import { autopilotName, type Item, type Json, type KubeObject, profileManager } from "@virt/api";
import {
  appliedBy,
  type Change,
  describeChange,
  desiredChanges,
  findMutator,
  isMadeBy,
  isSameMeaning,
  leafPaths,
  noSchema,
  type Path,
  pathsOf,
  readOwners,
  valueAt,
} from "@virt/objects";
import { isLockBypassed } from "./approval.ts";
import type { ReconcileFacts } from "./facts.ts";
import { isApplied, isSkipped } from "./items.ts";
import type { Drift, ObservedItem } from "./observed.ts";
import { hasPlanBegun } from "./phases.ts";
import { findBlocker, plannedItems } from "./plan.ts";

/** An applied or failed item whose cached target differs from the plan. `live` is undefined if the target does not exist. */
export type DriftSuspect = {
  readonly item: Item;
  readonly live: KubeObject | undefined;
  readonly changes: readonly Change[];
};

/** Returns items that may have drifted. Confirm them with a dry run, because the API server may store a value in another form. */
export function findDriftSuspects(facts: ReconcileFacts): readonly DriftSuspect[] {
  if (!isGuarded(facts)) return [];
  const { phase, items = [] } = facts.config.status ?? {};
  const isCompared = (item: Item) =>
    isApplied(item) || (item.state === "Failed" && phase !== "Failed") || (phase === "ReviewRequired" && !item.changes);
  return items.filter(isCompared).flatMap((item) => {
    const live = facts.live(item.targetRef);
    const manager = profileManager(facts.config.spec.profile);
    const changes = isExcused(item, facts) ? [] : changesOf(item, live, manager);
    return changes.length === 0 ? [] : [{ item, live, changes }];
  });
}

/** Returns the items in `items` that were applied and have drifted. Excludes items that are waiting for a correction. */
export function driftedItems(observed: readonly ObservedItem[], items: readonly Item[]): readonly ObservedItem[] {
  const applied = new Set(items.filter(isApplied).map(({ name }) => name));
  return observed.filter(({ item, drift }) => drift !== undefined && applied.has(item.name));
}

/** Reports whether drift is checked: the phase requires it, and the API server serves all kinds. */
function isGuarded(facts: ReconcileFacts): boolean {
  const { spec, status } = facts.config;
  const isDue = hasPlanBegun(status?.phase) || mayStartStale(facts);
  return spec.action !== "Ignore" && isDue && findBlocker(facts)?.kind !== "missing";
}

/** Reports whether the plan may start although targets changed after the review. Items without changes are then applied again. */
function mayStartStale({ config: { spec, status } }: ReconcileFacts): boolean {
  return status?.phase === "ReviewRequired" && spec.action === "Apply" && isLockBypassed(spec);
}

function isExcused(item: Item, facts: ReconcileFacts): boolean {
  if (!isSkipped(item)) return false;
  return plannedItems(facts).some(
    (one) => one.name === item.name && one.operation === "Apply" && one.isSkipped === true,
  );
}

function changesOf(
  { operation, desiredState, managedFields = [] }: Item,
  live: KubeObject | undefined,
  manager: string,
): readonly Change[] {
  if (operation === "Delete") {
    const isOurs = live !== undefined && isMadeBy(live, manager, managedFields);
    return isOurs ? desiredChanges(live, objectWithoutContent(live)) : [];
  }
  if (desiredState === undefined) return [];
  return live === undefined ? allFields(desiredState) : desiredChanges(desiredState, live);
}

function objectWithoutContent({ apiVersion, kind, metadata: { name } }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata: { name } };
}

function allFields(desired: KubeObject): readonly Change[] {
  return leafPaths(desired, noSchema)
    .filter((path) => path[0] !== "f:apiVersion" && path[0] !== "f:kind" && path[0] !== "f:metadata")
    .flatMap((path) => {
      const value = valueAt(desired, path);
      return value === undefined ? [] : [{ path, desired: value }];
    });
}

/** Returns the fields that admission changed. Ignores defaults, equivalent values, and list entries of other clients. */
export function admissionChanges(desired: KubeObject, answer: KubeObject, manager: string): readonly Change[] {
  const changes = desiredChanges(desired, answer).filter((change) => !isSame(change.desired, change.live));
  if (changes.length === 0) return [];
  const owned = pathsOf(appliedBy(readOwners(answer), manager));
  const isMerged = (path: Path) => {
    const entries = owned.filter((one) => one.length > path.length && path.every((element, at) => one[at] === element));
    return entries.length > 0 && entries.every((one) => isSame(valueAt(desired, one), valueAt(answer, one)));
  };
  return changes.filter(({ path }) => !isMerged(path));
}

function isSame(wanted: Json | undefined, there: Json | undefined): boolean {
  return isSameMeaning(wanted, there, () => true);
}

export function mutationWarning(changes: readonly Change[]): string {
  return `MutatedByAdmission: admission modifies the fields that this item applies: ${changes.map(describeChange).join(", ")}. Next: ${findMutator}`;
}

/** How long the result of a dry run that shows a mutation stays valid, in milliseconds. */
export const mutationRecheckMs = 60_000;

const driftPrefix = "Configuration has drifted from desired state";

export function driftText(items: readonly ObservedItem[]): string {
  const parts = items.flatMap(({ item, drift }) => (drift === undefined ? [] : [objectText(item, drift)]));
  return `${driftPrefix}: ${parts.join("; ")}`;
}

export function itemDriftText(item: Item, drift: Drift): string {
  if (drift.kind === "mutated") return `${driftPrefix}: ${mutationText(drift)}`;
  return `${driftPrefix}: ${drift.kind === "changed" ? changesText(drift) : objectText(item, drift)}`;
}

function objectText(item: Item, drift: Drift): string {
  const { kind, name } = item.targetRef;
  const object = `${kind} '${name}'`;
  switch (drift.kind) {
    case "changed":
      return `${object}: ${changesText(drift)}`;
    case "deleted":
      if (isSkipped(item))
        return `the setting that made ${object} unnecessary was removed: ${drift.changes.join(", ")}`;
      return `${object} was deleted by an unknown client (see the API server's audit log)`;
    case "mutated":
      return `${object}: ${mutationText(drift)}`;
    case "created-again":
      return `${object} was re-created by ${drift.managers.join(", ") || "an unknown client"}`;
    case "taken-over":
      return `${object} was changed by ${autopilotName}: ${drift.changes.join(", ")}`;
  }
}

function changesText({ changes, managers }: Drift): string {
  return `${changes.join(", ")}, by ${managers.join(", ") || "an unknown client"}`;
}

function mutationText({ changes }: Drift): string {
  return `MutatedByAdmission: ${changes.join(", ")}, by an admission webhook or policy that modifies every apply`;
}
