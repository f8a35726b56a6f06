// Publishes the report in a ConfigMap when it changes, at a limited rate.

import { fieldManagers } from "@virt/api";
import { combinedStateOf } from "@virt/cluster";
import { type ReconcileContext, type ReconcileResult, scrubText } from "@virt/kube";
import {
  autopilotEvent,
  exclusionsOf,
  explainFailure,
  type FeatureRow,
  featureStates,
  hcoOf,
  type LiveObjectFacts,
  objectKey,
  objectName,
  objectRow,
  type Report,
  reportObject,
  rowsOf,
  writeReport,
  yieldedTo,
} from "@virt/platform";
import { recordHcoEvent, refOf } from "./report.ts";
import { isReadyToAct } from "./round.ts";
import type { PlatformRuntime } from "./runtime.ts";
import { previewsOf, type Snapshot } from "./snapshot.ts";

/** The maximum age of the published report, unless the catalog is very large. */
const mostAgeMs = 2_000;
const gatherMs = 1_000;

/** Returns the pause after a report that took `buildMs`. It limits reports to 2 % of the processor time. */
function pauseAfterReport(buildMs: number): number {
  return Math.max(mostAgeMs, 50 * buildMs);
}

/** The delay before a rejected report is retried. */
const rejectedRestMs = 60_000;

/** Returns the time at which the next report is due. `reconciledAt` is the time of the last one. */
export function reportDueAt(dirtyAt: number, reconciledAt: number, pauseMs = mostAgeMs): number {
  return Math.max(reconciledAt + pauseMs, dirtyAt + gatherMs);
}

export type ReportPublisher = {
  readonly markDirty: () => void;
  readonly reconcile: (snapshot: Snapshot | undefined, context: ReconcileContext) => Promise<ReconcileResult>;
};

export function createReportPublisher(runtime: PlatformRuntime, features: readonly FeatureRow[]): ReportPublisher {
  let dirtyAt: number | undefined;
  let reconciledAt = Number.NEGATIVE_INFINITY;
  let published = "";
  let rejected: { readonly text: string; readonly retryAt: number } | undefined;
  let lastError = "";
  let pauseMs = mostAgeMs;
  return {
    markDirty: () => {
      dirtyAt ??= runtime.clock.monotonic();
      runtime.queues.report();
    },
    reconcile: async (snapshot, { cluster }) => {
      const now = runtime.clock.monotonic();
      const requeueAt = (at: number) => ({ kind: "requeueAt", atMs: runtime.clock.wall() + at - now }) as const;
      if (snapshot !== undefined && !isReadyToAct(runtime)) return { kind: "done" }; // the next round marks it dirty
      const dueAt = dirtyAt === undefined ? rejected?.retryAt : reportDueAt(dirtyAt, reconciledAt, pauseMs);
      if (dueAt === undefined) return { kind: "done" };
      if (now < dueAt) return requeueAt(dueAt);
      reconciledAt = now;
      dirtyAt = undefined;
      reportCounts(snapshot, runtime);
      const report = reportOf(snapshot, runtime, features);
      reportManagers(snapshot, report, runtime);
      const text = writeReport(report);
      pauseMs = pauseAfterReport(runtime.clock.monotonic() - now);
      if (text !== rejected?.text) rejected = undefined;
      if (text === published) return { kind: "done" };
      if (rejected !== undefined && now < rejected.retryAt) return requeueAt(rejected.retryAt);
      const write = { manager: fieldManagers.platform, force: true, expect: "anything" } as const;
      const configMap = reportObject(runtime.ownNamespace, report);
      const outcome = await cluster.apply(configMap, write);
      if (outcome.kind === "done") published = text;
      rejected = undefined;
      const why = outcome.kind === "done" ? "" : explainFailure(outcome, refOf(configMap));
      if (why !== "" && why !== lastError) runtime.log.warn("cannot write the report ConfigMap", { why });
      lastError = why;
      if (outcome.kind === "done") return { kind: "done" };
      if (outcome.kind === "unavailable") {
        dirtyAt ??= now; // otherwise, the report would not be retried
        return { kind: "retry" };
      }
      rejected = { text, retryAt: now + rejectedRestMs };
      return requeueAt(rejected.retryAt);
    },
  };
}

/** Writes the counts only with the report. They change with every object, so separate writes would be too many. */
function reportCounts(snapshot: Snapshot | undefined, runtime: PlatformRuntime): void {
  if (snapshot === undefined) return;
  const { cluster } = runtime.records;
  const { length } = snapshot.objects;
  for (const one of cluster.counts.events(length)) recordHcoEvent(one, snapshot.hco, runtime);
  const event = autopilotEvent(snapshot.facts, snapshot);
  // Until the round is complete, the number of objects may be wrong.
  if (event !== undefined && !cluster.counts.isComplete(length)) return;
  if (event !== undefined && event.note !== cluster.autopilotNote) recordHcoEvent(event, snapshot.hco, runtime);
  cluster.autopilotNote = event?.note;
}

/** Sets the metrics from the report, so that both always name the same manager. */
function reportManagers(
  snapshot: Snapshot | undefined,
  { autopilot, objects }: Report,
  { metrics }: PlatformRuntime,
): void {
  metrics.setAutopilotState(autopilot?.state);
  const refs = new Map(snapshot?.objects.map(({ ref }) => [objectName(ref), ref]));
  metrics.setYielded(
    objects.flatMap(({ object, managedBy }) => {
      const [ref, to] = [refs.get(object), yieldedTo(managedBy)];
      return ref === undefined || to === undefined ? [] : [{ ref, to }];
    }),
  );
}

function reportOf(snapshot: Snapshot | undefined, runtime: PlatformRuntime, features: readonly FeatureRow[]): Report {
  const { activation: mode } = runtime.settings;
  if (snapshot === undefined)
    return { version: 1, activation: { mode, isActive: false }, hco: null, features: [], objects: [], exclusions: [] };
  const { activation, autopilot } = snapshot.facts;
  const { isActive } = activation;
  const previews = previewsOf(snapshot, runtime);
  const rows = previews.flatMap(rowsOf);
  return {
    version: 1,
    activation: { mode, isActive },
    autopilot,
    combinedState: combinedStateOf(autopilot.state, isActive),
    hco: hcoOf(snapshot.facts),
    features: featureStates(features, rows),
    objects: previews.map((preview) => objectRow(preview, liveFactsOf(objectKey(preview.object.ref), runtime))),
    exclusions: exclusionsOf(rows),
    ...(snapshot.facts.hardwareChanges.length > 0 && { hardwareChanges: snapshot.facts.hardwareChanges }),
  };
}

/** Returns the last known facts about an object. Redacts the server's message, because it may quote secret values. */
export function liveFactsOf(key: string, { records, rebootImpact }: PlatformRuntime): LiveObjectFacts {
  const { failure, hold } = records.object(key);
  return {
    lastError: failure && { ...failure, message: scrubText(failure.message) },
    impact: rebootImpact.shownFor(key),
    heldRemoval: hold,
  };
}
