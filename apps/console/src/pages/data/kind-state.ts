// The state of the watched kinds, and how stream lines change it.

import type { KubeObject } from "@virt/api";
import type { StreamLine, WatchedName } from "@virt/views";

/** `loading` until the first list. `absent`: the kind is not served. */
export type KindState = {
  readonly state: "loading" | "listed" | "absent" | "forbidden" | "unauthorized";
  /** Keyed by namespace and name. Objects stay if the API server becomes unreachable. */
  readonly objects: ReadonlyMap<string, KubeObject>;
  /** `<plural>.<group>` if the kind is absent or forbidden. */
  readonly resource: string;
  /** Why the objects may be out of date. Undefined: they are current. */
  readonly problem: string | undefined;
};

export type KindStates = Readonly<Partial<Record<WatchedName, KindState>>>;

export const unknownKind: KindState = { state: "loading", objects: new Map(), resource: "", problem: undefined };

function watchedKey({ metadata }: Pick<KubeObject, "metadata">): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

/** Applies the lines. Unchanged kinds keep their identity, so that React does not render them again. */
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

/** Drops unwatched kinds with a problem, because the problem would never clear without a watch. */
export function dropUnwatchedProblems(states: KindStates, watched: readonly WatchedName[]): KindStates {
  const kept = Object.entries(states).filter(
    ([name, { problem }]) => problem === undefined || watched.includes(name as WatchedName),
  );
  return Object.fromEntries(kept);
}

function byKey(objects: readonly KubeObject[]): ReadonlyMap<string, KubeObject> {
  return new Map(objects.map((object) => [watchedKey(object), object]));
}
