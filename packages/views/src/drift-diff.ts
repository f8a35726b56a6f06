// Computes the complete diff of a drifted object, from its live state to the state that the plan applied.

import type { Item, Json, KubeObject } from "@virt/api";
import { entriesOf, isMap, wholeDiff } from "@virt/objects";
import type { LiveTarget } from "./drift-rows.ts";

/**
 * Returns the diff, or undefined if the live object could not be read. Fields that the plan does not set are the same
 * on both sides.
 */
export function driftDiff(
  { operation, desiredState }: Pick<Item, "operation" | "desiredState">,
  live: LiveTarget,
): string | undefined {
  if (live.kind === "unknown") return undefined;
  const found = live.kind === "found" ? live.object : undefined;
  if (operation === "Delete" || desiredState === undefined) return wholeDiff(found, undefined, { isRaw: false });
  const desired = found === undefined ? desiredState : (overlay(found, desiredState) as KubeObject);
  return wholeDiff(found, desired, { isRaw: false });
}

/** Merges maps member by member and replaces lists and scalars, as the drift check compares them. */
function overlay(live: Json | undefined, desired: Json): Json {
  if (!isMap(live) || !isMap(desired)) return desired;
  const set = entriesOf(desired).map(([key, value]) => [key, overlay(live[key], value)] as const);
  return { ...live, ...Object.fromEntries(set) };
}
