// The state that all platform reconciles share: catalog, caches and records. Records do not survive a restart.

import type { EventMessage } from "@virt/api";
import type { AutopilotMemory, HardwareMemory, Purposes } from "@virt/cluster";
import type { Clock, Discovery, InformerSpec, InformerState, Log, ReconcileResult } from "@virt/kube";
import type { Bucket, WriteResult } from "@virt/objects";
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
import type { Consent } from "./consent.ts";
import type { Governance } from "./governance.ts";
import type { PlatformMetrics } from "./metrics.ts";
import type { RebootImpact } from "./reboot-impact.ts";

export type PlatformRuntime = {
  readonly assets: readonly Asset[];
  readonly tombstones: readonly Tombstone[];
  readonly settings: Settings;
  readonly version: string;
  readonly images: Readonly<Record<string, string>>;
  readonly purposesOf: Purposes;
  readonly ownNamespace: string;
  readonly runbookUrlTemplate: string | undefined;
  readonly find: (spec: InformerSpec) => InformerState | undefined;
  readonly discovery: Pick<Discovery, "find">;
  readonly readCache: ReadCache;
  readonly governance: Governance;
  readonly consent: Consent;
  readonly records: PlatformRecords;
  readonly recordEvent: ControllerContext["recordEvent"];
  readonly metrics: PlatformMetrics;
  readonly rebootImpact: RebootImpact;
  readonly clock: Clock;
  readonly log: Log;
  readonly refresh: () => void;
  readonly queues: PlatformQueues;
};

export type PlatformQueues = {
  readonly object: (key: string) => void;
  readonly tombstone: (key: string) => void;
  readonly round: () => void;
  readonly report: () => void;
  readonly governance: () => void;
  readonly consent: () => void;
  readonly rebootImpact: () => void;
};

/** The delay before a rejected write is retried. */
export const rejectedRetryMs = 300_000;

export function resultAfter(written: WriteResult, clock: Pick<Clock, "wall">): ReconcileResult {
  if (written.kind === "rejected") return { kind: "requeueAt", atMs: clock.wall() + rejectedRetryMs };
  const isNamed = written.kind === "unavailable" && written.retryInMs !== undefined;
  return { kind: "retry", ...(isNamed && { retryInMs: written.retryInMs }) };
}

export type ObjectRecord = {
  memory: ObjectMemory | undefined;
  prune: PruneRecord | undefined;
  failure: FailureRecord | undefined;
  events: readonly EventMessage[];
  wasPaused: boolean;
  throttled: Bucket | undefined;
  /** Since when an input has been missing, in monotonic milliseconds. */
  unreadSince: number | undefined;
  nodeWrite: NodeWrite | undefined;
  hold: HeldDecision | undefined;
  inputs: InputMemory | undefined;
  inputHold: HeldDecision | undefined;
};

/** The assets to prune. `isKept` is true if the object is kept for now, but may be deleted later. */
export type PruneRecord = { readonly asked: string; readonly isKept: boolean };

export type FailureRecord = LastError & { readonly timesInARow: number };

/** The result of a tombstone. The state is 0 if the object is gone, -1 after an error, and -2 if the object is kept. */
export type TombstoneRecord = {
  readonly state: 0 | -1 | -2;
  readonly events: readonly EventMessage[];
  readonly timesInARow: number;
};

export type ClusterRecord = {
  /** The last valid exclusions. They stay in effect while the annotation is malformed. */
  exclusions: readonly ExclusionRule[] | undefined;
  /** The HyperConverged after its last reconcile. Other objects are rendered from it. */
  settledHcoContent: string | undefined;
  isRoundDue: boolean;
  /** The hardware in effect, and pending changes. Undefined until nodes have been read after a start or an activation. */
  hardware: HardwareMemory | undefined;
  /** The state of virt-platform-autopilot. Undefined if it was not looked up yet. */
  autopilot: AutopilotMemory | undefined;
  /** The last reported note about the active autopilot. Undefined if it was not active. */
  autopilotNote: string | undefined;
  /** The newest known write of virt-platform-autopilot to any object, in wall milliseconds. */
  lastWriteMs: number | undefined;
  activity: "active" | "idle" | "no HyperConverged" | undefined;
  missingCrds: MissingCrds;
  hcoEvents: { readonly key: string; readonly events: readonly EventMessage[] } | undefined;
  readonly counts: ObjectCounts;
  /** The last status of each asset that was based on complete inputs. */
  readonly lastKnown: Map<string, SettledStatus>;
  readonly tombstones: Map<string, TombstoneRecord>;
};

export class PlatformRecords {
  readonly #objects = new Map<string, ObjectRecord>();
  readonly cluster: ClusterRecord = {
    exclusions: undefined,
    settledHcoContent: undefined,
    isRoundDue: false,
    hardware: undefined,
    autopilot: undefined,
    autopilotNote: undefined,
    lastWriteMs: undefined,
    activity: undefined,
    missingCrds: new Map(),
    hcoEvents: undefined,
    counts: createObjectCounts(),
    lastKnown: new Map(),
    tombstones: new Map(),
  };

  /** Returns the record of a managed object. Creates it if it does not exist. */
  object(key: string): ObjectRecord {
    const known = this.#objects.get(key);
    if (known !== undefined) return known;
    const created = emptyObjectRecord();
    this.#objects.set(key, created);
    return created;
  }

  mutatedKeys(): readonly string[] {
    return [...this.#objects].flatMap(([key, { memory }]) => (memory?.mutation === undefined ? [] : [key]));
  }

  /** Reports whether admission mutates any object. Called in each reconcile, so it avoids building a list. */
  hasMutated(): boolean {
    for (const { memory } of this.#objects.values()) if (memory?.mutation !== undefined) return true;
    return false;
  }

  pendingWrites(): readonly (readonly [key: string, write: NodeWrite])[] {
    return [...this.#objects].flatMap(([key, { nodeWrite }]) => (nodeWrite === undefined ? [] : [[key, nodeWrite]]));
  }

  heldWrites(): readonly string[] {
    return [...this.#objects].flatMap(([key, { hold }]) => (hold === undefined ? [] : [key]));
  }

  hasPendingWrites(): boolean {
    for (const { nodeWrite } of this.#objects.values()) if (nodeWrite !== undefined) return true;
    return false;
  }

  /** Forgets all objects after the HyperConverged was deleted. Keeps tombstones and exclusions. */
  forgetObjects(): void {
    this.#objects.clear();
    this.cluster.counts.forget();
    this.cluster.missingCrds = new Map();
    this.cluster.settledHcoContent = undefined;
    this.cluster.hcoEvents = undefined;
    this.cluster.hardware = undefined;
    this.cluster.autopilot = undefined;
    this.cluster.autopilotNote = undefined;
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
