// How an item moves from state to state.

import type { Item, ItemState } from "@virt/api";
import { equalDiff } from "@virt/engine";
import type { ItemSeen } from "./observed.ts";
import { stamp } from "./stamp.ts";
import { texts } from "./texts.ts";

/** Its time moves with its state alone. */
export function inState(item: Item, state: ItemState, message: string, now: number): Item {
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
export function completed(item: Item, message: string, now: number): Item {
  return { ...inState(item, "Completed", message, now), diff: equalDiff(item.targetRef) };
}

/** Begun and not confirmed: whether its write arrived must be found out. */
export function isBegun({ state, changes, appliedTime }: Item): boolean {
  return state === "InProgress" && changes && appliedTime === undefined;
}

export function isMachineConfig({ targetRef }: Pick<Item, "targetRef">): boolean {
  return targetRef.kind === "MachineConfig" && targetRef.apiVersion.startsWith("machineconfiguration.openshift.io/");
}

/** On record before it is done; the clock of a rollout starts here. */
export function begun({ item, pools }: Pick<ItemSeen, "item" | "pools">, now: number): Item {
  const message = item.operation === "Delete" ? texts.deletingItem : texts.applyingItem;
  const rollout = isMachineConfig(item) ? { rollout: { startTime: stamp(now), before: pools } } : {};
  return { ...inState(item, "InProgress", message, now), ...rollout };
}

/** Its write was confirmed. A rollout goes on from here; all else is done. */
export function confirmed(item: Item, now: number): Item {
  const applied = { ...item, appliedTime: stamp(now), diff: equalDiff(item.targetRef) };
  if (isMachineConfig(item)) return applied;
  return completed(applied, item.operation === "Delete" ? texts.deletedItem : texts.appliedItem, now);
}

/** In force without us, so there is no object whose rollout could be followed. */
export function isSkipped({ changes, operation, reviewed }: Item): boolean {
  return !changes && operation === "Apply" && reviewed?.uid === "";
}
