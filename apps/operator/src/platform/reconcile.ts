// Reconciles one managed object: reads inputs, decides, acts, prunes and reports.

import type { KubeObject } from "@virt/api";
import type { ReconcileContext, ReconcileResult } from "@virt/kube";
import {
  findUnreadInputs,
  type ObjectMemory,
  objectKey,
  type ReconciledObject,
  type ReconcileOutcome,
} from "@virt/platform";
import { type ActionResult, applyObject, pauseObject } from "./apply.ts";
import { type DecidedObject, type DueAction, decide, inputsAfter, type ReadyObject } from "./decide.ts";
import { type PruneResult, pruneObject } from "./prune.ts";
import { settleGate } from "./reboot-impact.ts";
import { recordObjectEvent, reportHyperConverged, reportReconcile } from "./report.ts";
import { continueRound, isReadyToAct } from "./round.ts";
import type { ObjectRecord, PlatformRuntime } from "./runtime.ts";
import { isHco, loadInputs } from "./snapshot.ts";
import type { SnapshotCache } from "./wanted-informers.ts";

const done: ReconcileResult = { kind: "done" };

export async function reconcileObject(
  key: string,
  { runtime, snapshots }: { readonly runtime: PlatformRuntime; readonly snapshots: SnapshotCache },
  context: ReconcileContext,
): Promise<ReconcileResult> {
  const startMs = runtime.clock.monotonic();
  const ready = await readInputs(key, { runtime, snapshots }, context);
  if (ready === undefined) return done;
  const decided = decide(ready, runtime);
  const wasWaiting = noteDecided(ready.record, decided);
  const acted = await act(decided, ready, { runtime, context });
  context.explain?.(describeOutcome(acted.outcome));
  const pruned = await pruneObject(ready.object, decided.evaluated, { snapshot: ready.snapshot, runtime, context });
  return finish(ready, { decided, acted, pruned, wasWaiting, startMs }, runtime);
}

type ReadObject = ReadyObject & {
  readonly isRead: boolean;
};

/** Reads the inputs. Returns undefined if the object is unknown, or if the HyperConverged has not been reconciled yet. */
async function readInputs(
  key: string,
  { runtime, snapshots }: { readonly runtime: PlatformRuntime; readonly snapshots: SnapshotCache },
  context: ReconcileContext,
): Promise<ReadObject | undefined> {
  const { readCache, records } = runtime;
  if (!isReadyToAct(runtime)) return undefined;
  const found = snapshots.current()?.object(key);
  if (found === undefined) return undefined;
  const revision = readCache.revision();
  const hco = snapshots.current()?.facts.hco;
  const isRead = await loadInputs(found, runtime, { cluster: context.cluster, hco });
  const snapshot = snapshots.current();
  const object = snapshot?.object(key);
  if (snapshot === undefined || object === undefined) return undefined;
  // A new schema of the HyperConverged affects all other objects.
  if (isHco(object.ref) && readCache.revision() !== revision) records.cluster.isRoundDue = true;
  if (!isHco(object.ref) && records.cluster.settledHcoContent !== snapshot.content) return undefined;
  return { object, snapshot, record: records.object(key), isRead };
}

/**
 * Records the decision before the first request, because concurrent reconciles need it. Returns whether a write that
 * affects nodes was already pending.
 */
function noteDecided(record: ObjectRecord, decided: DecidedObject): boolean {
  if (decided.kind === "on-hold") return record.nodeWrite !== undefined;
  record.memory = decided.kind === "excluded" ? undefined : decided.memory;
  record.inputs = decided.inputs;
  record.inputHold = decided.inputHold;
  if (decided.kind === "decided" && decided.gate.isOn) record.nodeWrite = decided.gate.write;
  return record.nodeWrite !== undefined;
}

type ActionContext = { readonly runtime: PlatformRuntime; readonly context: ReconcileContext };

async function act(
  decided: DecidedObject,
  ready: ReadyObject,
  { runtime, context }: ActionContext,
): Promise<ActionResult> {
  switch (decided.kind) {
    case "excluded":
      return { outcome: { kind: "excluded" }, result: done };
    case "on-hold":
      return { outcome: decided.outcome, result: done };
    case "decided":
      return execute(decided, ready, { runtime, context });
  }
}

async function execute(due: DueAction, { object, record }: ReadyObject, shared: ActionContext): Promise<ActionResult> {
  const { decision, observed, live, memory } = due;
  const action = { object, observed, live, memory, record, ...shared };
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
      return { outcome: { kind: "decided", decision }, result: inMs === undefined ? done : requeueIn(inMs, shared) };
    }
    case "managed-by-other":
    case "unmanaged":
    case "paused":
    case "contested":
    case "not-there":
      return { outcome: { kind: "decided", decision }, result: done };
  }
}

/** Ignores responses that belong to a deleted object of the same name. */
function memoryInSync(memory: ObjectMemory, live: KubeObject, sent: KubeObject): ObjectMemory {
  const { mutation: _over, answer, ...rest } = memory;
  return { ...rest, answer: answer?.metadata.uid === live.metadata.uid ? (answer ?? live) : live, sent };
}

type FinishedSteps = {
  readonly decided: DecidedObject;
  readonly acted: ActionResult;
  readonly pruned: PruneResult;
  /** True if a write that affects nodes was pending before this reconcile. */
  readonly wasWaiting: boolean;
  readonly startMs: number;
};

function finish(
  { object, snapshot, record, isRead }: ReadObject,
  { decided, acted, pruned, wasWaiting, startMs }: FinishedSteps,
  runtime: PlatformRuntime,
): ReconcileResult {
  const { clock, metrics, queues, records } = runtime;
  const { evaluated } = decided;
  const { outcome } = acted;
  const wasOnHold = record.hold !== undefined;
  const attempted = decided.kind === "decided" ? decided.gate.write : undefined;
  Object.assign(record, settleGate(outcome, attempted, pruned.removal), { inputs: inputsAfter(outcome, record) });
  const unread = findUnreadInputs(object.ref, { outcome, evaluated }, { since: record.unreadSince, now: startMs });
  record.unreadSince = unread.since;

  if (isReleasedByPlan(evaluated)) queues.governance(); // if the object matches now, the release ends
  if (wasWaiting || record.nodeWrite !== undefined) queues.rebootImpact();
  if (wasOnHold !== (record.hold !== undefined)) runtime.refresh(); // objects on hold are watched

  reportReconcile(object, { outcome, evaluated }, { snapshot, unread: unread.events }, runtime);
  for (const event of pruned.events) recordObjectEvent(event, { hco: snapshot.hco, ref: object.ref, runtime });
  if (outcome.kind !== "excluded") metrics.observeDuration(object.ref, (clock.monotonic() - startMs) / 1000);
  records.cluster.counts.add(objectKey(object.ref), outcome, evaluated);
  if (isHco(object.ref)) {
    reportHyperConverged(snapshot, runtime);
    continueRound(snapshot, outcome.kind !== "applied" && unread.dueAt === undefined, runtime);
  }
  return firstUnfinished([
    acted.result,
    record.inputHold === undefined ? done : requeueIn(record.inputHold.inMs ?? 0, { runtime }),
    isRead ? done : { kind: "retry" },
    pruned.result,
    unread.dueAt === undefined ? done : requeueIn(unread.dueAt - clock.monotonic(), { runtime }),
  ]);
}

function requeueIn(ms: number, { runtime: { clock } }: Pick<ActionContext, "runtime">): ReconcileResult {
  return { kind: "requeueAt", atMs: clock.wall() + ms };
}

function firstUnfinished(results: readonly ReconcileResult[]): ReconcileResult {
  return results.find(({ kind }) => kind !== "done") ?? done;
}

function isReleasedByPlan({ statuses }: ReconciledObject["evaluated"]): boolean {
  return [...statuses.values()].some((one) => one.kind === "excluded" && one.reason === "ReleasedByPlan");
}

function describeOutcome(outcome: ReconcileOutcome): string {
  const { kind, ...rest } = outcome.kind === "decided" ? outcome.decision : outcome;
  const why = [...("reason" in rest ? [rest.reason] : []), ...("message" in rest ? [rest.message] : [])];
  return why.length === 0 ? kind : `${kind}: ${why.join(", ")}`;
}
