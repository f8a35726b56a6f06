// Deletes the objects of disabled features, if the user has enabled pruning.

import { type EventMessage, fieldManagers, type KubeObject } from "@virt/api";
import type { ReconcileContext, ReconcileResult } from "@virt/kube";
import type { Outcome } from "@virt/objects";
import {
  type Asset,
  decidePrune,
  type EvaluatedObject,
  explainFailure,
  type ManagedObject,
  makersOf,
  normalEvent,
  objectKey,
  objectName,
  prunedParts,
} from "@virt/platform";
import { isUngoverned } from "./governance.ts";
import type { DueRemoval, RemovalGateResult } from "./reboot-impact.ts";
import { releaseObject } from "./release.ts";
import { type ObjectRecord, type PlatformRuntime, resultAfter } from "./runtime.ts";
import type { Snapshot } from "./snapshot.ts";

const manager = fieldManagers.platform;

export type PruneResult = {
  readonly events: readonly EventMessage[];
  readonly result: ReconcileResult;
  readonly removal?: DueRemoval;
};

export type PruneContext = {
  readonly snapshot: Snapshot;
  readonly runtime: PlatformRuntime;
  readonly context: ReconcileContext;
};

const nothing: PruneResult = { events: [], result: { kind: "done" } };

/** Prunes the object, and retries until it succeeds. Runs once for each set of disabled features. */
export async function pruneObject(
  object: ManagedObject,
  { wanted }: EvaluatedObject,
  prune: PruneContext,
): Promise<PruneResult> {
  const record = prune.runtime.records.object(objectKey(object.ref));
  const pruned = wanted.kind === "excluded" ? prunedParts(object, prune.snapshot.facts) : [];
  const asked = pruned.map(({ name }) => name).join(",");
  const before = record.prune;
  if (asked === "") record.prune = undefined;
  const isSettled = before?.asked === asked && (!before.isKept || isStillKept(object, pruned, prune));
  if (asked === "" || isSettled) return nothing;
  const { outcome, events, gate, isKept = false } = await pruneNow(object, pruned, prune);
  const removal = dueRemoval(record, gate);
  if (gate?.hold !== undefined) return { ...nothing, ...(removal && { removal }) };
  if (outcome.kind !== "done" && outcome.kind !== "missing") {
    return { ...failed(outcome, object, prune), ...(removal && { removal }) };
  }
  record.prune = { asked, isKept };
  if (isKept !== (before?.isKept ?? false)) prune.runtime.refresh(); // kept objects are watched
  return { events, result: { kind: "done" } };
}

/** Returns the pending deletion. If a request failed before the reboot gate was checked, keeps the gate's earlier decision. */
function dueRemoval(record: ObjectRecord, gate: RemovalGateResult | undefined): DueRemoval | undefined {
  const write = gate === undefined ? record.hold && record.nodeWrite : gate.write;
  return write && { hold: gate === undefined ? record.hold : gate.hold, write };
}

/** Reports whether the object is still kept. Until its informer has synced, relies on the last read. */
function isStillKept({ ref, assets }: ManagedObject, pruned: readonly Asset[], { snapshot }: PruneContext): boolean {
  const live = snapshot.facts.live(ref);
  return live === undefined || decidePrune(live, pruneInput(assets, pruned, snapshot)).kind === "keep";
}

type PruneOutcome = {
  readonly outcome: Outcome;
  readonly events: readonly EventMessage[];
  readonly isKept?: true;
  /** The reboot gate's decision. Absent if the deletion failed earlier. */
  readonly gate?: RemovalGateResult;
};

async function pruneNow(object: ManagedObject, pruned: readonly Asset[], prune: PruneContext): Promise<PruneOutcome> {
  const { context } = prune;
  const { ref, assets } = object;
  const { cluster } = context;
  const name = objectName(ref);
  const reading = await cluster.read(ref);
  if (reading.kind === "absent") return { outcome: { kind: "done" }, events: [] };
  if (reading.kind !== "found") return { outcome: reading, events: [] };
  const live = reading.object;
  const removal = decidePrune(live, pruneInput(assets, pruned, prune.snapshot));
  switch (removal.kind) {
    case "keep":
      return { outcome: { kind: "done" }, events: [], isKept: true };
    case "release":
      return {
        outcome: await releaseObject(live, cluster),
        events: normalEvent(
          "FieldsReleased",
          `Released all fields of ${name}. The object is kept, because the operator did not create it or other clients own some of its fields`,
        ),
      };
    case "delete": {
      const { runtime, snapshot } = prune;
      const record = runtime.records.object(objectKey(ref));
      const gate = runtime.rebootImpact.passRemovalGate({ object, live, snapshot });
      if (gate.isOn) record.nodeWrite = gate.write; // so that concurrent assessments include it
      const isBlocked = gate.hold !== undefined || !(await isUngoverned(object, "prune", prune));
      if (isBlocked) return { outcome: { kind: "stale" }, events: [], gate };
      const { uid, resourceVersion } = removal;
      const outcome = await cluster.remove(ref, { manager, force: false, expect: { uid, resourceVersion } });
      return { outcome, gate, events: normalEvent("AssetPruned", `Deleted ${name} because ${reasonOf(live, pruned)}`) };
    }
  }
}

function reasonOf(live: KubeObject, pruned: readonly Asset[]): string {
  const makers = makersOf(live, { assets: namesOf(pruned) });
  const off = pruned.filter(({ name }) => makers.includes(name)).map(({ feature }) => feature.name);
  const features = [...new Set(off)];
  return features.length === 1
    ? `feature ${features.join()} is disabled`
    : `features ${features.join(", ")} are disabled`;
}

function pruneInput(assets: readonly Asset[], pruned: readonly Asset[], { facts: { autopilot } }: Snapshot) {
  return { assets: namesOf(assets), pruned: namesOf(pruned), autopilot };
}

function namesOf(assets: readonly Asset[]): readonly string[] {
  return assets.map(({ name }) => name);
}

/** Requeues a failed deletion, because no watch event would trigger a retry. */
function failed(outcome: Outcome, { ref }: ManagedObject, { runtime: { log, clock } }: PruneContext): PruneResult {
  const level = outcome.kind === "rejected" ? "warn" : "debug";
  log[level]("prune failed", { object: objectKey(ref), why: explainFailure(outcome, ref) });
  return { events: [], result: resultAfter(outcome, clock) };
}
