// Which completed items look drifted in memory. A dry run has to confirm it: the server may mean the same by other words.

import { fieldManagers, type Item, type KubeObject, type Phase } from "@virt/api";
import { type Change, desiredChanges, isMadeBy, leafPaths, noSchema, valueAt } from "@virt/engine";
import { blockedBy } from "./blocked.ts";
import type { PassFacts } from "./facts.ts";
import { isSkipped } from "./items.ts";
import { plannedItems } from "./plan.ts";

export type Suspect = {
  readonly item: Item;
  readonly live: KubeObject | undefined;
  readonly changes: readonly Change[];
};

export function suspects(facts: PassFacts): readonly Suspect[] {
  if (!isGuarded(facts)) return [];
  const settled = (facts.config.status?.items ?? []).filter(({ state }) => state === "Completed" || state === "Failed");
  return settled.flatMap((item) => {
    const live = facts.live(item.targetRef);
    const changes = isExcused(item, facts) ? [] : changesOf(item, live);
    return changes.length === 0 ? [] : [{ item, live, changes }];
  });
}

const guarded: readonly (Phase | undefined)[] = [
  "InProgress",
  "Completed",
  "CompletedWithErrors",
  "CompletedWithUpgrade",
  "Drifted",
];

/** Drift matters nowhere else, and a kind that is not served cannot be asked for. */
function isGuarded(facts: PassFacts): boolean {
  const { spec, status } = facts.config;
  return spec.action !== "Ignore" && guarded.includes(status?.phase) && blockedBy(facts)?.kind !== "missing";
}

/** In force without us, and the reason still holds. */
function isExcused(item: Item, facts: PassFacts): boolean {
  if (!isSkipped(item)) return false;
  return plannedItems(facts).some(
    (one) => one.name === item.name && one.operation === "Apply" && one.isSkipped === true,
  );
}

function changesOf(
  { operation, desiredState, managedFields = [] }: Item,
  live: KubeObject | undefined,
): readonly Change[] {
  if (operation === "Delete") {
    const isOurs = live !== undefined && isMadeBy(live, fieldManagers.advisor, managedFields);
    return isOurs ? desiredChanges(live, absent(live)) : [];
  }
  if (desiredState === undefined) return [];
  return live === undefined ? allOf(desiredState) : desiredChanges(desiredState, live);
}

function absent({ apiVersion, kind, metadata: { name } }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata: { name } };
}

/** Every field of an object that is not there, but for its name. */
function allOf(desired: KubeObject): readonly Change[] {
  return leafPaths(desired, noSchema)
    .filter((path) => path[0] !== "f:apiVersion" && path[0] !== "f:kind" && path[0] !== "f:metadata")
    .flatMap((path) => {
      const value = valueAt(desired, path);
      return value === undefined ? [] : [{ path, desired: value }];
    });
}
