// Publishes the report in a ConfigMap when it changes, at a limited rate.

import { fieldManagers } from "@virt/api";
import { type ReconcileContext, type ReconcileResult } from "@virt/kube";
import {
  exclusionsOf,
  explainFailure,
  type FeatureRow,
  featureStates,
  hcoOf,
  type Report,
  reportObject,
  writeReport,
} from "@virt/platform";
import { recordHcoEvent, refOf } from "./report.ts";
import { type RowCache, reportRows } from "./report-rows.ts";
import type { PlatformRuntime } from "./runtime.ts";
import type { Snapshot } from "./snapshot.ts";

/** The maximum delay between a change and the published report. */
const mostAgeMs = 2_000;
const gatherMs = 1_000;

/** The delay before a rejected report is retried. */
const rejectedRestMs = 60_000;

/** Returns the time at which the next report is due. `reconciledAt` is the time of the last one. */
export function reportDueAt(dirtyAt: number, reconciledAt: number): number {
  return Math.max(reconciledAt + mostAgeMs, dirtyAt + gatherMs);
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
  const cache: RowCache = new Map();
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
      const report = reportOf(snapshot, runtime, { features, cache });
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
  for (const one of runtime.records.cluster.counts.events(snapshot.objects.length))
    recordHcoEvent(one, snapshot.hco, runtime);
}

type ReportSources = { readonly features: readonly FeatureRow[]; readonly cache: RowCache };

function reportOf(
  snapshot: Snapshot | undefined,
  runtime: PlatformRuntime,
  { features, cache }: ReportSources,
): Report {
  const { activation: mode } = runtime.settings;
  if (snapshot === undefined)
    return { version: 1, activation: { mode, isActive: false }, hco: null, features: [], objects: [], exclusions: [] };
  const objects = reportRows(snapshot, cache, runtime);
  const rows = objects.flatMap(({ assets }) => assets);
  return {
    version: 1,
    activation: { mode, isActive: snapshot.facts.activation.isActive },
    hco: hcoOf(snapshot.facts),
    features: featureStates(features, rows),
    objects: objects.map(({ object }) => object),
    exclusions: exclusionsOf(rows),
    ...(snapshot.facts.hardwareChanges.length > 0 && { hardwareChanges: snapshot.facts.hardwareChanges }),
  };
}
