// Publishes the report as an object: when it changed, and not often.

import { fieldManagers } from "@virt/api";
import { type ReconcileContext, type ReconcileResult, scrubText } from "@virt/kube";
import {
  exclusionsOf,
  explainFailure,
  type FeatureRow,
  featureStates,
  hcoOf,
  type LiveObjectFacts,
  objectKey,
  objectRow,
  type Report,
  reportObject,
  rowsOf,
  writeReport,
} from "@virt/platform";
import { recordHcoEvent, refOf } from "./report.ts";
import type { PlatformRuntime } from "./runtime.ts";
import { previewsOf, type Snapshot } from "./snapshot.ts";

/** A report is at most this much older than the reconcile that changed it. */
const mostAgeMs = 2_000;
/** Many objects change at once: one report for all. */
const gatherMs = 1_000;

/** The API server rejected the report: the same report is sent again after this time. */
const rejectedRestMs = 60_000;

/** Returns when the next report is due. `reconciledAt` is the time of the last one. */
export function reportDueAt(dirtyAt: number, reconciledAt: number): number {
  return Math.max(reconciledAt + mostAgeMs, dirtyAt + gatherMs);
}

export type ReportPublisher = {
  /** Something in it may have changed. */
  readonly markDirty: () => void;
  readonly reconcile: (snapshot: Snapshot | undefined, context: ReconcileContext) => Promise<ReconcileResult>;
};

export function createReportPublisher(runtime: PlatformRuntime, features: readonly FeatureRow[]): ReportPublisher {
  let dirtyAt: number | undefined;
  let reconciledAt = Number.NEGATIVE_INFINITY;
  let published = "";
  let rejected: { readonly text: string; readonly retryAt: number } | undefined;
  let lastError = ""; // logged once
  return {
    markDirty: () => {
      dirtyAt ??= runtime.clock.monotonic();
      runtime.queues.report();
    },
    reconcile: async (snapshot, { cluster }) => {
      const now = runtime.clock.monotonic();
      const requeueAt = (at: number) => ({ kind: "requeueAt", atMs: runtime.clock.wall() + at - now }) as const;
      const dueAt = dirtyAt === undefined ? rejected?.retryAt : reportDueAt(dirtyAt, reconciledAt);
      if (dueAt === undefined) return { kind: "done" };
      if (now < dueAt) return requeueAt(dueAt);
      reconciledAt = now;
      dirtyAt = undefined;
      reportCounts(snapshot, runtime);
      const report = reportOf(snapshot, runtime, features);
      const text = writeReport(report);
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
        dirtyAt ??= now; // without it no report is due
        return { kind: "retry" };
      }
      rejected = { text, retryAt: now + rejectedRestMs };
      return requeueAt(rejected.retryAt);
    },
  };
}

/** With the report: during a round the numbers change with each object. */
function reportCounts(snapshot: Snapshot | undefined, runtime: PlatformRuntime): void {
  if (snapshot === undefined) return;
  for (const one of runtime.records.cluster.counts.events(snapshot.objects.length))
    recordHcoEvent(one, snapshot.hco, runtime);
}

function reportOf(snapshot: Snapshot | undefined, runtime: PlatformRuntime, features: readonly FeatureRow[]): Report {
  const { activation: mode } = runtime.settings;
  if (snapshot === undefined)
    return { version: 1, activation: { mode, isActive: false }, hco: null, features: [], objects: [], exclusions: [] };
  const previews = previewsOf(snapshot, runtime);
  const rows = previews.flatMap(rowsOf);
  return {
    version: 1,
    activation: { mode, isActive: snapshot.facts.activation.isActive },
    hco: hcoOf(snapshot.facts),
    features: featureStates(features, rows),
    objects: previews.map((preview) => objectRow(preview, liveFactsOf(objectKey(preview.object.ref), runtime))),
    exclusions: exclusionsOf(rows),
    ...(snapshot.facts.hardwareChanges.length > 0 && { hardwareChanges: snapshot.facts.hardwareChanges }),
  };
}

/** What this process knows of an object. What a server says about a refusal may hold what it refused. */
export function liveFactsOf(key: string, { records, rebootImpact }: PlatformRuntime): LiveObjectFacts {
  const { failure, hold } = records.object(key);
  return {
    lastError: failure && { ...failure, message: scrubText(failure.message) },
    impact: rebootImpact.shownFor(key),
    heldRemoval: hold,
  };
}
