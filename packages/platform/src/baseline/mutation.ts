// Tracks fields that admission webhooks or policies changed in the operator's writes.

import type { Json, KubeObject } from "@virt/api";
import {
  type Change,
  equalJson,
  isSameMeaning,
  leafPaths,
  type Path,
  showValue,
  valueAt,
  writePath,
} from "@virt/objects";
import { isMet } from "./compare.ts";
import type { ObjectMemory, ObservedObject } from "./observe-object.ts";

/** Changes that admission made to the operator's last write, and the time of the next attempt. */
export type Mutation = {
  readonly intent: KubeObject;
  readonly changes: readonly Change[];
  /** Consecutive responses with these changes. */
  readonly times: number;
  /** Monotonic milliseconds. */
  readonly askAgainAt: number;
};

const firstMs = 2_000;
const longestMs = 1_800_000;

/** Returns the fields that admission changed. Ignores defaults, equivalent values and other clients' additions. */
export function mutatedFields(
  intent: KubeObject,
  answer: KubeObject,
  { shapeOf, defaultOf }: Pick<ObservedObject, "shapeOf" | "defaultOf">,
): readonly Change[] {
  return leafPaths(intent, shapeOf).flatMap((path) => {
    const [wanted, there] = [valueAt(intent, path), valueAt(answer, path)];
    const isDefault = (names: readonly string[], value: Json) =>
      equalJson(defaultOf([...path, ...below(names)]), value);
    if (isMet({ path, wanted, there }, shapeOf) || isSameMeaning(wanted, there, isDefault)) return [];
    return [{ path, ...(there !== undefined && { live: there }), ...(wanted !== undefined && { desired: wanted }) }];
  });
}

function below(names: readonly string[]): Path {
  return names.map((name) => (name === "[]" ? "i:0" : `f:${name}`));
}

/** Returns the memory after a write or a dry run. Each repeated mutation doubles the delay, up to 30 minutes. */
export function rememberAnswer(
  memory: ObjectMemory,
  { intent, answer, seen }: { readonly intent: KubeObject; readonly answer: KubeObject; readonly seen: ObservedObject },
): ObjectMemory {
  const { mutation: before, ...rest } = memory;
  const changes = mutatedFields(intent, answer, seen);
  const known = { ...rest, answer, sent: intent };
  if (changes.length === 0) return known;
  const times = before !== undefined && equalJson(before.intent, intent) ? before.times + 1 : 1;
  const askAgainAt = seen.monotonicMs + Math.min(longestMs, firstMs * 2 ** (times - 1));
  return { ...known, mutation: { intent, changes, times, askAgainAt } };
}

/** Resets the delay after webhooks or policies have changed, so that the next check runs immediately. */
export function askedAnew(memory: ObjectMemory): ObjectMemory {
  const { mutation, ...rest } = memory;
  return mutation === undefined
    ? rest
    : { ...rest, mutation: { ...mutation, times: 0, askAgainAt: Number.NEGATIVE_INFINITY } };
}

/** Returns the stored mutation if it belongs to this intent. */
export function mutationOf(intent: KubeObject, { memory }: Pick<ObservedObject, "memory">): Mutation | undefined {
  const { mutation } = memory;
  return mutation !== undefined && equalJson(mutation.intent, intent) ? mutation : undefined;
}

/** Returns a string such as `/spec/mode is "Predictive" (applied: "Automatic")`. */
export function describeMutation(changes: readonly Change[]): string {
  return changes
    .map(({ path, live, desired }) => `${writePath(path)} is ${showValue(live)} (applied: ${showValue(desired)})`)
    .join("; ");
}
