// What the platform controller watches: inputs always, targets only while they are asked for.

import type { Ref } from "@virt/api";
import type { WatchSpec } from "@virt/kube";
import {
  type Asset,
  infrastructureParts,
  type ManagedObject,
  nodeMembers,
  type Parts,
  type Places,
  placed,
  poolRuleParts,
  type Read,
  schedulerParts,
} from "@virt/platform";
import { hcoName, hcoVersions } from "../advisor/watches.ts";

/** Whatever may be applied, with who owns which field. */
const whole = {
  keep: "parts",
  parts: [["spec"], ["data"], ["metadata", "annotations"], ["metadata", "managedFields"]],
} as const;

export function objectWatch({ apiVersion, kind, namespace, name }: Ref): WatchSpec {
  return { apiVersion, kind, name, ...(namespace !== undefined && { namespace }), projection: whole };
}

export const hcoWatchesFor = (namespace: string): readonly WatchSpec[] =>
  hcoVersions.map((apiVersion) =>
    objectWatch({ apiVersion, kind: "HyperConverged", name: hcoName, ...(namespace !== "" && { namespace }) }),
  );

/** The stream on which a managed object is seen. The HyperConverged is watched wherever it is, unless it is pinned. */
export function managedWatch(ref: Ref, hcoNamespace: string): WatchSpec {
  if (ref.kind !== "HyperConverged") return objectWatch(ref);
  const { apiVersion, kind } = ref;
  return objectWatch({ apiVersion, kind, name: hcoName, ...(hcoNamespace !== "" && { namespace: hcoNamespace }) });
}

const parts = (kept: Parts) => ({ keep: "parts", parts: kept }) as const;

export const nodeWatch: WatchSpec = {
  apiVersion: "v1",
  kind: "Node",
  projection: { keep: "members", members: nodeMembers },
};

export const infrastructureWatch: WatchSpec = {
  apiVersion: "config.openshift.io/v1",
  kind: "Infrastructure",
  name: "cluster",
  projection: parts(infrastructureParts),
};

export const schedulerWatch: WatchSpec = {
  apiVersion: "config.openshift.io/v1",
  kind: "Scheduler",
  name: "cluster",
  projection: parts(schedulerParts),
};

export function namespaceWatch(name: string): WatchSpec {
  return { apiVersion: "v1", kind: "Namespace", name, projection: parts([]) };
}

export function kindWatch(apiVersion: string, kind: string, kept: Parts = []): WatchSpec {
  return { apiVersion, kind, projection: parts(kept) };
}

export function poolWatchOf(name: string): WatchSpec {
  return {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfigPool",
    name,
    projection: parts([["spec", "configuration"]]),
  };
}

/** What a declared read needs, beside what is always watched. */
function readWatch(read: Read, places: Places): readonly WatchSpec[] {
  switch (read.read) {
    case "object":
      return [objectWatch(placed(read.ref, places))];
    case "objects":
      return [kindWatch(read.apiVersion, read.kind, read.parts)];
    case "pool":
      return [poolWatchOf(read.name)];
    case "hco":
    case "hardware":
    case "topology":
    case "images":
    case "schema":
      return [];
  }
}

function assetWatches(asset: Asset, places: Places): readonly WatchSpec[] {
  const target = placed(asset.target, places);
  const isAlone = asset.singleton === true;
  const isKubelet = target.kind === "KubeletConfig";
  return [
    ...Object.values(asset.reads).flatMap((read) => readWatch(read, places)),
    ...(asset.alternates ?? []).map((ref) => objectWatch(placed(ref, places))),
    ...(target.namespace === undefined || target.namespace === places.hcoNamespace
      ? []
      : [namespaceWatch(target.namespace)]),
    ...(isAlone ? [kindWatch(target.apiVersion, target.kind)] : []),
    ...(isKubelet ? [kindWatch(target.apiVersion, target.kind, poolRuleParts), poolWatchOf("worker")] : []),
  ];
}

/** Of one object: what shows it, and what it is made from. */
export type Streams = { readonly shows: readonly WatchSpec[]; readonly reads: readonly WatchSpec[] };

/** The HyperConverged is watched in any case, wherever it is. */
export function objectStreams({ ref, assets }: ManagedObject, places: Places): Streams {
  const shows = ref.kind === "HyperConverged" ? [] : [objectWatch(ref)];
  return { shows, reads: assets.flatMap((asset) => assetWatches(asset, places)) };
}
