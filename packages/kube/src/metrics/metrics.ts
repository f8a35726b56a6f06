// The metrics of the runtime. Work queue metrics have the names of client-go.

import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { ReflectorAges } from "../cache/reflector.ts";
import type { BreakerObserver } from "../circuitbreaker/breaker.ts";
import type { ApiAnswer, ApiStream, FailedRequest, RequestObserver } from "../client/api-client.ts";
import type { ApiRequest } from "../client/request.ts";
import type { EventObserver } from "../events/event-recorder.ts";
import type { WorkQueueObserver, WorkQueueState } from "../workqueue/work-queue.ts";

export { Counter, Gauge, Histogram, Registry } from "prom-client";

/** The prefix of all metric names except the standard ones. */
export type MetricsScope = { readonly registry: Registry; readonly prefix: string };

export type InformerAge = { readonly resource: string; readonly ages: ReflectorAges };

/** Registers the age of the oldest watch per resource. A removed watch has no series. */
export function informerMetrics({ registry, prefix }: MetricsScope, watches: () => Iterable<InformerAge>): void {
  const gauge = (name: string, help: string, age: keyof ReflectorAges) =>
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
  gauge("watch_age_seconds", "Time since the last event or bookmark of a watch.", "line");
  gauge("watch_list_age_seconds", "Time since a watched resource was last listed.", "list");
  gauge("watch_probe_age_seconds", "Time since a silent watch was last probed.", "probe");
}

function oldestOf(watches: Iterable<InformerAge>, age: keyof ReflectorAges): ReadonlyMap<string, number> {
  const oldest = new Map<string, number>();
  for (const { resource, ages } of watches) {
    const ms = ages[age];
    if (ms !== undefined) oldest.set(resource, Math.max(ms, oldest.get(resource) ?? 0));
  }
  return oldest;
}

/** Registers the metrics of circuit breakers and returns the observer that updates them. Call it once per registry. */
export function breakerMetrics({ registry, prefix }: MetricsScope): BreakerObserver {
  const labelNames = ["access", "resource"] as const;
  const isOpen = new Gauge({
    name: `${prefix}breaker_open`,
    help: "1 while the circuit breaker is open and blocks requests, 0 otherwise.",
    labelNames,
    registers: [registry],
  });
  const openings = new Counter({
    name: `${prefix}breaker_openings_total`,
    help: "Number of times that the circuit breaker opened.",
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

/** Registers a gauge that starts at 0. Call the result on each change. */
export function leaderMetric({ registry, prefix }: MetricsScope): (isLeading: boolean) => void {
  const gauge = new Gauge({
    name: `${prefix}leader`,
    help: "1 while this process leads and may write, 0 on a standby.",
    registers: [registry],
  });
  return (isLeading) => gauge.set(isLeading ? 1 : 0);
}

/** Registers the metrics of events and returns the observer that updates them. Call it once per registry. */
export function eventMetrics({ registry, prefix }: MetricsScope): EventObserver {
  const registers = [registry];
  const written = new Counter({
    name: `${prefix}events_written_total`,
    help: "Events and event series that were written.",
    registers,
  });
  const lost = new Counter({
    name: `${prefix}events_lost_total`,
    help: "Events that were not written, by reason.",
    labelNames: ["reason"],
    registers,
  });
  return { written: () => written.inc(), lost: (reason) => lost.inc({ reason }) };
}

/** Registers `<prefix>build_info`. Call it once per registry. */
export function buildInfo({ registry, prefix }: MetricsScope, version: string): void {
  const help = "Always 1; the label version is the running version.";
  new Gauge({ name: `${prefix}build_info`, help, labelNames: ["version"], registers: [registry] }).set({ version }, 1);
}

type AnyMetric = Counter | Gauge | Histogram;

/** Removes all series that have these labels, regardless of their other labels. */
export function removeSeries(metric: AnyMetric, labels: Readonly<Record<string, string>>): void {
  // prom-client has no API for this. Its version is pinned, and a test covers the field.
  const { hashMap } = metric as unknown as { readonly hashMap: Readonly<Record<string, Series>> };
  for (const series of Object.values(hashMap)) {
    const isMeant = Object.entries(labels).every(([name, value]) => series.labels[name] === value);
    if (isMeant) metric.remove(series.labels);
  }
}

type Series = { readonly labels: Record<string, string> };

const durationBuckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60];

/** Registers the work queue metrics. `states` returns the state of each queue by name, on each scrape. */
export function queueMetrics(
  registry: Registry,
  states: () => Readonly<Record<string, WorkQueueState>>,
): (name: string) => WorkQueueObserver {
  const registers = [registry];
  const labelNames = ["name"] as const;
  const gauge = (suffix: string, help: string, valueOf: (state: WorkQueueState) => number) =>
    new Gauge({
      name: `workqueue_${suffix}`,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const [name, state] of Object.entries(states())) this.set({ name }, valueOf(state));
      },
    });
  gauge("depth", "Keys waiting in the work queue.", ({ depth }) => depth);
  gauge(
    "unfinished_work_seconds",
    "Total time spent so far on the keys in progress.",
    (state) => state.unfinishedSeconds,
  );
  gauge(
    "longest_running_processor_seconds",
    "Time spent so far on the key that has been in progress the longest.",
    (state) => state.longestRunningSeconds,
  );
  const adds = new Counter({
    name: "workqueue_adds_total",
    help: "Keys added to the work queue.",
    labelNames,
    registers,
  });
  const retries = new Counter({
    name: "workqueue_retries_total",
    help: "Keys added to the work queue again because their reconcile failed.",
    labelNames,
    registers,
  });
  const histogram = (name: string, help: string) =>
    new Histogram({ name, help, labelNames, registers, buckets: durationBuckets });
  const waits = histogram("workqueue_queue_duration_seconds", "Time that keys waited in the work queue.");
  const works = histogram("workqueue_work_duration_seconds", "Time to process a key.");
  return (name) => {
    retries.inc({ name }, 0); // a rate misses a counter that starts at 1
    return {
      added: () => adds.inc({ name }),
      retried: () => retries.inc({ name }),
      taken: (seconds) => waits.observe({ name }, seconds),
      worked: (seconds) => works.observe({ name }, seconds),
    };
  };
}

/** Registers a request counter. `code` is the HTTP status, or the reason for a missing response. */
export function requestMetrics({ registry, prefix }: MetricsScope): RequestObserver {
  const requests = new Counter({
    name: `${prefix}requests_total`,
    help: "Requests to the API server, by verb, resource and status code, or the reason for a missing response.",
    labelNames: ["verb", "resource", "code"],
    registers: [registry],
  });
  return (request, answer) => requests.inc({ ...describeRequest(request), code: codeOf(answer) });
}

const verbs = { POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete" } as const;

export function describeRequest({ method, path, scope: { resource } }: ApiRequest): {
  readonly verb: string;
  readonly resource: string;
} {
  const [place = "", query = ""] = path.split("?");
  if (method !== "GET") return { verb: verbs[method], resource };
  if (new URLSearchParams(query).get("watch") === "true") return { verb: "watch", resource };
  const [plural = ""] = resource.split(".");
  return { verb: place.endsWith(`/${plural}`) ? "list" : "get", resource };
}

export function requestLine(request: ApiRequest, answer: ApiAnswer | FailedRequest | ApiStream): string {
  const [place = "", query = ""] = request.path.split("?");
  const dryRun = new URLSearchParams(query).has("dryRun") ? ", dry run" : "";
  return `${describeRequest(request).verb} ${place} (${codeOf(answer)}${dryRun})`;
}

function codeOf(answer: ApiAnswer | FailedRequest | ApiStream): string {
  switch (answer.kind) {
    case "answered":
      return `${answer.status}`;
    case "streaming":
      return "200";
    case "failed":
      return answer.failure.reason;
  }
}
