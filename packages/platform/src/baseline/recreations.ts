// How often somebody's deletion of an object was undone of late.

import type { KubeObject } from "@virt/api";
import { platformRule } from "@virt/engine";
import type { ObjectMemory } from "./object-seen.ts";
import { readState } from "./state.ts";

/** Those within the window. */
export function recreations({ recreated = [] }: ObjectMemory, now: number): readonly number[] {
  return recreated.filter((time) => now - time < platformRule.windowMs);
}

/** How long it is not made again, once it was often enough. */
export function restAfter(recreated: readonly number[], now: number): number | undefined {
  const first = recreated.at(-platformRule.limit);
  // A clock that went back must not make anybody wait for longer than the rule says.
  return first === undefined ? undefined : Math.min(platformRule.windowMs, first + platformRule.windowMs - now);
}

/**
 * What its presence tells for the time when it is gone. The object carries the count through a restart, the process where
 * somebody takes it off the object; to a process that starts while it is gone, a creation is the first one.
 */
export function noteThere(memory: ObjectMemory, live: KubeObject): ObjectMemory {
  const recreated = new Set([...(memory.recreated ?? []), ...readState(live).recreated]);
  return { ...memory, wasThere: true, recreated: [...recreated].toSorted((left, right) => left - right) };
}
