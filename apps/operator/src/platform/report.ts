// Reports a reconcile: records new events and sets metrics.

import type { EventMessage, KubeObject, Ref } from "@virt/api";
import { severalHyperConvergeds } from "@virt/cluster";
import {
  dependencies,
  eventsForDiscoveredCrds,
  eventsForHyperConverged,
  eventsForOutcome,
  eventsForStatus,
  excludedAssets,
  findThrottling,
  idleMessage,
  isInSync,
  isUnsettled,
  type ManagedObject,
  missingCrds,
  objectFindingOf,
  objectKey,
  objectMetricsOf,
  objectName,
  pausedOf,
  type ReconciledObject,
  type ReconcileOutcome,
  resumedEvents,
  undecidedReasons,
  warningEvent,
} from "@virt/platform";
import { managedInformer } from "@virt/reads";
import type { FailureRecord, ObjectRecord, PlatformRuntime } from "./runtime.ts";
import { chooseHco, type Snapshot } from "./snapshot.ts";

export type ReportContext = {
  readonly snapshot: Snapshot;
  readonly unread: readonly EventMessage[];
};

export function reportReconcile(
  object: ManagedObject,
  reconciled: ReconciledObject,
  { snapshot: { hco, facts }, unread }: ReportContext,
  runtime: PlatformRuntime,
): void {
  if (isForgotten(runtime)) return;
  const { ref } = object;
  const { outcome, evaluated } = reconciled;
  const record = runtime.records.object(objectKey(ref));
  const live = liveObject(ref, runtime);
  record.failure = nextFailure(ref, outcome, record, runtime);
  setMetrics(object, reconciled, { live, isPassing: outcome.kind === "failed" && isPassing(record.failure) }, runtime);
  const { throttled, memory } = record;
  const throttling = findThrottling(ref, outcome, {
    throttled,
    bucket: memory?.bucket,
    now: runtime.clock.monotonic(),
  });
  record.throttled = throttling.throttled;
  const current = [...eventsForStatus(object, reconciled, live), ...throttling.events, ...unread];
  const begun = [...eventsForOutcome(ref, reconciled, facts.topology), ...current].filter(
    (event) => !isAmong(event, record.events),
  );
  for (const event of [...resumed(ref, outcome, record), ...begun]) recordObjectEvent(event, { hco, ref, runtime });
  record.events = stillReported(current, record.events, undecidedReasons(outcome, evaluated));
}

/** Finds the live object. The HyperConverged is watched in all namespaces, so its name may be ambiguous. */
function liveObject({ namespace, ...ref }: Ref, { find, settings }: PlatformRuntime): KubeObject | undefined {
  const informer = find(managedInformer({ ...ref, ...(namespace && { namespace }) }, settings.hcoNamespace));
  return [...(informer?.store.items() ?? [])].find(({ metadata }) => (metadata.namespace ?? "") === (namespace ?? ""));
}

function isForgotten({ records, find, settings }: PlatformRuntime): boolean {
  return records.cluster.activity === "no HyperConverged" && chooseHco(find, settings.hcoNamespace).kind !== "found";
}

function setMetrics(
  { ref, assets }: ManagedObject,
  { outcome, evaluated }: ReconciledObject,
  seen: { readonly live: KubeObject | undefined; readonly isPassing: boolean },
  { metrics }: PlatformRuntime,
): void {
  const next = objectMetricsOf(outcome, { ...seen, last: metrics.object(ref) });
  if (next === undefined) metrics.removeObject(ref);
  else metrics.setObject(ref, next);
  for (const { name } of assets) {
    const status = evaluated.statuses.get(name);
    metrics.setExcluded(name, status === undefined || status.kind === "active" ? undefined : status.reason);
  }
  if (outcome.kind === "paused-now") metrics.countThrashing(ref);
}

/** Returns the current failure. After an inconclusive reconcile, returns the previous one. */
function nextFailure(
  ref: Ref,
  outcome: ReconcileOutcome,
  { failure: before }: ObjectRecord,
  { log }: PlatformRuntime,
): FailureRecord | undefined {
  if (outcome.kind !== "failed") return objectFindingOf(outcome) === "settled" ? undefined : before;
  const { message, isPermanent } = outcome;
  const failure = { message, isPermanent, timesInARow: (before?.timesInARow ?? 0) + 1 };
  const level = isPassing(failure) ? "debug" : "warn";
  log[level]("reconciliation failed", { object: objectKey(ref), why: message, times: failure.timesInARow });
  return failure;
}

const toleratedFailures = 3;

/** Reports whether the failure may be temporary. A timeout or a conflict counts as permanent only after several in a row. */
function isPassing(failure: FailureRecord | undefined): boolean {
  return failure !== undefined && !failure.isPermanent && failure.timesInARow < toleratedFailures;
}

/** Returns the event for the end of a manual pause. After an edit war, the write that ends the pause records the event. */
function resumed(ref: Ref, outcome: ReconcileOutcome, record: ObjectRecord): readonly EventMessage[] {
  if (pausedOf(outcome) !== undefined) {
    record.wasPaused = true;
    return [];
  }
  if (isUnsettled(outcome)) return []; // inconclusive
  const isOver = record.wasPaused && isInSync(outcome);
  record.wasPaused = false;
  return isOver && !(outcome.kind === "applied" && outcome.apply.done.isResumed) ? resumedEvents(objectName(ref)) : [];
}

export function reportHyperConverged(snapshot: Snapshot, runtime: PlatformRuntime): void {
  const { facts, hco } = snapshot;
  const { metrics, settings, assets } = runtime;
  const { cluster } = runtime.records;
  if (isForgotten(runtime)) return;
  const { isActive } = facts.activation;
  metrics.setActive(settings.activation, isActive);
  if (!isActive && cluster.activity !== "idle") runtime.log.info(idleMessage(hco));
  cluster.activity = isActive ? "active" : "idle";
  const current = eventsForHyperConverged(hco, facts, assets);
  // Without all facts, the missing CRDs are unknown, so the events about them stay.
  if (isActive && facts.unread !== undefined)
    return recordHcoEvents({ current, undecided: new Set(["CRDMissing"]) }, hco, runtime);
  const come = { crds: facts.crds, excluded: excludedAssets(snapshot) };
  for (const event of eventsForDiscoveredCrds(cluster.missingCrds, come)) recordHcoEvent(event, hco, runtime);
  cluster.missingCrds = missingCrds(snapshot);
  recordHcoEvents({ current }, hco, runtime);
  metrics.setDependencies(dependencies(facts, assets));
}

/** Reports a missing or ambiguous HyperConverged. Does nothing until informers have synced. */
export function reportMissingHco(runtime: PlatformRuntime): void {
  const { records, metrics, settings, assets, log } = runtime;
  const chosen = chooseHco(runtime.find, settings.hcoNamespace);
  if (chosen.kind === "starting" || chosen.kind === "found") return;
  if (records.cluster.activity !== "no HyperConverged")
    log.info("HyperConverged not found, staying idle", { found: chosen.kind });
  records.cluster.activity = "no HyperConverged";
  metrics.setActive(settings.activation, false);
  metrics.removeAllObjects();
  metrics.setDependencies([]);
  for (const { name } of assets) metrics.setExcluded(name, "HCOMissing");
  const { hcoEvents } = records.cluster;
  records.forgetObjects();
  const [first] = chosen.kind === "several" ? chosen.objects : [];
  if (chosen.kind !== "several" || first === undefined) return;
  records.cluster.hcoEvents = hcoEvents;
  const current = warningEvent("MultipleHyperConverged", severalHyperConvergeds(chosen.objects));
  recordHcoEvents({ current }, first, runtime);
}

type HcoEvents = {
  readonly current: readonly EventMessage[];
  readonly undecided?: ReadonlySet<string>;
};

function recordHcoEvents(
  { current, undecided = new Set() }: HcoEvents,
  hco: KubeObject,
  runtime: PlatformRuntime,
): void {
  const key = objectKey(refOf(hco));
  const { cluster } = runtime.records;
  const before = cluster.hcoEvents?.key === key ? cluster.hcoEvents.events : [];
  for (const event of current) if (!isAmong(event, before)) recordHcoEvent(event, hco, runtime);
  cluster.hcoEvents = { key, events: stillReported(current, before, undecided) };
}

function isAmong({ reason, note }: EventMessage, events: readonly EventMessage[]): boolean {
  return events.some((one) => one.reason === reason && one.note === note);
}

/** Returns the reasons that were already reported and still apply, so that they are not reported again. */
function stillReported(
  current: readonly EventMessage[],
  before: readonly EventMessage[],
  undecided: ReadonlySet<string>,
): readonly EventMessage[] {
  return [...before.filter((event) => undecided.has(event.reason) && !isAmong(event, current)), ...current];
}

export function recordHcoEvent(event: EventMessage, hco: KubeObject, runtime: PlatformRuntime): void {
  recordObjectEvent(event, { hco, ref: refOf(hco), runtime });
}

export function refOf({ apiVersion, kind, metadata }: KubeObject): Ref {
  return { apiVersion, kind, name: metadata.name, namespace: metadata.namespace ?? "" };
}

type ObjectEventContext = { readonly hco: KubeObject; readonly ref: Ref; readonly runtime: PlatformRuntime };

/** Records an event about the HyperConverged, with the object as the related object. */
export function recordObjectEvent(
  { type, reason, note }: EventMessage,
  { hco, ref, runtime }: ObjectEventContext,
): void {
  const key = objectKey(ref);
  runtime.log[type === "Warning" ? "warn" : "info"](note, { object: key, reason });
  const { apiVersion, kind, metadata } = hco;
  const { name, namespace, uid } = metadata;
  runtime.recordEvent({
    regarding: { apiVersion, kind, name, ...(namespace && { namespace }), ...(uid && { uid }) },
    related: ref,
    type,
    reason,
    action: `${reason} ${key}`,
    note,
  });
}
