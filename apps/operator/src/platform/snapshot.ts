// A snapshot of the cluster, valid until an input changes: the HyperConverged, facts, objects and their evaluations.

import type { KubeObject, Ref } from "@virt/api";
import {
  configInformer,
  type FindCached,
  type FoundHyperConverged,
  findHyperConverged,
  infrastructureInformer,
  kindInformer,
  namespaceInformer,
  networkInformer,
  nodeInformer,
  objectInformer,
  poolInformerOf,
  readMachineConfigPool,
  schedulerInformer,
} from "@virt/cluster";
import { type ClusterReader, crdInformer, type InformerSpec, type InformerState } from "@virt/kube";
import { oncePer } from "@virt/objects";
import {
  type Asset,
  type AssetHcoFact,
  annotationOf,
  buildClusterFacts as build,
  type ClusterFacts,
  type ClusterFactsInput,
  type EvaluatedObject,
  evaluateObject,
  hcoContent,
  type ListResult,
  type Lookup,
  type ManagedObject,
  managedObjects,
  objectKey,
  type Preview,
  placesIn,
  previewObject,
  readExclusions,
  shapeOfObject,
  switchState,
} from "@virt/platform";
import { managedInformer, platformHcoInformers } from "@virt/reads";
import type { ReadCache } from "../read-cache.ts";
import type { Settings } from "../settings.ts";
import { countHardware, forgetHardware } from "./hardware-wait.ts";
import { observePresence } from "./presence.ts";
import type { PlatformRuntime } from "./runtime.ts";

export type Snapshot = {
  readonly hco: KubeObject;
  readonly content: string;
  readonly facts: ClusterFacts;
  readonly objects: readonly ManagedObject[];
  readonly object: (key: string) => ManagedObject | undefined;
  readonly evaluate: (object: ManagedObject) => EvaluatedObject;
  /** Drops the cached evaluation of one object, after a change that affects only this object. */
  readonly invalidate: (key: string) => void;
};

export function takeSnapshot(runtime: PlatformRuntime): Snapshot | undefined {
  const hco = chooseHco(runtime.find, runtime.settings.hcoNamespace);
  if (hco.kind !== "found") return undefined;
  const { object } = hco;
  const exclusions = readExclusions(annotationOf(object.metadata.annotations ?? {}, "disabled-resources"));
  if (exclusions.kind === "rules") runtime.records.cluster.exclusions = exclusions.rules;
  const facts = collectFacts(object, {
    ...runtime,
    activation: runtime.settings.activation,
    exclusions: runtime.records.cluster.exclusions,
    released: runtime.governance.released(),
    releasedUnread: runtime.governance.unread(),
    autopilot: observePresence(object, runtime),
    legacyConsent: runtime.consent.legacy(),
    countHardware: countHardware(listNodes(runtime.find), runtime),
  });
  if (!facts.activation.isActive) forgetHardware(runtime);
  const objects = managedObjects(runtime.assets, placesIn(object, runtime));
  const byKey = new Map(objects.map((one) => [objectKey(one.ref), one]));
  const evaluations = new Map<string, EvaluatedObject>();
  return {
    hco: object,
    content: hcoContent(object),
    facts,
    objects,
    object: (key) => byKey.get(key),
    evaluate: (one) => {
      const key = objectKey(one.ref);
      const known = evaluations.get(key);
      if (known !== undefined) return known;
      const { lastKnown } = runtime.records.cluster;
      const made = evaluateObject(one, { facts, shapeOf: shapeOfObject(one, facts), lastKnown });
      for (const [asset, status] of made.statuses) if (status.kind !== "held") lastKnown.set(asset, status);
      evaluations.set(key, made);
      return made;
    },
    invalidate: (key) => void evaluations.delete(key),
  };
}

/** Returns the controller's current decision for each object, for the debug pages and the report. */
export function previewsOf({ facts, objects, evaluate }: Snapshot, runtime: PlatformRuntime): readonly Preview[] {
  const [now, monotonicMs] = [runtime.clock.wall(), runtime.clock.monotonic()];
  const unreadReason = (ref: Ref) => {
    const informer = runtime.find(managedInformer(ref, runtime.settings.hcoNamespace));
    return informer === undefined || informer.state === "starting"
      ? (informer?.lastError ?? "cache not synced")
      : undefined;
  };
  return objects.map((object) =>
    previewObject(object, {
      facts,
      now,
      monotonicMs,
      memory: runtime.records.object(objectKey(object.ref)).memory,
      evaluated: evaluate(object),
      unreadReason,
      gated: (one, decision) => {
        const { inputHold, hold } = runtime.records.object(objectKey(one.ref));
        return decision.kind === "apply" ? (inputHold ?? hold ?? decision) : decision;
      },
    }),
  );
}

export function isHco({ kind }: Pick<Ref, "kind">): boolean {
  return kind === "HyperConverged";
}

export function chooseHco(find: FindCached, hcoNamespace: string): FoundHyperConverged {
  return findHyperConverged(platformHcoInformers(hcoNamespace), find, hcoNamespace);
}

export type ClusterFactsSources = Omit<ClusterFactsInput, "lookup"> &
  Caches & { readonly settings: Pick<Settings, "hcoNamespace"> };

type Caches = { readonly find: (spec: InformerSpec) => InformerState | undefined; readonly readCache: ReadCache };

/** Collects the facts. `live` returns the latest HyperConverged, because writes need its resource version. */
function collectFacts(hco: KubeObject | undefined, parts: ClusterFactsSources): ClusterFacts {
  const facts = build(hco, { ...parts, lookup: lookupInCaches(parts) });
  const newestOf = ({ metadata }: KubeObject, ref: Ref) =>
    [...(parts.find(managedInformer(ref, parts.settings.hcoNamespace))?.store.items() ?? [])].find(
      (one) => one.metadata.uid === metadata.uid,
    );
  return {
    ...facts,
    live: (ref) => (ref.kind === "HyperConverged" && hco !== undefined ? newestOf(hco, ref) : facts.live(ref)),
  };
}

function lookupInCaches({ find, readCache }: Caches): Lookup {
  const list = (spec: InformerSpec) => listed(spec, find(spec));
  return {
    nodes: () => listNodes(find),
    infrastructure: () => list(infrastructureInformer),
    scheduler: () => list(schedulerInformer),
    network: () => list(networkInformer),
    plans: () => list(configInformer),
    namespace: (name) => list(namespaceInformer(name)),
    object: (ref) => list(objectInformer(ref)),
    objects: (apiVersion, kind, parts) => list(kindInformer(apiVersion, kind, parts)),
    pool: (name) => list(poolInformerOf(name)),
    crds: servedCrds(find(crdInformer)?.store.notifiedItems ?? []),
    crdUnreadReason: listed(crdInformer, find(crdInformer)).unreadReason,
    schema: readCache.schemaNow,
    served: readCache.servedNow,
    rendered: (name) => {
      const value = readCache.renderedNow(name);
      return value === undefined ? { unreadReason: readCache.whyUnread(name) } : { value };
    },
  };
}

/** Returns the same list until a node changes, so that results for thousands of nodes can be cached. */
function listNodes(find: Caches["find"]): ListResult {
  return listed(nodeInformer, find(nodeInformer), (store) => store.notifiedItems);
}

const servedCrds = oncePer((crds: readonly KubeObject[]): ReadonlySet<string> => {
  const served = crds.filter(({ metadata }) => metadata["deletionTimestamp"] === undefined);
  return new Set(served.map(({ metadata }) => metadata.name));
});

const newest = (store: InformerState["store"]): readonly KubeObject[] => [...store.items()];

function listed({ kind }: InformerSpec, watch: InformerState | undefined, read = newest): ListResult {
  const items = watch === undefined ? [] : read(watch.store);
  if (watch === undefined || watch.state === "starting")
    return { items, unreadReason: watch?.lastError ?? `cache of ${kind} not synced` };
  return watch.lastError === undefined ? { items } : { items, unreadReason: watch.lastError };
}

/** Loads schemas, versions and rendered configs. Returns false if a read failed and has to be retried. */
export async function loadInputs(
  object: ManagedObject,
  runtime: PlatformRuntime,
  { cluster, hco }: { readonly cluster: ClusterReader; readonly hco: AssetHcoFact | undefined },
): Promise<boolean> {
  const { readCache } = runtime;
  const schemas = schemasOf(object, runtime);
  const versions = versionsOf(object, runtime, hco);
  const configurations = configurationsOf(object, runtime);
  await Promise.all([
    ...schemas.map(({ crd, version }) => readCache.schema(crd, version, cluster)),
    ...versions.map((crd) => readCache.served(crd, cluster)),
    ...configurations.map((name) => readCache.rendered(name, cluster)),
  ]);
  return [...schemas.map(({ crd }) => crd), ...versions, ...configurations].every(
    (name) => readCache.whyUnread(name) === undefined,
  );
}

function schemasOf({ assets, ref }: ManagedObject, { find }: PlatformRuntime) {
  const version = ref.apiVersion.split("/").at(-1) ?? "";
  const named = assets.flatMap(({ target, reads }) => [
    ...(target.crd === undefined ? [] : [{ crd: target.crd, version }]),
    ...Object.values(reads).flatMap((read) =>
      read.read === "schema" ? [{ crd: read.crd, version: read.version }] : [],
    ),
  ]);
  const once = new Map(named.map((one) => [one.crd, one])); // one read returns all versions of a CRD
  return [...once.values()].filter(({ crd }) => find(crdInformer)?.store.get(crd) !== undefined);
}

/** Omits assets that are switched off, because the CRDs that they read are many and large. */
function versionsOf({ assets }: ManagedObject, { find }: PlatformRuntime, hco: AssetHcoFact | undefined) {
  const isOn = (asset: Asset) => hco !== undefined && switchState(asset.switch, hco).isOn;
  const named = assets
    .filter(isOn)
    .flatMap(({ reads }) => Object.values(reads).flatMap((read) => (read.read === "served" ? read.crd : [])));
  return [...new Set(named)].filter((crd) => find(crdInformer)?.store.get(crd) !== undefined);
}

function configurationsOf({ assets }: ManagedObject, { find }: PlatformRuntime): readonly string[] {
  const pools = assets.flatMap(({ reads }) =>
    Object.values(reads).flatMap((read) => (read.read === "pool" ? [read.name] : [])),
  );
  return pools.flatMap((name) => {
    const pool = [...(find(poolInformerOf(name))?.store.items() ?? [])][0];
    return (pool && readMachineConfigPool(pool).target.name) ?? [];
  });
}
