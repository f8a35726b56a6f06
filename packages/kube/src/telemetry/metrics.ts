// Metrics of the runtime, in a registry of our own: the global one stays empty.

import { Counter, Gauge, type Histogram, type Registry } from "prom-client";
import type { BreakerObserver } from "../breaker/breaker.ts";
import type { EventObserver } from "../events/events.ts";
import type { Ages } from "../watch/reflector.ts";

export { Counter, Gauge, Histogram, Registry } from "prom-client";

/** Where metrics are made: `prefix` begins the names of those that no standard names. */
export type MetricsPlace = { readonly registry: Registry; readonly prefix: string };

export type WatchAge = { readonly resource: string; readonly ages: Ages };

/** Of several watches of one resource the oldest counts. A watch that is not listed any more has no series. */
export function watchMetrics({ registry, prefix }: MetricsPlace, watches: () => Iterable<WatchAge>): void {
  const gauge = (name: string, help: string, age: keyof Ages) =>
    new Gauge({
      name: `${prefix}${name}`,
      help,
      labelNames: ["resource"],
      registers: [registry],
      collect() {
        this.reset();
        for (const [resource, ms] of oldestOf(watches(), age)) this.set({ resource }, ms / 1000);
      },
    });
  gauge("watch_age_seconds", "Time since a watch last said anything.", "line");
  gauge("watch_list_age_seconds", "Time since a watched resource was last listed.", "list");
  gauge("watch_probe_age_seconds", "Time since a silent watch was last probed.", "probe");
}

function oldestOf(watches: Iterable<WatchAge>, age: keyof Ages): ReadonlyMap<string, number> {
  const oldest = new Map<string, number>();
  for (const { resource, ages } of watches) {
    const ms = ages[age];
    if (ms !== undefined) oldest.set(resource, Math.max(ms, oldest.get(resource) ?? 0));
  }
  return oldest;
}

export function breakerMetrics({ registry, prefix }: MetricsPlace): BreakerObserver {
  const labelNames = ["access", "resource"] as const;
  const isOpen = new Gauge({
    name: `${prefix}breaker_open`,
    help: "1 while requests are held back because the API server is unavailable for them, 0 when it answers again.",
    labelNames,
    registers: [registry],
  });
  const openings = new Counter({
    name: `${prefix}breaker_openings_total`,
    help: "How often requests began to be held back.",
    labelNames,
    registers: [registry],
  });
  return {
    opened: (scope) => {
      isOpen.set({ ...scope }, 1);
      openings.inc({ ...scope });
    },
    closed: (scope) => isOpen.set({ ...scope }, 0),
  };
}

/** To be told each change; 0 until then. */
export function leaderMetric({ registry, prefix }: MetricsPlace): (isLeading: boolean) => void {
  const gauge = new Gauge({
    name: `${prefix}leader`,
    help: "1 while this process leads and may write, 0 on a standby.",
    registers: [registry],
  });
  return (isLeading) => gauge.set(isLeading ? 1 : 0);
}

export function eventMetrics({ registry, prefix }: MetricsPlace): EventObserver {
  const registers = [registry];
  const written = new Counter({ name: `${prefix}events_written_total`, help: "Events and series written.", registers });
  const lost = new Counter({
    name: `${prefix}events_lost_total`,
    help: "Events that were not written, by reason.",
    labelNames: ["reason"],
    registers,
  });
  return { written: () => written.inc(), lost: (reason) => lost.inc({ reason }) };
}

export function buildInfo({ registry, prefix }: MetricsPlace, version: string): void {
  const help = "Always 1; the label says which version runs.";
  new Gauge({ name: `${prefix}build_info`, help, labelNames: ["version"], registers: [registry] }).set({ version }, 1);
}

type AnyMetric = Counter | Gauge | Histogram;

/** Removes all series of a metric that carry these labels, whatever else they carry: their subject is gone. */
export function removeSeries(metric: AnyMetric, labels: Readonly<Record<string, string>>): void {
  // prom-client has no other way to find series by some of their labels; its version is pinned, and a test looks.
  const { hashMap } = metric as unknown as { readonly hashMap: Readonly<Record<string, Series>> };
  for (const series of Object.values(hashMap)) {
    const isMeant = Object.entries(labels).every(([name, value]) => series.labels[name] === value);
    if (isMeant) metric.remove(series.labels);
  }
}

type Series = { readonly labels: Record<string, string> };
