// Simulates an API server with one object: server-side apply, updates and field ownership.

import type { Json, JsonMap, KubeObject } from "@virt/api";
import {
  entriesOf,
  equalJson,
  isMap,
  leafPaths,
  noSchema,
  type Path,
  valueAt,
  writePath,
  writeTime,
} from "@virt/objects";

import { isMet } from "../baseline/compare.ts";

export type ClusterEntry = {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly paths: readonly Path[];
  readonly time?: string;
};

/** Returns field paths from names between slashes, such as `spec/a`. */
export const paths = (...texts: readonly string[]): readonly Path[] =>
  texts.map((text) => text.split("/").map((name) => `f:${name.replaceAll("~1", "/")}`));

export function withOwners(object: KubeObject, entries: readonly ClusterEntry[]): KubeObject {
  const managedFields = entries.map(({ paths: owned, ...entry }) => ({ ...entry, fieldsV1: fieldsOf(owned) }));
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

/** Returns fieldsV1 as the server does: a map that is itself owned has a `.` entry. */
function fieldsOf(owned: readonly Path[]): JsonMap {
  const names = [...new Set(owned.flatMap(([name]) => name ?? []))];
  return Object.fromEntries(
    names.map((name) => {
      const below = owned.filter(([first]) => first === name).map((path) => path.slice(1));
      const inner = fieldsOf(below.filter((path) => path.length > 0));
      const isOwned = below.some((path) => path.length === 0) && Object.keys(inner).length > 0;
      return [name, isOwned ? { ".": {}, ...inner } : inner];
    }),
  );
}

/** Merges maps member by member and replaces lists. Applies always force. */
export class SmallCluster {
  #object: KubeObject;
  #entries: readonly ClusterEntry[] = [];
  #version = 1;
  #shown: KubeObject | undefined;

  constructor(object: KubeObject, manager = "installer") {
    this.#object = object;
    this.#own({ manager, operation: "Update", paths: leafPaths(object, noSchema) });
  }

  get live(): KubeObject {
    this.#shown ??= this.#show();
    return this.#shown;
  }

  #show(): KubeObject {
    const { resourceVersion: _, ...metadata } = this.#object.metadata;
    const shown = { ...this.#object, metadata: { ...metadata, uid: "uid", resourceVersion: `${this.#version}` } };
    return withOwners(shown, this.#entries);
  }

  predict(manager: string, desired: KubeObject, now: number): KubeObject {
    const copy = new SmallCluster(this.#object);
    copy.#entries = this.#entries;
    copy.#version = this.#version;
    copy.apply(manager, desired, now);
    return copy.live;
  }

  apply(manager: string, desired: KubeObject, now: number): KubeObject {
    const wanted = leafPaths(desired, noSchema);
    const isWanted = new Set(wanted.map(writePath));
    const before = this.#entries.find((entry) => entry.manager === manager && entry.operation === "Apply");
    const left = (before?.paths ?? []).filter((path) => !isWanted.has(writePath(path)));
    const differs = (path: Path) =>
      !isMet({ path, wanted: valueAt(desired, path), there: valueAt(this.#object, path) }, noSchema);
    const changed = wanted.filter(differs);
    this.#take(changed, manager);
    this.#entries = this.#entries.filter((entry) => entry !== before);
    for (const path of left) if (!this.#isOwned(path)) this.#set(path, undefined);
    for (const path of changed) this.#set(path, valueAt(desired, path));
    this.#own({ manager, operation: "Apply", paths: wanted, time: writeTime(now - (now % 1000)) });
    return this.#changed();
  }

  /** Applies edits. An undefined value removes the field. */
  update(manager: string, edits: readonly (readonly [Path, Json | undefined])[], now: number): KubeObject {
    const changed = edits.filter(([path, value]) => !equalJson(valueAt(this.#object, path), value));
    for (const [path, value] of changed) this.#set(path, value);
    const gone = changed.map(([path]) => path);
    const before = this.#entries.find((entry) => entry.manager === manager && entry.operation === "Update");
    this.#take(gone, manager);
    this.#entries = this.#entries.filter((entry) => !(entry.manager === manager && entry.operation === "Update"));
    const kept = (before?.paths ?? []).filter((path) => !gone.some((one) => writePath(one) === writePath(path)));
    const owned = [...kept, ...changed.flatMap(([path, value]) => (value === undefined ? [] : [path]))];
    this.#own({ manager, operation: "Update", paths: owned, time: writeTime(now - (now % 1000)) });
    return changed.length > 0 ? this.#changed() : this.live;
  }

  #changed(): KubeObject {
    this.#version++;
    this.#shown = undefined;
    return this.live;
  }

  #take(taken: readonly Path[], by: string): void {
    const isTaken = new Set(taken.map(writePath));
    this.#entries = this.#entries
      .map((entry) => ({ ...entry, paths: entry.paths.filter((path) => !isTaken.has(writePath(path))) }))
      .filter(({ paths: owned, manager }) => owned.length > 0 || manager === by);
  }

  #own(entry: ClusterEntry): void {
    if (entry.paths.length > 0) this.#entries = [...this.#entries, entry];
  }

  #isOwned(path: Path): boolean {
    return this.#entries.some((entry) => entry.paths.some((one) => writePath(one) === writePath(path)));
  }

  #set(path: Path, value: Json | undefined): void {
    this.#object = set(this.#object, path, value) as KubeObject;
  }
}

function set(into: Json | undefined, [element, ...rest]: Path, value: Json | undefined): Json | undefined {
  if (element === undefined) return value;
  const map = isMap(into) ? into : {};
  const name = element.slice(2);
  const others = entriesOf(map).filter(([key]) => key !== name);
  const inner = set(map[name], rest, value);
  return Object.fromEntries(inner === undefined ? others : [...others, [name, inner]]);
}
