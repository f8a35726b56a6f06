// The state of each watched kind, and how it changes with each line of the stream.

import type { KubeObject } from "@virt/api";
import type { StreamLine, WatchedName } from "@virt/views";

/** The state of one kind: `loading` until the first list is complete, `absent` if the kind is not served. */
export type KindState = {
  readonly state: "loading" | "listed" | "absent" | "forbidden" | "unauthorized";
  /** Keyed by namespace and name. Kept while the API server is unreachable. */
  readonly objects: ReadonlyMap<string, KubeObject>;
  /** The resource as `<plural>.<group>`, if the kind is absent or forbidden. */
  readonly resource: string;
  /** Why the objects may be out of date. Undefined if they are up to date. */
  readonly problem: string | undefined;
};

export type KindStates = Readonly<Partial<Record<WatchedName, KindState>>>;

export const unknownKind: KindState = { state: "loading", objects: new Map(), resource: "", problem: undefined };

function watchedKey({ metadata }: Pick<KubeObject, "metadata">): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

/** Applies stream lines. Unchanged kinds keep their identity, so that React does not re-render them. */
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

export function areCurrent(states: KindStates): boolean {
  return Object.values(states).every(({ problem }) => problem === undefined);
}

/** Drops kinds that have a problem and are no longer watched. Without a watch, the problem would never clear. */
export function dropUnwatchedProblems(states: KindStates, watched: readonly WatchedName[]): KindStates {
  const kept = Object.entries(states).filter(
    ([name, { problem }]) => problem === undefined || watched.includes(name as WatchedName),
  );
  return Object.fromEntries(kept);
}

function byKey(objects: readonly KubeObject[]): ReadonlyMap<string, KubeObject> {
  return new Map(objects.map((object) => [watchedKey(object), object]));
}
