// Selects the informers to run, and finds the managed objects that depend on each one.

import type { Ref } from "@virt/api";
import {
  autopilotInformer,
  configInformer,
  infrastructureInformer,
  networkInformer,
  nodeInformer,
  schedulerInformer,
  wantedHcoInformers,
} from "@virt/cluster";
import { crdInformer, type InformerSpec } from "@virt/kube";
import { type EvaluatedObject, objectKey, placesIn } from "@virt/platform";
import {
  admissionInformers,
  consentInformer,
  governanceInformer,
  type ObjectInformers,
  objectInformersOf,
  platformHcoInformers,
} from "@virt/reads";
import type { PlatformRuntime } from "./runtime.ts";
import { isHco, type Snapshot, takeSnapshot } from "./snapshot.ts";

/** The objects that an informer affects: all objects, or one object and those rendered from it. */
export type ConcernedKeys =
  | { readonly kind: "all" }
  | { readonly kind: "some"; readonly shown: readonly string[]; readonly readers: readonly string[] };

export type WantedInformers = {
  readonly specs: readonly InformerSpec[];
  readonly concern: (spec: InformerSpec) => ConcernedKeys;
};

/** Returns the required informers: plans always, inputs while the controller is active, and objects that may be applied. */
function informersFor(snapshot: Snapshot | undefined, runtime: PlatformRuntime): WantedInformers {
  const hcos = wantedHcoInformers(platformHcoInformers(runtime.settings.hcoNamespace), runtime.find);
  const plans = [configInformer, governanceInformer(runtime.ownNamespace)];
  const activation = [autopilotInformer(runtime.settings.hcoNamespace), consentInformer(runtime.ownNamespace)];
  if (snapshot === undefined || !snapshot.facts.activation.isActive)
    return { specs: [...hcos, ...activation, ...plans], concern: concerns([...hcos, ...activation], []) };
  const inputs = [
    ...hcos,
    ...activation,
    ...plans,
    nodeInformer,
    infrastructureInformer,
    schedulerInformer,
    networkInformer,
  ];
  const places = placesIn(snapshot.hco, runtime);
  const objects = snapshot.objects
    .filter(({ ref, assets }) => isHco(ref) || isOfUse(snapshot.evaluate({ ref, assets })) || isKept(ref, runtime))
    .map((object) => ({ key: objectKey(object.ref), ...objectInformersOf(object, places) }));
  const admission = runtime.records.hasMutated() ? admissionInformers : [];
  const specs = [...objects.flatMap(({ shows, reads }) => [...shows, ...reads]), ...admission];
  return { specs: [...inputs, ...specs, ...runtime.rebootImpact.wanted], concern: concerns(inputs, objects) };
}

/** Reports whether pruning is delayed for this object. Its informer shows when the reason for the delay ends. */
function isKept(ref: Ref, { records }: PlatformRuntime): boolean {
  const { prune, hold } = records.object(objectKey(ref));
  return prune?.isKept === true || hold !== undefined;
}

type Keyed = ObjectInformers & { readonly key: string };

/** Maps informers to objects. Builds lookup tables, because the returned function is called for each change. */
function concerns(inputs: readonly InformerSpec[], objects: readonly Keyed[]): (spec: InformerSpec) => ConcernedKeys {
  const all = new Set([crdInformer, ...inputs].map(subjectOf));
  const shown = keysBySubject(objects, ({ shows }) => shows);
  const readers = keysBySubject(objects, ({ reads }) => reads);
  return (spec) => {
    const subject = subjectOf(spec);
    if (all.has(subject)) return { kind: "all" };
    return { kind: "some", shown: shown.get(subject) ?? [], readers: readers.get(subject) ?? [] };
  };
}

function keysBySubject(objects: readonly Keyed[], specsOf: (one: Keyed) => readonly InformerSpec[]) {
  const keys = new Map<string, string[]>();
  for (const one of objects) {
    for (const subject of new Set(specsOf(one).map(subjectOf))) {
      const known = keys.get(subject);
      if (known === undefined) keys.set(subject, [one.key]);
      else known.push(one.key);
    }
  }
  return keys;
}

/** Returns a key for the objects that an informer watches, regardless of its projection. */
function subjectOf({ apiVersion, kind, namespace = "", name = "" }: InformerSpec): string {
  return `${apiVersion} ${kind} ${namespace} ${name}`;
}

const idle: ReadonlySet<string> = new Set([
  "HCOMissing",
  "NotActivated",
  "NotListed",
  "SwitchedOff",
  "ConditionNotMet",
  "RootExclusion",
  "CRDMissing",
]);

/**
 * Reports whether an asset of the object may be applied. Also true while inputs are missing, so that all of them load
 * in parallel.
 */
function isOfUse({ statuses }: EvaluatedObject): boolean {
  return [...statuses.values()].some((status) =>
    status.kind === "excluded"
      ? status.isFromReads === true || !idle.has(status.reason)
      : status.kind === "active" || !status.isExcluded,
  );
}

export type SnapshotCache = {
  /** Returns undefined if there is no HyperConverged, or more than one. */
  readonly current: () => Snapshot | undefined;
  readonly wanted: () => readonly InformerSpec[];
  /** Finds the affected objects. Uses the informers that were requested last, because these are running. */
  readonly concern: (spec: InformerSpec) => ConcernedKeys;
  /** Drops the cached results for these objects, or for all objects, because an input has changed. */
  readonly changed: (whose: "all" | readonly string[]) => void;
};

export function createSnapshotCache(runtime: PlatformRuntime): SnapshotCache {
  let isCurrent = false;
  let revision = -1;
  let snapshot: Snapshot | undefined;
  let wanted: WantedInformers | undefined;
  const current = () => {
    if (isCurrent && revision === runtime.readCache.revision()) return snapshot;
    isCurrent = true;
    revision = runtime.readCache.revision();
    snapshot = takeSnapshot(runtime);
    return snapshot;
  };
  return {
    current,
    wanted: () => {
      wanted = informersFor(current(), runtime);
      return wanted.specs;
    },
    concern: (spec) => wanted?.concern(spec) ?? { kind: "all" },
    changed: (whose) => {
      if (whose === "all") isCurrent = false;
      else for (const key of whose) snapshot?.invalidate(key);
    },
  };
}
