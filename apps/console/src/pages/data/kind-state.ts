// What a page knows of the kinds that it watches, and how lines of the stream change that. Pure.

import type { KubeObject } from "@virt/api";
import type { StreamLine, WatchedName } from "@virt/client";

/** `loading` until the first list; a kind that is not served is `absent`. */
export type KindState = {
  readonly state: "loading" | "listed" | "absent" | "forbidden" | "unauthorized";
  /** By namespace and name; what was listed stays while the API server cannot be reached. */
  readonly objects: ReadonlyMap<string, KubeObject>;
  /** `<plural>.<group>`, where it is absent or forbidden. */
  readonly resource: string;
  /** Why it may be old; undefined: it is not. */
  readonly problem: string | undefined;
};

export type KindStates = Readonly<Partial<Record<WatchedName, KindState>>>;

export const unknownKind: KindState = { state: "loading", objects: new Map(), resource: "", problem: undefined };

function watchedKey({ metadata }: Pick<KubeObject, "metadata">): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

/** The states after these lines. Kinds of which no line speaks keep their very value. */
export function applyLines(states: KindStates, lines: readonly StreamLine[]): KindStates {
  const next: Partial<Record<WatchedName, KindState>> = { ...states };
  const copied = new Map<WatchedName, Map<string, KubeObject>>();
  for (const line of lines) {
    if (!("of" in line)) continue;
    const before = next[line.of] ?? unknownKind;
    switch (line.type) {
      case "list":
        copied.delete(line.of);
        next[line.of] = { state: "listed", objects: byKey(line.objects), resource: "", problem: undefined };
        break;
      case "changed":
      case "removed": {
        const objects = copied.get(line.of) ?? new Map(before.objects);
        copied.set(line.of, objects);
        if (line.type === "changed") objects.set(watchedKey(line.object), line.object);
        else objects.delete(watchedKey(line.object));
        next[line.of] = { ...before, objects, problem: undefined };
        break;
      }
      case "absent":
      case "forbidden":
        copied.delete(line.of);
        next[line.of] = { state: line.type, objects: new Map(), resource: line.resource, problem: undefined };
        break;
      case "unauthorized":
        next[line.of] = { ...before, state: "unauthorized", problem: "unauthorized" };
        break;
      case "unavailable":
        next[line.of] = { ...before, problem: line.message };
        break;
    }
  }
  return next;
}

/** Whether all that is known is what the API server says now. */
export function areCurrent(states: KindStates): boolean {
  return Object.values(states).every(({ problem }) => problem === undefined);
}

/** A problem of a kind that is not watched any more would never end: what was known of it is dropped with it. */
export function dropUnwatchedProblems(states: KindStates, watched: readonly WatchedName[]): KindStates {
  const kept = Object.entries(states).filter(
    ([name, { problem }]) => problem === undefined || watched.includes(name as WatchedName),
  );
  return Object.fromEntries(kept);
}

function byKey(objects: readonly KubeObject[]): ReadonlyMap<string, KubeObject> {
  return new Map(objects.map((object) => [watchedKey(object), object]));
}
