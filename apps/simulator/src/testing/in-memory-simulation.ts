// Runs a scenario in memory with the same controllers, but without a server, as fast as possible.

import { asList, at, isMap, type Json, type KubeObject, member, writeTime } from "@virt/objects";
import type { ClusterState, Kind } from "../cluster-state.ts";
import { simulatedControllers } from "../controllers/index.ts";
import { scenarioObjectKey } from "../controllers/scenario-objects.ts";
import { readNode } from "../node-state.ts";
import { type ObjectWrite, patchFor } from "../object-writes.ts";
import type { Scenario } from "../scenario.ts";
import { SimulatedTimers } from "../simulated-timers.ts";

export type InMemorySimulation = {
  readonly objects: Map<string, KubeObject>;
  readonly history: string[];
  /** Runs rounds until the cluster is idle. Calls `watch` for each state. */
  readonly runUntilIdle: (watch?: (cluster: ClusterState) => unknown) => void;
  /** Like runUntilIdle, but also stops if a node is degraded, because a stuck drain retries forever. */
  readonly runUntilStuck: (watch: (cluster: ClusterState) => unknown) => void;
  readonly runUntil: (isOver: (cluster: ClusterState) => boolean) => void;
  /** Runs rounds for this many simulated seconds, even if the cluster is idle. Calls `watch` for each state. */
  readonly runFor: (seconds: number, watch?: () => unknown) => void;
  readonly seconds: () => number;
  readonly addObject: (object: KubeObject) => void;
};

const startTime = "2030-01-01T00:00:00Z";
const servedVersions: Partial<Record<Kind, string>> = { HyperConverged: "hco.kubevirt.io/v1beta1" };

/** `created` returns the creation times of objects. They may lag behind simulated time, as with a slow server. */
export function simulateInMemory(
  scenario: Scenario,
  seed: number,
  created: () => string = () => startTime,
): InMemorySimulation {
  const objects = new Map<string, KubeObject>();
  const history: string[] = [];
  const made = new Set<string>();
  let pending: ReadonlyMap<string, number> = new Map();
  let now = 0;
  let timestamp = startTime;
  let byKind: ReadonlyMap<string, readonly (readonly [string, KubeObject])[]> | undefined;
  const known = new Map<Kind, readonly KubeObject[]>();
  const read = (kind: Kind) => {
    byKind ??= Map.groupBy(objects, ([, object]) => object.kind);
    const present = byKind.get(kind) ?? [];
    const sorted = present.toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, object]) => object);
    known.set(kind, sorted);
    return sorted;
  };
  const forget = () => {
    known.clear();
    byKind = undefined;
  };
  const cluster: ClusterState = {
    scenario,
    seed,
    createdKeys: made,
    get timestamp() {
      return timestamp;
    },
    list: (kind) => known.get(kind) ?? read(kind),
    servedVersion: (kind) => servedVersions[kind] ?? "served",
  };
  const put = (object: KubeObject) => {
    const birth = { creationTimestamp: created(), generation: 1, uid: `uid-${objects.size}` };
    objects.set(scenarioObjectKey(object), { ...object, metadata: { ...birth, ...object.metadata } });
  };
  const round = (): number | undefined => {
    forget();
    timestamp = writeTime(Date.parse(startTime) + Math.floor(now / 1000) * 1000);
    const timers = new SimulatedTimers(now, pending);
    const writes = simulatedControllers.flatMap((actor) => actor(cluster, timers));
    pending = timers.pending;
    const done = writes.filter((write) => applyInMemory({ objects, addObject: put }, write));
    forget();
    for (const { key } of writes) if (key !== undefined) made.add(key);
    history.push(...done.flatMap(({ event }) => event ?? []));
    return done.length > 0 ? now : timers.nextDue;
  };
  const run = (isOver: (isIdle: boolean) => boolean) => {
    for (let rounds = 0; rounds < 5_000; rounds++) {
      const next = round();
      if (isOver(next === undefined)) return;
      if (next === undefined) throw new Error("it came to rest before that");
      now = next;
    }
    throw new Error("it does not come to rest");
  };
  return {
    objects,
    history,
    runUntilIdle: (watch) =>
      run((isIdle) => {
        watch?.(cluster);
        return isIdle;
      }),
    runUntilStuck: (watch) =>
      run((isIdle) => {
        watch(cluster);
        return isIdle || cluster.list("Node").some((node) => readNode(node).phase === "Degraded");
      }),
    runUntil: (isOver) => run(() => isOver(cluster)),
    runFor: (seconds, watch) => {
      const end = now + seconds * 1000;
      for (let rounds = 0; rounds < 5_000; rounds++) {
        const next = round();
        watch?.();
        if (next === undefined || next > end) {
          now = end;
          return;
        }
        now = next;
      }
      throw new Error("it does not come to rest");
    },
    seconds: () => now / 1000,
    addObject: put,
  };
}

export function startedSimulation(scenario: Scenario, seed = 1): InMemorySimulation {
  const simulation = simulateInMemory(scenario, seed);
  simulation.runUntilIdle();
  return simulation;
}

export function objectsOf({ objects }: InMemorySimulation, kind: string): readonly KubeObject[] {
  return [...objects.values()].filter((object) => object.kind === kind);
}

export function conditionOf(object: KubeObject | undefined, type: string): Json | undefined {
  return asList(at(object, "status", "conditions")).find((condition) => member(condition, "type") === type);
}

function applyInMemory(
  { objects, addObject }: Pick<InMemorySimulation, "objects" | "addObject">,
  write: ObjectWrite,
): boolean {
  const key = scenarioObjectKey(write.object);
  const live = objects.get(key);
  if (write.kind === "delete") return deleteInMemory(objects, key);
  if (write.kind === "create" || (write.kind === "apply" && live === undefined)) {
    if (live === undefined) addObject(write.object);
    return live === undefined;
  }
  const fields = write.kind === "set" ? write.fields : write.object;
  const patch = live === undefined ? undefined : patchFor(live, fields);
  if (live === undefined || patch === undefined) return false;
  const generation = (live.metadata.generation ?? 1) + (patch["spec"] === undefined ? 0 : 1);
  const after = mergePatch(live, patch) as KubeObject;
  const isGone = at(after, "metadata", "deletionTimestamp") !== undefined && !isHeld(after);
  if (isGone) objects.delete(key);
  else objects.set(key, { ...after, metadata: { ...after.metadata, generation } });
  return true;
}

function isHeld(object: KubeObject): boolean {
  return asList(at(object, "metadata", "finalizers")).length > 0;
}

function deleteInMemory(objects: Map<string, KubeObject>, key: string): boolean {
  const live = objects.get(key);
  if (live === undefined || !isHeld(live)) return objects.delete(key);
  if (at(live, "metadata", "deletionTimestamp") !== undefined) return false;
  objects.set(key, { ...live, metadata: { ...live.metadata, deletionTimestamp: startTime } });
  return true;
}

export function mergePatch(live: Json | undefined, patch: Json): Json {
  if (!isMap(patch)) return patch;
  const kept: Record<string, Json | undefined> = { ...(isMap(live) ? live : {}) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) delete kept[key];
    else kept[key] = mergePatch(kept[key], value);
  }
  return kept;
}
