// What other packages use of the Kubernetes runtime.

export { type Access, AccessError } from "./access/access.ts";
export { findAccess } from "./access/find-access.ts";
export { type Authority, issueAuthority, issueClient, issueServer, type Validity } from "./access/x509.ts";
export { Breakers } from "./breaker/breaker.ts";
export { lineThrough } from "./breaker/line.ts";
export { type Clock, sleep, systemClock } from "./clock.ts";
export type { Announcement } from "./events/event-object.ts";
export { type EventObserver, EventRecorder } from "./events/events.ts";
export { crdWatch, Host, type HostParts, type LeaseTimes, type Tenant, type Voice } from "./loop/host.ts";
export type { Controller, Tools } from "./loop/hosted-controller.ts";
export type { Ending } from "./loop/pass.ts";
export type { QueueObserver, QueueState } from "./loop/queue.ts";
export { AccessGuard } from "./serving/access-guard.ts";
export type { Asked, Reply, Route, Routes } from "./serving/routes.ts";
export { type Serving, serveGuarded, serveMetrics, serveProbes } from "./serving/serving.ts";
export { createLog, type Log, type LogLevel } from "./telemetry/log.ts";
export {
  breakerMetrics,
  buildInfo,
  Counter,
  eventMetrics,
  Gauge,
  Histogram,
  leaderMetric,
  Registry,
  removeSeries,
  watchMetrics,
} from "./telemetry/metrics.ts";
export { processMetrics } from "./telemetry/process-metrics.ts";
export { queueMetrics } from "./telemetry/queue-metrics.ts";
export { observed, type RequestObserver, requestMetrics } from "./telemetry/request-metrics.ts";
export { scrubText } from "./telemetry/secret-text.ts";
export type { Projection } from "./watch/projection.ts";
export type { Watch, WatchSpec } from "./watch/running-watch.ts";
export type { Change } from "./watch/store.ts";
export {
  type Answer,
  Client,
  type ClientSettings,
  type Failed,
  type Sender,
  type Sending,
  type Stream,
} from "./wire/client.ts";
export { clusterFor, type Reader } from "./wire/cluster.ts";
export { Discovery } from "./wire/discovery.ts";
export type { Failure, FailureReason } from "./wire/failure.ts";
export { isDryRunRefused, type Reading, readingOf, type Writing, writingOf } from "./wire/outcome.ts";
export * from "./wire/request.ts";
