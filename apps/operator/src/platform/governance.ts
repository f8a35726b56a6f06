// Tracks and stores which plans govern, or have released, the assets that reboot nodes.

import { fieldManagers, type KubeObject } from "@virt/api";
import { configInformer, type GovernorConfig } from "@virt/cluster";
import type { ClusterReader, InformerSpec, ReconcileContext, ReconcileResult } from "@virt/kube";
import { fullBucket, reaches } from "@virt/objects";
import {
  emptyRecord,
  evaluateObject,
  explainFailure,
  followGovernance,
  type GovernanceRecord,
  governanceObject,
  governanceRecordName,
  governanceText,
  isAsWanted,
  type KnownProfiles,
  type ManagedObject,
  type ObservedGovernance,
  objectKey,
  observeObject,
  placesIn,
  type ReleasedAsset,
  readGovernanceRecord,
  shapeOfObject,
  startRecord,
  switchesIn,
  writeGovernanceRecord,
} from "@virt/platform";
import { governanceInformer, listOnce } from "@virt/reads";
import { refOf } from "./report.ts";
import { type PlatformRuntime, resultAfter } from "./runtime.ts";
import { chooseHco, isHco, type Snapshot } from "./snapshot.ts";

const repeatMs = 10_000;

export function isGovernanceInput({ kind, name }: InformerSpec): boolean {
  return (
    kind === configInformer.kind || kind === "HyperConverged" || (kind === "ConfigMap" && name === governanceRecordName)
  );
}

export type WriteIntent = "apply" | "prune";

export type Governance = {
  /** Updates the record from the caches. Called synchronously for each change, so that even a short-lived plan is noticed. */
  readonly observe: () => void;
  readonly released: () => Readonly<Record<string, ReleasedAsset>>;
  /** Returns why the released assets are unknown, or undefined if they are known. */
  readonly unread: () => string | undefined;
  /** Reports whether none of these freshly read plans govern the object, and the cache contains the same plans. */
  readonly isLeftToUs: (object: ManagedObject, intent: WriteIntent, plans: readonly GovernorConfig[]) => boolean;
  /** Updates the released assets and stores the record. `isChanged` is true if the released assets changed. */
  readonly reconcile: (
    snapshot: Snapshot | undefined,
    context: ReconcileContext,
  ) => Promise<{ result: ReconcileResult; isChanged: boolean }>;
};

export type GovernanceParts = Pick<
  PlatformRuntime,
  "assets" | "purposesOf" | "ownNamespace" | "settings" | "find" | "clock" | "log"
> & { readonly profiles: KnownProfiles; readonly enqueue: () => void };

export function createGovernance(parts: GovernanceParts): Governance {
  const { assets, purposesOf, ownNamespace, settings, find, log, enqueue } = parts;
  const watch = governanceInformer(ownNamespace);
  let current: GovernanceRecord | undefined;
  /** The resource version of the stored record that `current` is based on. */
  let known = "";
  let lastError = "";
  let last = { text: "", at: Number.NEGATIVE_INFINITY };
  const doubted = new Map<string, string>();

  const stored = () => [...(find(watch)?.store.items() ?? [])][0];
  const chosen = () => chooseHco(find, settings.hcoNamespace);
  const plansInCache = () => [...(find(configInformer)?.store.items() ?? [])] as unknown as readonly GovernorConfig[];
  const cached = (plans = plansInCache()): ObservedGovernance => {
    const found = chosen();
    const hco = found.kind === "found" ? found.object : undefined;
    const places = hco === undefined ? { hcoNamespace: "", hcoApiVersion: "", ownNamespace } : placesIn(hco, parts);
    return { assets, places, plans, purposesOf, hco: hco && switchesIn(hco, reaches) };
  };
  /** Keeps the existing object if the record is equal, so that callers can detect changes by identity. */
  const set = (next: GovernanceRecord) => {
    if (current === undefined || writeGovernanceRecord(next) !== writeGovernanceRecord(current)) current = next;
  };
  const unread = () => {
    const waiting = [watch, configInformer].find((spec) => (find(spec)?.state ?? "starting") === "starting");
    if (waiting !== undefined) return find(waiting)?.lastError ?? `informer of ${waiting.kind} not synced`;
    return current === undefined ? "informer of HyperConverged not synced" : undefined;
  };

  const observe = () => {
    const hco = chosen();
    const isListed = [watch, configInformer].every((spec) => (find(spec)?.state ?? "starting") !== "starting");
    if (!isListed || hco.kind === "starting") return;
    const there = stored();
    const version = there?.metadata.resourceVersion ?? "";
    const live = hco.kind === "found" ? hco.object : undefined;
    const isAnothers = version !== "" && known !== "" && !reaches(known, version);
    if (current === undefined || isAnothers || (known === "" && version !== "")) {
      current = startRecord(readGovernanceRecord(there), cached(), { live, profiles: parts.profiles });
      known = version;
    }
    set(followGovernance(current, cached()));
    if (isDue(current, there)) enqueue();
  };

  /** Reads the switches from the server, because a watch may deliver a change from before the release too late. */
  const settle = async ({ read }: ClusterReader): Promise<ReconcileResult | undefined> => {
    const hco = chosen();
    const before = current;
    if (before === undefined || hco.kind !== "found" || !isUnsettled(before)) return undefined;
    const reading = await read(refOf(hco.object));
    if (reading.kind === "absent") return undefined;
    if (reading.kind !== "found") return { kind: "retry" };
    if (current !== before) return { kind: "requeueAt", atMs: parts.clock.wall() }; // a plan may have ended since
    set(followGovernance(before, { ...cached(), hco: switchesIn(reading.object) }));
    return undefined;
  };

  /** Resumes managing released assets whose object already matches, because this causes no reboot. */
  const adopt = async (snapshot: Snapshot, { read }: ClusterReader): Promise<void> => {
    for (const object of snapshot.objects.filter(({ assets: all }) => all.some(({ name }) => isReleased(name)))) {
      const seen = seenAsFree(object, snapshot, parts);
      const { uid = "", resourceVersion = "" } = seen?.live?.metadata ?? {};
      const key = objectKey(object.ref);
      if (seen === undefined || !isAsWanted(seen) || doubted.get(key) === `${uid} ${resourceVersion}`) continue;
      const before = current;
      const reading = await read(object.ref);
      if (before === undefined || current !== before || reading.kind === "unavailable") return enqueue();
      const names = new Set(seen.parts.map(({ asset }) => asset));
      if (reading.kind !== "found" || !isAsWanted({ ...seen, live: reading.object })) {
        doubted.set(key, `${uid} ${resourceVersion}`);
        continue;
      }
      const released = Object.entries(before.released).filter(([name]) => !names.has(name));
      set({ ...before, released: Object.fromEntries(released) });
    }
  };

  const isReleased = (name: string) => current?.released[name] !== undefined;

  const store = async ({ cluster, wrote }: Pick<ReconcileContext, "cluster" | "wrote">): Promise<ReconcileResult> => {
    const there = stored();
    if (current === undefined || !isStale(current, there)) return { kind: "done" };
    const text = writeGovernanceRecord(current);
    const restMs = text === last.text ? last.at + repeatMs - parts.clock.monotonic() : 0;
    if (restMs > 0) return { kind: "requeueAt", atMs: parts.clock.wall() + restMs }; // another client keeps deleting it
    const { uid = "", resourceVersion = "" } = there?.metadata ?? {};
    const expect = there === undefined ? "absent" : { uid, resourceVersion };
    const write = { manager: fieldManagers.platform, force: true, expect } as const;
    const object = governanceObject(ownNamespace, text);
    const outcome = await cluster.apply(object, write);
    const why = outcome.kind === "done" ? "" : explainFailure(outcome, refOf(object));
    if (why !== "" && why !== lastError) log.warn("failed to store the governance record", { why });
    lastError = why;
    if (outcome.kind !== "done" || outcome.live === undefined) return resultAfter(outcome, parts.clock);
    known = outcome.live.metadata.resourceVersion ?? "";
    last = { text, at: parts.clock.monotonic() };
    wrote(watch, outcome.live);
    return isStale(current, outcome.live) ? { kind: "retry" } : { kind: "done" };
  };

  return {
    observe,
    released: () => current?.released ?? {},
    unread,
    isLeftToUs: ({ assets: all }, intent, plans) => {
      if (versionsOf(plans) !== versionsOf(plansInCache())) return false;
      const { governed, released } = followGovernance(current ?? emptyRecord, cached(plans));
      return all.every(({ name }) => {
        const isAsked = released[name] === undefined || (intent === "prune" && released[name].isPruneAsked === true);
        return governed[name] === undefined && isAsked;
      });
    },
    reconcile: async (snapshot, context) => {
      observe();
      const before = current?.released;
      const unsettled = await settle(context.cluster);
      if (snapshot !== undefined && unsettled === undefined) await adopt(snapshot, context.cluster);
      const result = unsettled ?? (await store(context));
      return { result, isChanged: current?.released !== before };
    },
  };
}

/**
 * Reports whether no plan governs the object. Before a write that reboots nodes, lists the plans on the server, because
 * an informer may show a switch before an earlier approval. Returns true immediately for other objects.
 */
export async function isUngoverned(
  object: ManagedObject,
  intent: WriteIntent,
  {
    runtime,
    context,
  }: { readonly runtime: PlatformRuntime; readonly context: Pick<ReconcileContext, "sender" | "signal"> },
): Promise<boolean> {
  if (object.assets.every(({ impact }) => impact !== "reboot")) return true;
  const { sender: client, signal } = context;
  const listed = await listOnce(configInformer, { client, discovery: runtime.discovery, signal });
  if (listed.kind === "failed") return false;
  const plans = listed.kind === "listed" ? listed.items : [];
  return runtime.governance.isLeftToUs(object, intent, plans as unknown as readonly GovernorConfig[]);
}

function versionsOf(plans: readonly GovernorConfig[]): string {
  const versions = (plans as unknown as readonly KubeObject[]).map(({ metadata: { uid = "", resourceVersion = "" } }) =>
    [uid, resourceVersion].join(" "),
  );
  return versions.toSorted().join();
}

function isUnsettled({ released }: GovernanceRecord): boolean {
  return Object.values(released).some(({ since }) => since === undefined);
}

/** Reports whether the stored record is out of date. An empty record is not stored. */
function isStale(record: GovernanceRecord, stored: KubeObject | undefined): boolean {
  const text = writeGovernanceRecord(record);
  return text !== (governanceText(stored) ?? writeGovernanceRecord(emptyRecord));
}

function isDue(record: GovernanceRecord, stored: KubeObject | undefined): boolean {
  return isUnsettled(record) || isStale(record, stored);
}

/** Observes the object as if none of its assets had been released. Returns undefined if nothing would be applied. */
function seenAsFree(object: ManagedObject, { facts }: Snapshot, { clock }: Pick<PlatformRuntime, "clock">) {
  const free = { ...facts, released: {} };
  const { wanted } = evaluateObject(object, {
    facts: free,
    shapeOf: shapeOfObject(object, free),
    lastKnown: new Map(),
  });
  if (wanted.kind !== "object" || isHco(object.ref)) return undefined;
  return observeObject(object, wanted, {
    facts: free,
    now: clock.wall(),
    monotonicMs: clock.monotonic(),
    memory: { bucket: fullBucket, wasThere: false },
  });
}
