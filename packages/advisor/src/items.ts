// The items of a plan: how each moves from state to state, and how much they disturb.

import { type Item, type ItemState, type Severity, severities } from "@virt/api";
import { equalDiff, roleLabel } from "@virt/engine";
import { type NodeRole, nodeRoles } from "@virt/facts";
import type { Observed, ObservedItem } from "./observed.ts";
import { stamp } from "./times.ts";

/** Sentences of items that users, tests and scripts rely on. */
export const itemMessages = {
  applying: "Applying configuration...",
  deleting: "Deleting resource...",
  applied: "Applied successfully",
  deleted: "Deleted successfully",
  unchanged: "Already in desired state",
  correcting: "Re-applying to fix drift (bypassOptimisticLock)",
} as const;

/** Its time moves with its state alone. */
export function withState(item: Item, state: ItemState, message: string, now: number): Item {
  if (item.state === state) return { ...item, message };
  return { ...item, state, message, lastTransitionTime: stamp(now) };
}

/** A new plan may find an item in the state that it had in the last one: then its time stays. */
export function withTimesOf(before: readonly Item[], items: readonly Item[]): readonly Item[] {
  return items.map((item) => {
    const same = before.find(({ name, state }) => name === item.name && state === item.state);
    if (same === undefined || same.lastTransitionTime === item.lastTransitionTime) return item;
    const { lastTransitionTime: _moved, ...rest } = item;
    return { ...rest, ...(same.lastTransitionTime && { lastTransitionTime: same.lastTransitionTime }) };
  });
}

/** Nothing is left to show once an item is done. */
export function completeItem(item: Item, message: string, now: number): Item {
  return { ...withState(item, "Completed", message, now), diff: equalDiff(item.targetRef) };
}

/** Begun and not confirmed: whether its write arrived must be found out. */
export function isWriteOpen({ state, changes, appliedTime }: Item): boolean {
  return state === "InProgress" && changes && appliedTime === undefined;
}

/** True if the target is as the item makes it, by a confirmed write or without one, whether its rollout is done or not. */
export function isApplied(item: Item): boolean {
  return item.state === "Completed" || (item.state === "InProgress" && !isWriteOpen(item));
}

/** Whether writing the target rolls out to nodes. */
export function isMachineConfig({ targetRef }: Pick<Item, "targetRef">): boolean {
  return targetRef.kind === "MachineConfig" && targetRef.apiVersion.startsWith("machineconfiguration.openshift.io/");
}

/** On record before it is done; the clock of a rollout starts here. */
export function startItem({ item, pools }: Pick<ObservedItem, "item" | "pools">, now: number): Item {
  const message = item.operation === "Delete" ? itemMessages.deleting : itemMessages.applying;
  const rollout = isMachineConfig(item) ? { rollout: { startTime: stamp(now), before: pools } } : {};
  return { ...withState(item, "InProgress", message, now), ...rollout };
}

/** Its write was confirmed. A rollout, or a report of the target's operator, follows; all else is done. */
export function confirmItem(item: Item, now: number, awaitsReport = false): Item {
  const applied = { ...item, appliedTime: stamp(now), diff: equalDiff(item.targetRef) };
  if (isMachineConfig(item) || awaitsReport) return applied;
  return completeItem(applied, item.operation === "Delete" ? itemMessages.deleted : itemMessages.applied, now);
}

/** A plan that has failed waits for nothing any more, and its items record how far they came. */
export function closeFailedItems(
  items: readonly Item[],
  { items: observed, now }: Pick<Observed, "items" | "now">,
): readonly Item[] {
  const failed = items.find(({ state }) => state === "Failed");
  const why = failed === undefined ? "the plan failed" : `item '${failed.name}' failed`;
  return items.map((item) => {
    const isInPlace = observed.find((one) => one.item.name === item.name)?.isInPlace === true;
    const reached = isWriteOpen(item) && isInPlace ? confirmItem(item, now) : item; // by a write whose answer was lost
    if (reached.state === "Pending" || isWriteOpen(reached))
      return withState(reached, "Pending", `Not applied: ${why}`, now);
    if (reached.state !== "InProgress") return reached;
    return withState(reached, "Failed", `No longer waiting for the rollout: ${why}`, now);
  });
}

/** In force without us, so there is no object whose rollout could be followed. */
export function isSkipped({ changes, operation, reviewed }: Item): boolean {
  return !changes && operation === "Apply" && reviewed?.uid === "";
}

export function worstImpact(items: readonly Pick<Item, "impactSeverity">[], otherwise: Severity): Severity {
  if (items.length === 0) return otherwise;
  return severities.findLast((severity) => items.some(({ impactSeverity }) => impactSeverity === severity)) ?? "Low";
}

/** The roles that a stored plan was drafted for: while it is executed or guarded, nodes that come and go do not change it. */
export function rolesIn(items: readonly Item[]): readonly NodeRole[] {
  const recorded = items.filter(isMachineConfig).map(({ desiredState }) => desiredState?.metadata.labels?.[roleLabel]);
  const roles = nodeRoles.filter((role) => recorded.includes(role));
  return roles.length > 0 ? roles : ["worker"];
}
