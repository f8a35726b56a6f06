// Plays a scenario on objects in memory, for tests: the same actors, no server, time as fast as it goes.

import { isMap, type Json, type KubeObject } from "@virt/engine";
import { actors } from "./actors/index.ts";
import { keyOf } from "./actors/setup.ts";
import { Agenda } from "./agenda.ts";
import type { Kind } from "./kinds.ts";
import type { Scenario } from "./scenario.ts";
import { patchFor, type Wish } from "./wish.ts";
import type { World } from "./world.ts";

export type Rehearsal = {
  readonly objects: Map<string, KubeObject>;
  readonly history: string[];
  /** Rounds until nobody wants anything any more; `watch` sees each state in between. */
  readonly play: (watch?: (world: World) => unknown) => void;
  readonly put: (object: KubeObject) => void;
};

const outset = "2030-01-01T00:00:00Z";
const usualVersions: Partial<Record<Kind, string>> = { HyperConverged: "hco.kubevirt.io/v1beta1" };

/** `created` says when each object is created, as a slow server does: seconds pass between two of one moment. */
export function rehearse(scenario: Scenario, seed: number, created: () => string = () => outset): Rehearsal {
  const objects = new Map<string, KubeObject>();
  const history: string[] = [];
  const made = new Set<string>();
  let timers: ReadonlyMap<string, number> = new Map();
  let now = 0;
  const known = new Map<Kind, readonly KubeObject[]>();
  const read = (kind: Kind) => {
    const present = [...objects.values()].filter((object) => object.kind === kind);
    known.set(
      kind,
      present.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1)),
    );
    return known.get(kind) ?? [];
  };
  const world: World = {
    scenario,
    seed,
    made,
    wall: outset,
    of: (kind) => known.get(kind) ?? read(kind),
    versionOf: (kind) => usualVersions[kind] ?? "served",
  };
  const put = (object: KubeObject) => {
    const birth = { creationTimestamp: created(), generation: 1, uid: `uid-${objects.size}` };
    objects.set(keyOf(object), { ...object, metadata: { ...birth, ...object.metadata } });
  };
  const round = (): number | undefined => {
    known.clear();
    const agenda = new Agenda(now, timers);
    const wishes = actors.flatMap((actor) => actor(world, agenda));
    timers = agenda.open;
    const done = wishes.filter((wish) => fulfil({ objects, put }, wish));
    known.clear();
    for (const { key } of wishes) if (key !== undefined) made.add(key);
    history.push(...done.flatMap(({ event }) => event ?? []));
    return done.length > 0 ? now : agenda.next;
  };
  const play: Rehearsal["play"] = (watch) => {
    for (let rounds = 0; rounds < 20_000; rounds++) {
      const next = round();
      watch?.(world);
      if (next === undefined) return;
      now = next;
    }
    throw new Error("it does not come to rest");
  };
  return { objects, history, play, put };
}

/** True if something had to be done for it. */
function fulfil({ objects, put }: Pick<Rehearsal, "objects" | "put">, wish: Wish): boolean {
  const key = keyOf(wish.object);
  const live = objects.get(key);
  if (wish.kind === "delete") return objects.delete(key);
  if (wish.kind === "create") {
    if (live === undefined) put(wish.object);
    return live === undefined;
  }
  const patch = live === undefined ? undefined : patchFor(live, wish.fields);
  if (live === undefined || patch === undefined) return false;
  const generation = (live.metadata.generation ?? 1) + (patch["spec"] === undefined ? 0 : 1);
  const after = merged(live, patch) as KubeObject;
  objects.set(key, { ...after, metadata: { ...after.metadata, generation } });
  return true;
}

/** A merge patch, as the API server applies it. */
export function merged(live: Json | undefined, patch: Json): Json {
  if (!isMap(patch)) return patch;
  const kept: Record<string, Json | undefined> = { ...(isMap(live) ? live : {}) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) delete kept[key];
    else kept[key] = merged(kept[key], value);
  }
  return kept;
}
