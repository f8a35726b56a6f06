// Reconciles one key of the work queue: an object, the round over all of them, or one of the controller's own records.

import type { KubeObject } from "@virt/api";
import { fullBucket } from "@virt/engine";
import type { ReconcileContext, ReconcileResult } from "@virt/kube";
import {
  findUnreadInputs,
  type ManagedObject,
  noteThere,
  type ObjectDecision,
  type ObjectMemory,
  objectKey,
  observeObject,
  type ReconciledObject,
} from "@virt/platform";
import { managedInformer } from "@virt/reads";
import { type AdmissionPolicies, policyKey } from "../admission-policies.ts";
import { type ActionResult, applyObject, type ObjectAction, pauseObject } from "./apply.ts";
import { governanceKey } from "./governance.ts";
import { isHardwareDue, roundAfterWait } from "./hardware-wait.ts";
import { decideWithinLimit, forgetWanted, settleInputsAfter } from "./input-hold.ts";
import { pruneObject } from "./prune.ts";
import { type ReportPublisher, reportKey } from "./publish.ts";
import { impactKey } from "./reboot-impact.ts";
import { recordObjectEvent, reportHyperConverged, reportMissingHco, reportReconcile } from "./report.ts";
import type { PlatformRuntime } from "./runtime.ts";
import { isHco, loadInputs, type Snapshot } from "./snapshot.ts";
import { deleteTombstone, dueTombstones, isTombstoneKey } from "./tombstones.ts";
import type { SnapshotCache } from "./wanted-informers.ts";

/** Under this key all objects are reconciled: nobody can say which one a change concerns. */
export const allObjectsKey = "everything";

export type PlatformReconciler = {
  readonly runtime: PlatformRuntime;
  readonly snapshots: SnapshotCache;
  readonly publisher: ReportPublisher;
  readonly policies: AdmissionPolicies;
};

export async function reconcileKey(
  key: string,
  { runtime, snapshots, publisher, policies }: PlatformReconciler,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  if (key === policyKey) return policies.reconcile(context.cluster);
  if (key === reportKey) return publisher.reconcile(snapshots.current(), context);
  if (key === governanceKey) return reconcileGovernance({ runtime, snapshots }, context);
  if (key === impactKey) return reconcileImpact({ runtime, snapshots, publisher }, context);
  if (isTombstoneKey(key)) return deleteTombstone(key, { snapshot: snapshots.current(), runtime, context });
  const result =
    key === allObjectsKey
      ? startRound({ runtime, snapshots })
      : await reconcileObjectKey(key, { runtime, snapshots }, context);
  publisher.markDirty();
  return result;
}

type ObjectReconciler = Pick<PlatformReconciler, "runtime" | "snapshots">;

async function reconcileGovernance(
  { runtime, snapshots }: ObjectReconciler,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  const { result, isChanged } = await runtime.governance.reconcile(snapshots.current(), context);
  if (isChanged) {
    snapshots.changed("all");
    runtime.refresh();
    runtime.enqueue(allObjectsKey);
  }
  return result;
}

async function reconcileImpact(
  { runtime, snapshots, publisher }: Omit<PlatformReconciler, "policies">,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  const { result, isShownChanged } = await runtime.rebootImpact.reconcile(snapshots.current(), { runtime, context });
  if (isShownChanged) publisher.markDirty();
  return result;
}

function startRound({ runtime, snapshots }: ObjectReconciler): ReconcileResult {
  if (isHardwareDue(runtime)) snapshots.changed("all");
  runtime.refresh(); // whichever snapshot was the first to count a change
  enqueueHco(snapshots.current(), runtime);
  return roundAfterWait(runtime);
}

/** The HyperConverged first: the others are made from what it says then. */
function enqueueHco(snapshot: Snapshot | undefined, runtime: PlatformRuntime): void {
  const hco = snapshot?.objects.find(({ ref }) => isHco(ref));
  if (snapshot === undefined || hco === undefined) return reportMissingHco(runtime);
  const { cluster } = runtime.records;
  cluster.counts.begin();
  // Under its own key: two reconciles of one object at a time would both correct it.
  cluster.isRoundDue = true;
  runtime.enqueue(objectKey(hco.ref));
}

async function reconcileObjectKey(
  key: string,
  { runtime, snapshots }: ObjectReconciler,
  context: ReconcileContext,
): Promise<ReconcileResult> {
  const { clock, readCache, records, metrics } = runtime;
  const begun = clock.monotonic();
  const found = snapshots.current()?.object(key);
  if (found === undefined) return done;
  const revision = readCache.revision();
  const isRead = await loadInputs(found, runtime, context);
  const snapshot = snapshots.current();
  const object = snapshot?.object(key);
  if (snapshot === undefined || object === undefined) return done;
  if (isHco(object.ref)) {
    if (readCache.revision() !== revision) records.cluster.isRoundDue = true; // its schema says what all may ask for
  } else if (records.cluster.settledHcoContent !== snapshot.content) return done;
  const { result, ...reconciled } = await reconcileObject(object, snapshot, { runtime, context });
  context.explain?.(describeOutcome(reconciled.outcome));
  if (isReleasedByPlan(reconciled)) runtime.enqueue(governanceKey); // it may have become what it should be
  const record = records.object(key);
  const before = { hasWrite: record.nodeWrite !== undefined, isHeld: record.hold !== undefined };
  const pruned = await pruneObject(object, reconciled.evaluated, { snapshot, runtime, context });
  runtime.rebootImpact.settle(record, reconciled.outcome, pruned.removal);
  if (before.hasWrite || record.nodeWrite !== undefined) runtime.enqueue(impactKey);
  if (before.isHeld !== (record.hold !== undefined)) runtime.refresh(); // it has an informer while it is held
  const unread = findUnreadInputs(object.ref, reconciled, { since: record.unreadSince, now: begun });
  record.unreadSince = unread.since;
  reportReconcile(object, reconciled, { snapshot, unread: unread.events }, runtime);
  for (const event of pruned.events) recordObjectEvent(event, { hco: snapshot.hco, ref: object.ref, runtime });
  if (reconciled.outcome.kind !== "excluded") metrics.observeDuration(object.ref, (clock.monotonic() - begun) / 1000);
  records.cluster.counts.add(key, reconciled.outcome, reconciled.evaluated);
  if (isHco(object.ref)) {
    reportHyperConverged(snapshot, runtime);
    const isSettled = reconciled.outcome.kind !== "applied" && unread.dueAt === undefined;
    enqueueOthers(snapshot, isSettled, runtime);
  }
  return firstUnfinished([
    result,
    isRead ? done : { kind: "retry" },
    pruned.result,
    unread.dueAt === undefined ? done : { kind: "requeueAt", atMs: clock.wall() + unread.dueAt - clock.monotonic() },
  ]);
}

const done: ReconcileResult = { kind: "done" };

function firstUnfinished(results: readonly ReconcileResult[]): ReconcileResult {
  return results.find(({ kind }) => kind !== "done") ?? done;
}

function describeOutcome(outcome: ReconciledObject["outcome"]): string {
  const { kind, ...rest } = outcome.kind === "decided" ? outcome.decision : outcome;
  const why = [...("reason" in rest ? [rest.reason] : []), ...("message" in rest ? [rest.message] : [])];
  return why.length === 0 ? kind : `${kind}: ${why.join(", ")}`;
}

function isReleasedByPlan({ evaluated: { statuses } }: ReconciledObject): boolean {
  return [...statuses.values()].some((one) => one.kind === "excluded" && one.reason === "ReleasedByPlan");
}

/**
 * The others are made from what the HyperConverged says once its own reconcile is through. An input of its own that is not
 * read yet may still change what it says: that is waited for, until it has lasted long enough for an event.
 */
function enqueueOthers({ content, objects, facts }: Snapshot, isSettled: boolean, runtime: PlatformRuntime): void {
  const { enqueue } = runtime;
  const { cluster } = runtime.records;
  const isThrough = isSettled && cluster.settledHcoContent !== content;
  if (isThrough) cluster.settledHcoContent = content;
  if (!isThrough && !cluster.isRoundDue) return;
  cluster.isRoundDue = false;
  // Objects of earlier releases go first. They wait for the schema of the HyperConverged, which its reconcile has read by now.
  if (facts.activation.isActive) for (const key of dueTombstones(runtime)) enqueue(key);
  for (const { ref } of objects) if (!isHco(ref)) enqueue(objectKey(ref));
}

type ActionContext = Pick<ObjectAction, "runtime" | "context">;

/** Evaluates its assets, decides, and sends at most two requests. */
async function reconcileObject(
  object: ManagedObject,
  snapshot: Snapshot,
  { runtime, context }: ActionContext,
): Promise<ReconciledObject & { readonly result: ReconcileResult }> {
  const evaluated = snapshot.evaluate(object);
  const { wanted } = evaluated;
  const record = runtime.records.object(objectKey(object.ref));
  const inputs = { object, evaluated, snapshot, record, runtime };
  const held = (reason: string, message: string) =>
    ({ outcome: { kind: "decided", decision: { kind: "held", reason, message } }, evaluated, result: done }) as const;
  if (wanted.kind === "excluded") {
    record.memory = undefined;
    forgetWanted(inputs);
    return { outcome: { kind: "excluded" }, evaluated, result: done };
  }
  if (wanted.kind === "held") return held(wanted.reason, wanted.message);
  // Absence means nothing before the first list: its end enqueues this object.
  const informer = runtime.find(managedInformer(object.ref, runtime.settings.hcoNamespace));
  if (informer?.state !== "synced") return held("InputUnavailable", informer?.lastError ?? "cache not synced");
  const live = snapshot.facts.live(object.ref);
  const before = record.memory ?? { bucket: fullBucket, wasThere: false };
  const memory = live === undefined ? before : noteThere(before, live);
  record.memory = memory;
  const times = { now: runtime.clock.wall(), monotonicMs: runtime.clock.monotonic() };
  const seen = observeObject(object, wanted, { facts: snapshot.facts, ...times, memory });
  const { decision: limited, observed } = decideWithinLimit(seen, inputs);
  const action = { object, observed, live, memory, record, runtime, context };
  const gated = { object, live, shapeOf: observed.shapeOf, record, snapshot };
  const decision = runtime.rebootImpact.holdAtGate(limited, gated);
  const executed = await executeDecision(decision, action);
  settleInputsAfter(executed.outcome, record);
  if (record.inputHold === undefined) return { evaluated, ...executed };
  const dueAgain = { kind: "requeueAt", atMs: times.now + (record.inputHold.inMs ?? 0) } as const;
  return { evaluated, outcome: executed.outcome, result: firstUnfinished([executed.result, dueAgain]) };
}

async function executeDecision(decision: ObjectDecision, action: ObjectAction): Promise<ActionResult> {
  const { memory, record, runtime, live } = action;
  switch (decision.kind) {
    case "apply":
      return applyObject(decision, action);
    case "pause":
      return pauseObject(decision, action);
    case "in-sync":
      if (live !== undefined) record.memory = memoryInSync(memory, live, decision.intent);
      return { outcome: { kind: "decided", decision }, result: done };
    case "wait":
    case "deletion-fight":
    case "mutated":
    case "held": {
      const { inMs } = decision;
      const result: ReconcileResult =
        inMs === undefined ? done : { kind: "requeueAt", atMs: runtime.clock.wall() + inMs };
      return { outcome: { kind: "decided", decision }, result };
    }
    case "managed-by-other":
    case "unmanaged":
    case "paused":
    case "contested":
    case "not-there":
      return { outcome: { kind: "decided", decision }, result: done };
  }
}

/** An answer about another object of that name is none. */
function memoryInSync(memory: ObjectMemory, live: KubeObject, sent: KubeObject): ObjectMemory {
  const { mutation: _over, answer, ...rest } = memory;
  return { ...rest, answer: answer?.metadata.uid === live.metadata.uid ? (answer ?? live) : live, sent };
}
