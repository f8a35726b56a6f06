// What the caches show, as the world in which assets are judged.

import type { KubeObject } from "@virt/api";
import { crdWatch, type Watch, type WatchSpec } from "@virt/kube";
import { buildWorld as build, type Listed, type Lookup, type World, type WorldGiven } from "@virt/platform";
import { configWatch } from "../advisor/watches.ts";
import type { Remembered } from "../remembered.ts";
import {
  infrastructureWatch,
  kindWatch,
  namespaceWatch,
  nodeWatch,
  objectWatch,
  poolWatchOf,
  schedulerWatch,
} from "./watches.ts";

export type WorldParts = Omit<WorldGiven, "lookup"> & Caches;

type Caches = { readonly find: (spec: WatchSpec) => Watch | undefined; readonly remembered: Remembered };

export function buildWorld(hco: KubeObject | undefined, parts: WorldParts): World {
  return build(hco, { ...parts, lookup: lookupInCaches(parts) });
}

function lookupInCaches({ find, remembered }: Caches): Lookup {
  const list = (spec: WatchSpec) => listed(spec, find(spec));
  return {
    nodes: () => list(nodeWatch),
    infrastructure: () => list(infrastructureWatch),
    scheduler: () => list(schedulerWatch),
    plans: () => list(configWatch),
    namespace: (name) => list(namespaceWatch(name)),
    object: (ref) => list(objectWatch(ref)),
    objects: (apiVersion, kind, parts) => list(kindWatch(apiVersion, kind, parts)),
    pool: (name) => list(poolWatchOf(name)),
    crds: new Set(find(crdWatch)?.store.keys() ?? []),
    schema: remembered.schemaNow,
    rendered: remembered.renderedNow,
  };
}

function listed({ kind }: WatchSpec, watch: Watch | undefined): Listed {
  const items = [...(watch?.store.items() ?? [])];
  if (watch !== undefined && watch.state !== "starting") return { items };
  return { items, trouble: watch?.trouble ?? `the list of ${kind} is not complete` };
}
