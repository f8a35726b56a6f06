// Whether this version of the operator would plan otherwise than the one that drafted the stored plan.

import { fieldManagers, type Item, type JsonMap } from "@virt/api";
import { desiredChanges, equalJson, isMadeBy, type Json } from "@virt/engine";
import type { PassFacts } from "./facts.ts";
import type { Observed } from "./observed.ts";
import { plannedItems } from "./plan.ts";
import type { PlannedItem } from "./planned-item.ts";

/** Undefined: the same version drafted it. Compares meaning: what depends on the live objects does not count. */
export function upgradeOf(facts: PassFacts): Observed["upgrade"] {
  const { operatorVersion, items = [], phase } = facts.config.status ?? {};
  const isGuarded = phase === "Completed" || phase === "CompletedWithUpgrade";
  if (!isGuarded || !operatorVersion || operatorVersion === facts.operator.version) return undefined;
  const planned = plannedItems(facts).filter((item) => isPlanned(item, facts));
  const stored = items.filter(({ operation }) => operation === "Apply");
  const isSame = equalJson(stored.map(meaningOfStored), planned.map(meaningOfPlanned));
  if (isSame) return "same";
  return planned.every((item) => isInPlace(item, facts)) ? "aligned" : "differs";
}

/** A removal counts where there is something of ours to remove. */
function isPlanned(item: PlannedItem, { live }: PassFacts): boolean {
  if (item.operation === "Apply") return true;
  const object = live(item.target);
  return object !== undefined && isMadeBy(object, fieldManagers.advisor, item.managedFields);
}

function isInPlace(item: PlannedItem, { live }: PassFacts): boolean {
  if (item.operation === "Delete") return false;
  if (item.isSkipped === true) return true;
  const object = live(item.target);
  return object !== undefined && desiredChanges(item.desired, object).length === 0;
}

function meaningOfStored({ name, targetRef, desiredState, managedFields = [] }: Item): Json {
  return { name, target: { ...targetRef }, operation: "Apply", desired: desiredState ?? null, managedFields };
}

function meaningOfPlanned(item: PlannedItem): JsonMap {
  const { name, target, operation, managedFields } = item;
  const desired = item.operation === "Apply" ? item.desired : null;
  return { name, target: { ...target }, operation, desired, managedFields };
}
