// Assesses and reports the impact of pending writes that affect nodes, and controls the reboot gate.

import type { KubeObject } from "@virt/api";
import { poolInformer } from "@virt/cluster";
import { type Assessment, assessed, assessImpact, type ImpactFacts, impactInformers } from "@virt/impact";
import type { Clock, Discovery, InformerSpec, InformerState, ReconcileContext, ReconcileResult } from "@virt/kube";
import { type ShapeOf, writeTime } from "@virt/objects";
import {
  closedBecause,
  disruptionOfWrites,
  type GatedRollout,
  type GatedWrite,
  type HeldDecision,
  holdAtGate,
  holdRemovalAtGate,
  isHeldAtGate,
  type ManagedObject,
  type NodeWrite,
  nodeRemovalOf,
  nodeWriteOf,
  type ObjectDecision,
  objectKey,
  objectName,
  type ReconcileOutcome,
  readRebootGate,
  rebootHeldNote,
  type ShownImpact,
  shownImpact,
  warningEvent,
} from "@virt/platform";
import { collectImpactFacts, ImpactReads, InformerLists, type ListFacts, listPolicies } from "@virt/reads";
import { loadImpactReads } from "../impact-reads.ts";
import type { ReadCache } from "../read-cache.ts";
import { recordHcoEvent } from "./report.ts";
import type { ObjectRecord, PlatformRecords, PlatformRuntime } from "./runtime.ts";
import type { Snapshot } from "./snapshot.ts";

/** The delay that combines many changes into one assessment. Shorter while informers are syncing. */
const restMs = { listed: 5_000, listing: 250 };
const shownRestMs = 60_000;
const refusedRetryMs = 300_000;

export type RebootImpactParts = {
  readonly find: (spec: InformerSpec) => InformerState | undefined;
  readonly records: PlatformRecords;
  readonly readCache: ReadCache;
  readonly discovery: Pick<Discovery, "find">;
  readonly clock: Clock;
};

export type GatedObject = {
  readonly object: ManagedObject;
  readonly live: KubeObject | undefined;
  readonly shapeOf: ShapeOf;
  readonly snapshot: Snapshot;
};

export type GatedRemoval = Pick<GatedObject, "object" | "snapshot"> & { readonly live: KubeObject };

/** A pending write that affects nodes. `isOn` is true if the reboot gate is enabled. */
type ConsideredWrite = { readonly write: NodeWrite | undefined; readonly isOn: boolean };

export type GateResult = ConsideredWrite & { readonly decision: ObjectDecision };

/** The gate's decision about a deletion. `hold` is present if the gate blocks it. */
export type RemovalGateResult = ConsideredWrite & { readonly hold: HeldDecision | undefined };

export type DueRemoval = { readonly hold: HeldDecision | undefined; readonly write: NodeWrite };

export class RebootImpact {
  readonly #parts: RebootImpactParts;
  readonly #lists: InformerLists;
  #reads = new ImpactReads();
  #shown: ReadonlyMap<string, ShownImpact> = new Map();
  #shownAt = Number.NEGATIVE_INFINITY;
  #restUntil = Number.NEGATIVE_INFINITY;
  /** The causes for which the gate was closed when the blocked objects were last enqueued. */
  #causes = "";
  #isReported = false;

  constructor(parts: RebootImpactParts) {
    this.#parts = parts;
    this.#lists = new InformerLists(parts.find);
  }

  /** The informers that the assessment needs. Empty unless writes are pending. */
  get wanted(): readonly InformerSpec[] {
    return this.#parts.records.hasPendingWrites() ? impactInformers : [];
  }

  isInput(spec: InformerSpec): boolean {
    return impactInformers.includes(spec);
  }

  shownFor(key: string): ShownImpact | undefined {
    return this.#shown.get(key);
  }

  /** Returns the decision, or a hold if the gate blocks the write. Sends no requests. */
  passGate(decided: ObjectDecision, { object, live, shapeOf, snapshot }: GatedObject): GateResult {
    const write = nodeWriteOf(object, decided, { live, shapeOf });
    const gated = this.#gated(write, object, snapshot);
    return { decision: holdAtGate(decided, gated), write, isOn: gated !== undefined };
  }

  /** Returns a hold if the gate blocks the deletion. Sends no requests. */
  passRemovalGate({ object, live, snapshot }: GatedRemoval): RemovalGateResult {
    const write = nodeRemovalOf(object, live);
    const gated = this.#gated(write, object, snapshot);
    return { hold: gated && holdRemovalAtGate(gated), write, isOn: gated !== undefined };
  }

  #gated(write: NodeWrite | undefined, { ref }: ManagedObject, snapshot: Snapshot): GatedWrite | undefined {
    const gate = readRebootGate(snapshot.hco.metadata.annotations ?? {});
    if (write === undefined || gate.kind === "off") return undefined;
    const pools = this.#list(poolInformer);
    const disruption = pools.isAssessed ? assessed(this.#disruption([write])) : pools;
    const key = objectKey(ref);
    const others = this.#parts.records.pendingWrites().filter(([pending]) => pending !== key);
    return { gate, disruption, rollout: this.#rollout(snapshot, [...others, [key, write]]) };
  }

  async reconcile(
    snapshot: Snapshot | undefined,
    { runtime, context }: { readonly runtime: PlatformRuntime; readonly context: ReconcileContext },
  ): Promise<{ readonly result: ReconcileResult; readonly isShownChanged: boolean }> {
    const { clock, records } = this.#parts;
    const pending = records.pendingWrites();
    if (snapshot === undefined || pending.length === 0) return this.#forget();
    const now = clock.monotonic();
    const at = (monotonic: number): ReconcileResult => ({ kind: "requeueAt", atMs: clock.wall() + monotonic - now });
    if (now < this.#restUntil) return { result: at(this.#restUntil), isShownChanged: false };
    const isWhole = await this.#load(snapshot, context);
    const rollout = this.#rollout(snapshot, pending);
    const isListing = isAnyListing(rollout.impact);
    this.#restUntil = clock.monotonic() + (isListing ? restMs.listing : restMs.listed);
    this.#reportGate(rollout, { snapshot, runtime });
    const shown = this.#show(rollout, snapshot);
    const retryAt = now + (isWhole ? refusedRetryMs : restMs.listed);
    const dueAt = [this.#reads.dueAt, shown.dueAt, this.#lists.patientUntil ?? Number.POSITIVE_INFINITY, retryAt];
    return { result: at(Math.max(this.#restUntil, Math.min(...dueAt))), isShownChanged: shown.isChanged };
  }

  #forget(): { readonly result: ReconcileResult; readonly isShownChanged: boolean } {
    const isShownChanged = this.#shown.size > 0;
    this.#reads = new ImpactReads();
    this.#shown = new Map();
    this.#shownAt = Number.NEGATIVE_INFINITY;
    this.#restUntil = Number.NEGATIVE_INFINITY;
    this.#causes = "";
    this.#isReported = false;
    return { result: { kind: "done" }, isShownChanged };
  }

  #load(snapshot: Snapshot, context: ReconcileContext): Promise<boolean> {
    const { clock, discovery, readCache, records } = this.#parts;
    const facts = this.#facts(this.#disruption(records.pendingWrites().map(([, write]) => write)), snapshot);
    return loadImpactReads(facts, { reads: this.#reads, readCache, discovery, now: clock.monotonic() }, context);
  }

  /** Enqueues the blocked objects when the gate opens, or when the reasons why it is closed change. */
  #reportGate(rollout: GatedRollout, { snapshot, runtime }: { snapshot: Snapshot; runtime: PlatformRuntime }): void {
    const why = closedBecause(readRebootGate(snapshot.hco.metadata.annotations ?? {}), rollout);
    const causes = why.length === 0 ? "" : `${why.join(", ")} ${rollout.impact.summary}`;
    const held = this.#parts.records.heldWrites();
    if (causes !== this.#causes || causes === "") for (const key of held) runtime.queues.object(key);
    this.#causes = causes;
    if (causes === "") this.#isReported = false;
    if (this.#isReported || causes === "" || held.length === 0 || isAnyListing(rollout.impact)) return;
    this.#isReported = true;
    const names = held.flatMap((key) => snapshot.object(key)?.ref ?? []).map(objectName);
    const note = rebootHeldNote(names, why, rollout.impact);
    for (const event of warningEvent("RebootHeld", note)) recordHcoEvent(event, snapshot.hco, runtime);
  }

  #show(rollout: GatedRollout, snapshot: Snapshot): { readonly isChanged: boolean; readonly dueAt: number } {
    const known = new Map([[JSON.stringify(rollout.disruption), shownImpact(rollout.impact)]]);
    const impactOf = (write: NodeWrite) => {
      const disruption = this.#disruption([write]);
      const key = JSON.stringify(disruption);
      const found = known.get(key) ?? shownImpact(assessImpact(this.#facts(disruption, snapshot)));
      known.set(key, found);
      return found;
    };
    const next = new Map(this.#parts.records.pendingWrites().map(([key, write]) => [key, impactOf(write)] as const));
    if (JSON.stringify([...next]) === JSON.stringify([...this.#shown]))
      return { isChanged: false, dueAt: Number.POSITIVE_INFINITY };
    const dueAt = this.#shownAt + shownRestMs;
    const isNew = [...next.keys()].some((key) => !this.#shown.has(key)) || this.#isListed(next);
    if (!isNew && this.#parts.clock.monotonic() < dueAt) return { isChanged: false, dueAt };
    this.#shown = next;
    this.#shownAt = this.#parts.clock.monotonic();
    return { isChanged: true, dueAt: Number.POSITIVE_INFINITY };
  }

  /** Reports whether all lists were complete. If they were not, the next assessment follows without delay. */
  #isListed(next: ReadonlyMap<string, ShownImpact>): boolean {
    return [...this.#shown].some(([key, was]) => !next.has(key) || isAnyListing(was));
  }

  #rollout(snapshot: Snapshot, writes: PendingWrites): GatedRollout {
    const disruption = this.#disruption(writes.map(([, write]) => write));
    return { disruption, impact: assessImpact(this.#facts(disruption, snapshot)) };
  }

  #disruption(writes: readonly NodeWrite[]) {
    const pools = this.#list(poolInformer);
    return disruptionOfWrites(writes, pools.isAssessed ? pools.value : [], listPolicies(this.#list));
  }

  #facts(disruption: ImpactFacts["disruption"], { hco }: Snapshot): ImpactFacts {
    const { clock, readCache } = this.#parts;
    const given = { assessedAt: writeTime(clock.wall()), disruption, renderedOf: readCache.renderedNow };
    return collectImpactFacts({ ...given, list: this.#list, hco, reads: this.#reads });
  }

  readonly #list: ListFacts = (spec): Assessment<readonly KubeObject[]> =>
    this.#lists.list(spec, this.#parts.clock.monotonic());
}

type PendingWrites = ReturnType<PlatformRecords["pendingWrites"]>;

/** Returns the write that affects nodes and is still pending after a reconcile. */
export function settleGate(
  outcome: ReconcileOutcome,
  attempted: NodeWrite | undefined,
  removal: DueRemoval | undefined,
): Pick<ObjectRecord, "hold" | "nodeWrite"> {
  if (removal !== undefined) return { hold: removal.hold, nodeWrite: removal.write };
  if (outcome.kind === "decided" && isHeldAtGate(outcome.decision))
    return { hold: outcome.decision, nodeWrite: attempted };
  return { hold: undefined, nodeWrite: outcome.kind === "failed" ? attempted : undefined };
}

function isAnyListing({ notAssessed }: Pick<ShownImpact, "notAssessed">): boolean {
  return notAssessed.some(({ reason }) => reason === "Listing");
}
