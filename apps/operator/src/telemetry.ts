import { metricPrefixes } from "@virt/api";
import {
  breakerMetrics,
  buildInfo,
  type ControllerGroup,
  createLog,
  type EventObserver,
  eventMetrics,
  type InformerState,
  informerMetrics,
  type Log,
  leaderMetric,
  type ManagerOptions,
  processMetrics,
  queueMetrics,
  type ReconcileTrace,
  Registry,
  type RequestObserver,
  requestMetrics,
  systemClock,
  type WorkQueueObserver,
  type WorkQueueState,
} from "@virt/kube";
import type { ControllerName } from "./flags.ts";
import { version } from "./identity.ts";
import type { Settings } from "./settings.ts";

export type Telemetry = {
  readonly log: Log;
  readonly registry: Registry;
  readonly manager: ManagerOptions["observer"];
  readonly controller: (name: ControllerName) => ControllerGroup["observer"];
  readonly events: (name: ControllerName) => EventObserver;
  readonly requested: RequestObserver;
  readonly watch: (watches: () => readonly InformerState[]) => void;
  readonly queues: (states: () => Readonly<Record<string, WorkQueueState>>) => void;
  readonly close: () => void;
};

/** The sampling interval. A shorter one would use more CPU than the rest of an idle operator. */
const loopDelayResolutionMs = 500;

export function createTelemetry({ log: { level, format }, controllers }: Settings, isColoured: boolean): Telemetry {
  const write = (line: string) => void process.stdout.write(line);
  const log = createLog({ level, format, isColoured, clock: systemClock, write });
  const registry = new Registry();
  const running = processMetrics(registry, loopDelayResolutionMs);
  const [first = "advisor"] = controllers;
  const place = { registry, prefix: metricPrefixes[first] }; // for the metrics of the process
  const breakers = breakerMetrics(place);
  let queueStates: () => Readonly<Record<string, WorkQueueState>> = () => ({});
  const queueOf = queueMetrics(registry, () => queueStates());
  for (const name of controllers) buildInfo({ registry, prefix: metricPrefixes[name] }, version);
  return {
    log,
    registry,
    manager: {
      opened: (scope, message) => {
        breakers.opened(scope, message);
        log.warn("the API server does not respond; retrying every second", { ...scope, why: message });
      },
      closed: (scope, openForMs) => {
        breakers.closed(scope, openForMs);
        log.info("the API server responds again", { ...scope, afterSeconds: Math.round(openForMs / 1000) });
      },
      stateChanged: ({ spec, state }) => {
        if (state === "starting") return;
        log.info(`${spec.kind} is ${state === "synced" ? "watched" : state}`, { apiVersion: spec.apiVersion });
      },
      warned: ({ kind }, what, why) =>
        log[["refused", "malformed", "too large"].includes(what) ? "warn" : "debug"](`watch of ${kind}: ${what}`, {
          why,
        }),
      handlerFailed: (error) => log.error("informer event handler failed", { error }),
    },
    controller: (name) => ({
      ...(level === "debug" && { traced: traceWriter(log.child({ controller: name })) }),
      ...controllerObserver(log.child({ controller: name }), leaderMetric({ registry, prefix: metricPrefixes[name] })),
      ...queueOf(name),
    }),
    events: (name) => {
      const counted = eventMetrics({ registry, prefix: metricPrefixes[name] });
      return {
        written: counted.written,
        lost: (why, event, message) => {
          counted.lost(why, event, message);
          log.warn("event dropped", { reason: event.reason, why: message });
        },
      };
    },
    requested: requestMetrics(place),
    queues: (states) => {
      queueStates = states;
    },
    watch: (watches) =>
      informerMetrics(place, () => watches().map(({ spec, ages }) => ({ resource: spec.kind, ages }))),
    close: () => running[Symbol.dispose](),
  };
}

function traceWriter(log: Log): (trace: ReconcileTrace) => void {
  return ({ durationMs, ...trace }) => log.debug("reconciled", { ...trace, durationMs: Math.round(durationMs) });
}

function controllerObserver(
  log: Log,
  setLeader: (isLeading: boolean) => void,
): Omit<ControllerGroup["observer"], keyof WorkQueueObserver> {
  return {
    ended: ({ key, outcome, cause }) => {
      if (outcome === "threw" || outcome === "late") log.error("reconcile failed", { key, how: outcome, error: cause });
    },
    heldBy: (identity) => log.info(identity === "" ? "lease has no holder" : "lease holder changed", { by: identity }),
    failing: (message) => log.warn("failed to renew lease", { why: message }),
    recovered: () => log.info("lease renewed again"),
    leading: (isLeading) => {
      setLeader(isLeading);
      log.info(isLeading ? "became leader" : "lost leadership");
    },
  };
}
