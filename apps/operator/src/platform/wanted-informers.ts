// Which streams are wanted, and which objects each of them is about.

import type { Ref } from "@virt/api";
import {
  configInformer,
  infrastructureInformer,
  networkInformer,
  nodeInformer,
  schedulerInformer,
  wantedHcoInformers,
} from "@virt/facts";
import { crdInformer, type InformerSpec } from "@virt/kube";
import { type EvaluatedObject, objectKey, placesIn } from "@virt/platform";
import {
  admissionInformers,
  governanceInformer,
  type ObjectInformers,
  objectInformersOf,
  platformHcoInformers,
} from "@virt/reads";
import type { PlatformRuntime } from "./runtime.ts";
import { isHco, type Snapshot, takeSnapshot } from "./snapshot.ts";

/** All objects are made from it, or: it shows one of them, and others are made from it. */
export type ConcernedKeys =
  | { readonly kind: "all" }
  | { readonly kind: "some"; readonly shown: readonly string[]; readonly readers: readonly string[] };

export type WantedInformers = {
  readonly specs: readonly InformerSpec[];
  readonly concern: (spec: InformerSpec) => ConcernedKeys;
};

/** Plans at all times; other inputs while there is a HyperConverged that asks for it; targets and what their assets read while they may be applied. */
function informersFor(snapshot: Snapshot | undefined, runtime: PlatformRuntime): WantedInformers {
  const hcos = wantedHcoInformers(platformHcoInformers(runtime.settings.hcoNamespace), runtime.find);
  const plans = [configInformer, governanceInformer(runtime.ownNamespace)];
  if (snapshot === undefined || !snapshot.facts.activation.isActive)
    return { specs: [...hcos, ...plans], concern: concerns(hcos, []) };
  const inputs = [...hcos, ...plans, nodeInformer, infrastructureInformer, schedulerInformer, networkInformer];
  const places = placesIn(snapshot.hco, runtime);
  const objects = snapshot.objects
    .filter(({ ref, assets }) => isHco(ref) || isOfUse(snapshot.evaluate({ ref, assets })) || isKept(ref, runtime))
    .map((object) => ({ key: objectKey(object.ref), ...objectInformersOf(object, places) }));
  const admission = runtime.records.hasMutated() ? admissionInformers : [];
  const specs = [...objects.flatMap(({ shows, reads }) => [...shows, ...reads]), ...admission];
  return { specs: [...inputs, ...specs, ...runtime.rebootImpact.wanted], concern: concerns(inputs, objects) };
}

/** People hold it while it would be pruned, or the gate before reboots does: once they let go of it, it is. */
function isKept(ref: Ref, { records }: PlatformRuntime): boolean {
  const { prune, hold } = records.object(objectKey(ref));
  return prune?.isKept === true || hold !== undefined;
}

type Keyed = ObjectInformers & { readonly key: string };

/** Asked for each of thousands of changes, those of the other controller's streams among them. */
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

/** What a stream is about, whatever of it is kept. */
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

/** Some asset of it may be applied here, as far as that can be told: a start does not wait for its inputs one after the other. */
function isOfUse({ statuses }: EvaluatedObject): boolean {
  return [...statuses.values()].some((status) =>
    status.kind === "excluded" ? !idle.has(status.reason) : status.kind === "active" || !status.isExcluded,
  );
}

export type SnapshotCache = {
  /** Undefined: there is no HyperConverged, or nobody can say which. */
  readonly current: () => Snapshot | undefined;
  readonly wanted: () => readonly InformerSpec[];
  /** By the informers that were last wanted: they are the ones that run. */
  readonly concern: (spec: InformerSpec) => ConcernedKeys;
  /** An input is another one: of all objects, or of these. */
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
