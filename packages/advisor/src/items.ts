import { type Item, type ItemState, type Severity, severities } from "@virt/api";
import { type NodeRole, nodeRoles, roleLabel } from "@virt/cluster";
import { equalDiff } from "@virt/objects";
import type { Observed, ObservedItem } from "./observed.ts";
import { stamp } from "./times.ts";

/** Messages on which users and scripts rely. Do not change them. */
export const itemMessages = {
  applying: "Applying configuration...",
  deleting: "Deleting resource...",
  applied: "Applied successfully",
  deleted: "Deleted successfully",
  unchanged: "Already in desired state",
  correcting: "Re-applying to fix drift (bypassOptimisticLock)",
} as const;

/** Returns the item with this state and message. Changes `lastTransitionTime` only if the state changes. */
export function withState(item: Item, state: ItemState, message: string, now: number): Item {
  if (item.state === state) return { ...item, message };
  return { ...item, state, message, lastTransitionTime: stamp(now) };
}

/** Copies the times of items whose state is the same in the new plan. */
export function withTimesOf(before: readonly Item[], items: readonly Item[]): readonly Item[] {
  return items.map((item) => {
    const same = before.find(({ name, state }) => name === item.name && state === item.state);
    if (same === undefined || same.lastTransitionTime === item.lastTransitionTime) return item;
    const { lastTransitionTime: _moved, ...rest } = item;
    return { ...rest, ...(same.lastTransitionTime && { lastTransitionTime: same.lastTransitionTime }) };
  });
}

export function completeItem(item: Item, message: string, now: number): Item {
  return { ...withState(item, "Completed", message, now), diff: equalDiff(item.targetRef) };
}

/** Reports whether the write was started but not confirmed. It may or may not have succeeded. */
export function isWriteOpen({ state, changes, appliedTime }: Item): boolean {
  return state === "InProgress" && changes && appliedTime === undefined;
}

/** Reports whether the target has the desired content, with or without a write. Its rollout may still be in progress. */
export function isApplied(item: Item): boolean {
  return item.state === "Completed" || (item.state === "InProgress" && !isWriteOpen(item));
}

/** Reports whether the target is a MachineConfig of the Machine Config Operator, in any version. */
export function isMachineConfig({ targetRef }: Pick<Item, "targetRef">): boolean {
  return targetRef.kind === "MachineConfig" && targetRef.apiVersion.startsWith("machineconfiguration.openshift.io/");
}

/** Marks the item as started, before its write. The timeout for its rollout starts now. */
export function startItem({ item, pools }: Pick<ObservedItem, "item" | "pools">, now: number): Item {
  const message = item.operation === "Delete" ? itemMessages.deleting : itemMessages.applying;
  const rollout = isMachineConfig(item) ? { rollout: { startTime: stamp(now), before: pools } } : {};
  return { ...withState(item, "InProgress", message, now), ...rollout };
}

export function confirmItem(item: Item, now: number, awaitsReport = false): Item {
  const applied = { ...item, appliedTime: stamp(now), diff: equalDiff(item.targetRef) };
  if (isMachineConfig(item) || awaitsReport) return applied;
  return completeItem(applied, item.operation === "Delete" ? itemMessages.deleted : itemMessages.applied, now);
}

/** Ends the wait of all remaining items after a failure. The message of each item shows how far it got. */
export function closeFailedItems(
  items: readonly Item[],
  { items: observed, now }: Pick<Observed, "items" | "now">,
): readonly Item[] {
  const failed = items.find(({ state }) => state === "Failed");
  const why = failed === undefined ? "the plan failed" : `item '${failed.name}' failed`;
  return items.map((item) => {
    const isInPlace = observed.find((one) => one.item.name === item.name)?.isInPlace === true;
    const reached = isWriteOpen(item) && isInPlace ? confirmItem(item, now) : item; // the write succeeded, but its response was lost
    if (reached.state === "Pending" || isWriteOpen(reached))
      return withState(reached, "Pending", `Not applied: ${why}`, now);
    if (reached.state !== "InProgress") return reached;
    return withState(reached, "Failed", `No longer waiting for the rollout: ${why}`, now);
  });
}

/** Reports whether other settings make the item unnecessary. Such an item has no object to watch. */
export function isSkipped({ changes, operation, reviewed }: Item): boolean {
  return !changes && operation === "Apply" && reviewed?.uid === "";
}

export function worstImpact(items: readonly Pick<Item, "impactSeverity">[], otherwise: Severity): Severity {
  if (items.length === 0) return otherwise;
  return severities.findLast((severity) => items.some(({ impactSeverity }) => impactSeverity === severity)) ?? "Low";
}

/** Returns the roles that the stored plan was drafted for, regardless of later node changes. */
export function rolesIn(items: readonly Item[]): readonly NodeRole[] {
  const recorded = items.filter(isMachineConfig).map(({ desiredState }) => desiredState?.metadata.labels?.[roleLabel]);
  const roles = nodeRoles.filter((role) => recorded.includes(role));
  return roles.length > 0 ? roles : ["worker"];
}
