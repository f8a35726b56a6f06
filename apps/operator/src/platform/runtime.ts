// What the platform's reconciles share: the catalog, the caches, what is written to, and what this process remembers between them.
// There is one record per object and one for the cluster, and all of them may be lost.

import type { EventMessage } from "@virt/api";
import type { Bucket, Purposes, WriteResult } from "@virt/engine";
import type { HardwareMemory } from "@virt/facts";
import type { Clock, Discovery, InformerSpec, InformerState, Log, ReconcileResult } from "@virt/kube";
import {
  type Asset,
  createObjectCounts,
  type ExclusionRule,
  type HeldDecision,
  type InputMemory,
  type LastError,
  type MissingCrds,
  type NodeWrite,
  type ObjectCounts,
  type ObjectMemory,
  type SettledStatus,
  type Tombstone,
} from "@virt/platform";
import type { ControllerContext } from "../controller-factory.ts";
import type { ReadCache } from "../read-cache.ts";
import type { Settings } from "../settings.ts";
import type { Governance } from "./governance.ts";
import type { PlatformMetrics } from "./metrics.ts";
import type { RebootImpact } from "./reboot-impact.ts";

export type PlatformRuntime = {
  readonly assets: readonly Asset[];
  readonly tombstones: readonly Tombstone[];
  readonly settings: Settings;
  /** Of the operator. */
  readonly version: string;
  readonly images: Readonly<Record<string, string>>;
  readonly purposesOf: Purposes;
  readonly ownNamespace: string;
  readonly runbookUrlTemplate: string | undefined;
  readonly find: (spec: InformerSpec) => InformerState | undefined;
  readonly discovery: Pick<Discovery, "find">;
  readonly readCache: ReadCache;
  readonly governance: Governance;
  readonly records: PlatformRecords;
  readonly recordEvent: ControllerContext["recordEvent"];
  readonly metrics: PlatformMetrics;
  readonly rebootImpact: RebootImpact;
  readonly clock: Clock;
  readonly log: Log;
  /** The set of wanted informers may have changed. */
  readonly refresh: () => void;
  readonly queues: PlatformQueues;
};

/** Each function adds a key to the work queue of one controller. */
export type PlatformQueues = {
  readonly object: (key: string) => void;
  readonly tombstone: (key: string) => void;
  /** Reconciles all objects, the HyperConverged first. */
  readonly round: () => void;
  readonly report: () => void;
  readonly governance: () => void;
  readonly rebootImpact: () => void;
};

/** After this time what was refused is tried again. */
export const rejectedRetryMs = 300_000;

/** When a write that failed is tried again. */
export function resultAfter(written: WriteResult, clock: Pick<Clock, "wall">): ReconcileResult {
  if (written.kind === "rejected") return { kind: "requeueAt", atMs: clock.wall() + rejectedRetryMs };
  const isNamed = written.kind === "unavailable" && written.retryInMs !== undefined;
  return { kind: "retry", ...(isNamed && { retryInMs: written.retryInMs }) };
}

export type ObjectRecord = {
  /** What decisions are made from, beside the live object. */
  memory: ObjectMemory | undefined;
  prune: PruneRecord | undefined;
  /** What the last reconcile could not do; undefined: it did all. */
  failure: FailureRecord | undefined;
  /** Events that were recorded and still stand. */
  events: readonly EventMessage[];
  wasPaused: boolean;
  /** The tokens that were left when writes last had to wait. */
  throttled: Bucket | undefined;
  /** Since when an input cannot be read, in monotonic milliseconds. */
  unreadSince: number | undefined;
  /** A pending write that changes nodes. */
  nodeWrite: NodeWrite | undefined;
  /** Set while the reboot gate blocks the write. */
  hold: HeldDecision | undefined;
  /** Its inputs when it was last reconciled. */
  inputs: InputMemory | undefined;
  /** Set while the limit of changed inputs holds it. */
  inputHold: HeldDecision | undefined;
};

/** For which assets a prune was asked for; kept: people hold the object, and may let go of it later. */
export type PruneRecord = { readonly asked: string; readonly isKept: boolean };

export type FailureRecord = LastError & { readonly timesInARow: number };

/** 0 gone, -1 error, -2 kept for a reason. */
export type TombstoneRecord = {
  readonly state: 0 | -1 | -2;
  readonly events: readonly EventMessage[];
  readonly timesInARow: number;
};

export type ClusterRecord = {
  /** The last list of exclusions that could be read. */
  exclusions: readonly ExclusionRule[] | undefined;
  /** The content of the HyperConverged that its own reconcile is through with: the other objects are made from it. */
  settledHcoContent: string | undefined;
  /** All objects have to be reconciled once the HyperConverged was. */
  isRoundDue: boolean;
  /** The hardware that counts, and changes that wait. Undefined: nodes have not been read since the start or the activation. */
  hardware: HardwareMemory | undefined;
  /** Whether there is work; undefined: not known yet. */
  activity: "active" | "idle" | "no HyperConverged" | undefined;
  missingCrds: MissingCrds;
  /** Events of a HyperConverged itself that stand, with the key of that one. */
  hcoEvents: { readonly key: string; readonly events: readonly EventMessage[] } | undefined;
  readonly counts: ObjectCounts;
  /** The statuses of assets when all that they read could be read. */
  readonly lastKnown: Map<string, SettledStatus>;
  /** By their keys in the work queue. */
  readonly tombstones: Map<string, TombstoneRecord>;
};

export class PlatformRecords {
  readonly #objects = new Map<string, ObjectRecord>();
  readonly cluster: ClusterRecord = {
    exclusions: undefined,
    settledHcoContent: undefined,
    isRoundDue: false,
    hardware: undefined,
    activity: undefined,
    missingCrds: new Map(),
    hcoEvents: undefined,
    counts: createObjectCounts(),
    lastKnown: new Map(),
    tombstones: new Map(),
  };

  /** By key of a managed object; an empty record where there is none yet. */
  object(key: string): ObjectRecord {
    const known = this.#objects.get(key);
    if (known !== undefined) return known;
    const created = emptyObjectRecord();
    this.#objects.set(key, created);
    return created;
  }

  /** Keys of the objects whose last write admission changed. */
  mutatedKeys(): readonly string[] {
    return [...this.#objects].flatMap(([key, { memory }]) => (memory?.mutation === undefined ? [] : [key]));
  }

  /** Asked at each reconcile, of thousands in a storm: it makes no list. */
  hasMutated(): boolean {
    for (const { memory } of this.#objects.values()) if (memory?.mutation !== undefined) return true;
    return false;
  }

  /** Returns the pending writes to nodes by the keys of their objects. */
  pendingWrites(): readonly (readonly [key: string, write: NodeWrite])[] {
    return [...this.#objects].flatMap(([key, { nodeWrite }]) => (nodeWrite === undefined ? [] : [[key, nodeWrite]]));
  }

  /** Keys of the objects whose write the gate before reboots holds. */
  heldWrites(): readonly string[] {
    return [...this.#objects].flatMap(([key, { hold }]) => (hold === undefined ? [] : [key]));
  }

  /** Asked as often. */
  hasPendingWrites(): boolean {
    for (const { nodeWrite } of this.#objects.values()) if (nodeWrite !== undefined) return true;
    return false;
  }

  /** There is no HyperConverged: what was known of objects made from it is over. What tombstones and exclusions came to stays. */
  forgetObjects(): void {
    this.#objects.clear();
    this.cluster.counts.forget();
    this.cluster.missingCrds = new Map();
    this.cluster.settledHcoContent = undefined;
    this.cluster.hcoEvents = undefined;
    this.cluster.hardware = undefined;
  }
}

function emptyObjectRecord(): ObjectRecord {
  return {
    memory: undefined,
    prune: undefined,
    failure: undefined,
    events: [],
    wasPaused: false,
    throttled: undefined,
    unreadSince: undefined,
    nodeWrite: undefined,
    hold: undefined,
    inputs: undefined,
    inputHold: undefined,
  };
}
