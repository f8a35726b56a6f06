// The public API of the Kubernetes runtime.

export { type Access, AccessError, NoClusterError } from "./auth/access.ts";
export { findAccess, kubeconfigPaths } from "./auth/find-access.ts";
export { type Authority, issueAuthority, issueClient, issueServer } from "./auth/x509.ts";
export type { InformerSpec, InformerState } from "./cache/informer.ts";
export { projectObject } from "./cache/projection.ts";
export type { StoreChange } from "./cache/store.ts";
export { WatchSource } from "./cache/watch-source.ts";
export { Breakers } from "./circuitbreaker/breaker.ts";
export {
  type ApiAnswer,
  type ApiReader,
  type ApiWriter,
  type FailedRequest,
  listPageSize,
  listPages,
  type RequestObserver,
} from "./client/api-client.ts";
export { Client } from "./client/client.ts";
export { type Cluster, type ClusterReader, clusterFor, readerFor } from "./client/cluster.ts";
export { Discovery } from "./client/discovery.ts";
export { isDryRunRefused, type ReadResult, readResultOf, writeResultOf } from "./client/outcome.ts";
export * from "./client/request.ts";
export { type Clock, systemClock } from "./clock.ts";
export type { Controller, ReconcileContext, ReconcileTrace } from "./controller/managed-controller.ts";
export {
  type ControllerGroup,
  crdInformer,
  type EventSink,
  Manager,
  type ManagerOptions,
} from "./controller/manager.ts";
export type { ReconcileResult } from "./controller/worker.ts";
export type { EventInput } from "./events/event-correlator.ts";
export { type EventObserver, EventRecorder } from "./events/event-recorder.ts";
export { noLease } from "./leaderelection/write-fence.ts";
export { createLog, type Log, type LogLevel } from "./logging/log.ts";
export { scrubText } from "./logging/loggable.ts";
export {
  breakerMetrics,
  buildInfo,
  Counter,
  eventMetrics,
  Gauge,
  Histogram,
  informerMetrics,
  leaderMetric,
  queueMetrics,
  Registry,
  removeSeries,
  requestMetrics,
} from "./metrics/metrics.ts";
export { processMetrics } from "./metrics/process-metrics.ts";
export { AccessGuard } from "./server/access-guard.ts";
export type { Route, RouteReply, RouteRequest, Routes } from "./server/routes.ts";
export {
  type MetricsSource,
  type Serving,
  serveGuarded,
  serveMetrics,
  serveProbes,
  servePublic,
} from "./server/serving.ts";
export type { WorkQueueObserver, WorkQueueState } from "./workqueue/work-queue.ts";
