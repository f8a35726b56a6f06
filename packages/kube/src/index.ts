// What other packages use of the Kubernetes runtime.

export { type Access, AccessError } from "./access.ts";
export { AccessGuard } from "./access-guard.ts";
export { Breakers } from "./breaker.ts";
export {
  type Answer,
  Client,
  type ClientSettings,
  type Failed,
  type Sender,
  type Sending,
  type Stream,
} from "./client.ts";
export { type Clock, sleep, systemClock } from "./clock.ts";
export { clusterFor, type Reader } from "./cluster.ts";
export { Discovery } from "./discovery.ts";
export type { Announcement } from "./event-object.ts";
export { type EventObserver, EventRecorder } from "./events.ts";
export type { Failure, FailureReason } from "./failure.ts";
export { findAccess } from "./find-access.ts";
export { crdWatch, Host, type HostParts, type LeaseTimes, type Tenant, type Voice } from "./host.ts";
export type { Controller, Tools } from "./hosted-controller.ts";
export { lineThrough } from "./line.ts";
export { createLog, type Log, type LogLevel } from "./log.ts";
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
} from "./metrics.ts";
export { type Reading, readingOf, type Writing, writingOf } from "./outcome.ts";
export type { Ending } from "./pass.ts";
export { processMetrics } from "./process-metrics.ts";
export type { Projection } from "./projection.ts";
export type { QueueObserver, QueueState } from "./queue.ts";
export { queueMetrics } from "./queue-metrics.ts";
export * from "./request.ts";
export { observed, type RequestObserver, requestMetrics } from "./request-metrics.ts";
export type { Asked, Reply, Route, Routes } from "./routes.ts";
export type { Watch, WatchSpec } from "./running-watch.ts";
export { scrubText } from "./secret-text.ts";
export { type Serving, serveGuarded, serveMetrics, serveProbes } from "./serving.ts";
export type { Change } from "./store.ts";
export { type Authority, issueAuthority, issueClient, issueServer, type Validity } from "./x509.ts";
