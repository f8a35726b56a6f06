// What the caches show, as the world in which assets are judged.

import type { KubeObject, Ref } from "@virt/api";
import { oncePer } from "@virt/engine";
import { crdWatch, type Watch, type WatchSpec } from "@virt/kube";
import { buildWorld as build, type Listed, type Lookup, type World, type WorldGiven } from "@virt/platform";
import { configWatch } from "../advisor/watches.ts";
import type { Remembered } from "../remembered.ts";
import type { Settings } from "../settings.ts";
import {
  infrastructureWatch,
  kindWatch,
  managedWatch,
  namespaceWatch,
  nodeWatch,
  objectWatch,
  poolWatchOf,
  schedulerWatch,
} from "./watches.ts";

export type WorldParts = Omit<WorldGiven, "lookup"> & Caches & { readonly settings: Pick<Settings, "hcoNamespace"> };

type Caches = { readonly find: (spec: WatchSpec) => Watch | undefined; readonly remembered: Remembered };

/** What all is made from stays the same until it changes; its version moves on with its status, and writes need the newest. */
export function buildWorld(hco: KubeObject | undefined, parts: WorldParts): World {
  const world = build(hco, { ...parts, lookup: lookupInCaches(parts) });
  const newestOf = ({ metadata }: KubeObject, ref: Ref) =>
    [...(parts.find(managedWatch(ref, parts.settings.hcoNamespace))?.store.items() ?? [])].find(
      (one) => one.metadata.uid === metadata.uid,
    );
  return {
    ...world,
    live: (ref) => (ref.kind === "HyperConverged" && hco !== undefined ? newestOf(hco, ref) : world.live(ref)),
  };
}

function lookupInCaches({ find, remembered }: Caches): Lookup {
  const list = (spec: WatchSpec) => listed(spec, find(spec));
  return {
    // Thousands, of which nobody needs the version: while the list is the same one, what was read of it is not read again.
    nodes: () => listed(nodeWatch, find(nodeWatch), (store) => store.told),
    infrastructure: () => list(infrastructureWatch),
    scheduler: () => list(schedulerWatch),
    plans: () => list(configWatch),
    namespace: (name) => list(namespaceWatch(name)),
    object: (ref) => list(objectWatch(ref)),
    objects: (apiVersion, kind, parts) => list(kindWatch(apiVersion, kind, parts)),
    pool: (name) => list(poolWatchOf(name)),
    crds: servedCrds(find(crdWatch)?.store.told ?? []),
    crdTrouble: listed(crdWatch, find(crdWatch)).trouble,
    schema: remembered.schemaNow,
    rendered: (name) => {
      const value = remembered.renderedNow(name);
      return value === undefined ? { trouble: remembered.troubleOf(name) } : { value };
    },
  };
}

/** One that is being deleted takes nothing any more. */
const servedCrds = oncePer((crds: readonly KubeObject[]): ReadonlySet<string> => {
  const served = crds.filter(({ metadata }) => metadata["deletionTimestamp"] === undefined);
  return new Set(served.map(({ metadata }) => metadata.name));
});

const newest = (store: Watch["store"]): readonly KubeObject[] => [...store.items()];

function listed({ kind }: WatchSpec, watch: Watch | undefined, read = newest): Listed {
  const items = watch === undefined ? [] : read(watch.store);
  if (watch !== undefined && watch.state !== "starting") return { items };
  return { items, trouble: watch?.trouble ?? `the list of ${kind} is not complete` };
}
