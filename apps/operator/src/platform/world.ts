// What the caches show, as the world in which assets are judged.

import type { KubeObject, Ref } from "@virt/api";
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
  const newest = ({ metadata }: KubeObject, ref: Ref) =>
    [...(parts.find(managedWatch(ref, parts.settings.hcoNamespace))?.store.items() ?? [])].find(
      (one) => one.metadata.uid === metadata.uid,
    );
  return {
    ...world,
    live: (ref) => (ref.kind === "HyperConverged" && hco !== undefined ? newest(hco, ref) : world.live(ref)),
  };
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
    crds: new Set(servedCrds(find(crdWatch))),
    schema: remembered.schemaNow,
    rendered: remembered.renderedNow,
  };
}

/** One that is being deleted takes nothing any more. */
function servedCrds(watch: Watch | undefined): readonly string[] {
  const crds = [...(watch?.store.items() ?? [])];
  return crds
    .filter(({ metadata }) => metadata["deletionTimestamp"] === undefined)
    .map(({ metadata }) => metadata.name);
}

function listed({ kind }: WatchSpec, watch: Watch | undefined): Listed {
  const items = [...(watch?.store.items() ?? [])];
  if (watch !== undefined && watch.state !== "starting") return { items };
  return { items, trouble: watch?.trouble ?? `the list of ${kind} is not complete` };
}
