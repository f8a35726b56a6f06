// What people and Prometheus see of this process: the log, the metrics, and who tells them what.

import {
  breakerMetrics,
  buildInfo,
  createLog,
  type EventObserver,
  eventMetrics,
  type HostParts,
  type Log,
  leaderMetric,
  processMetrics,
  type QueueObserver,
  type QueueState,
  queueMetrics,
  Registry,
  type RequestObserver,
  requestMetrics,
  systemClock,
  type Tenant,
  type Watch,
  watchMetrics,
} from "@virt/kube";
import type { ControllerName } from "./flags.ts";
import type { Settings } from "./settings.ts";
import { version } from "./version.ts";

/** Metrics of the process itself; each controller has a prefix of its own for what it does. */
const prefixes: Readonly<Record<ControllerName, string>> = {
  advisor: "kubevirt_advisor_",
  platform: "kubevirt_autopilot_",
};

export type Telemetry = {
  readonly log: Log;
  readonly registry: Registry;
  readonly host: HostParts["observer"];
  readonly tenant: (name: ControllerName) => Tenant["observer"];
  readonly events: (name: ControllerName) => EventObserver;
  readonly requested: RequestObserver;
  readonly watch: (watches: () => readonly Watch[]) => void;
  /** How the work queues stand, by controller. */
  readonly queues: (states: () => Readonly<Record<string, QueueState | undefined>>) => void;
  readonly close: () => void;
};

/** Finer would cost more CPU than all else that an idle operator does. */
const loopDelayResolutionMs = 500;

export function createTelemetry({ log: { level, format }, controllers }: Settings, isColoured: boolean): Telemetry {
  const write = (line: string) => void process.stdout.write(line);
  const log = createLog({ level, format, isColoured, clock: systemClock, write });
  const registry = new Registry();
  const running = processMetrics(registry, loopDelayResolutionMs);
  const [first = "advisor"] = controllers;
  const place = { registry, prefix: prefixes[first] };
  const breakers = breakerMetrics(place);
  let queueStates: () => Readonly<Record<string, QueueState | undefined>> = () => ({});
  const queueOf = queueMetrics(registry, () => known(queueStates()));
  for (const name of controllers) buildInfo({ registry, prefix: prefixes[name] }, version);
  return {
    log,
    registry,
    host: {
      opened: (scope, message) => {
        breakers.opened(scope, message);
        log.warn("the API server does not answer; trying once a second", { ...scope, why: message });
      },
      closed: (scope, openForMs) => {
        breakers.closed(scope, openForMs);
        log.info("the API server answers again", { ...scope, afterSeconds: Math.round(openForMs / 1000) });
      },
      stateChanged: ({ spec, state }) => {
        if (state === "starting") return;
        log.info(`${spec.kind} is ${state === "synced" ? "watched" : state}`, { apiVersion: spec.apiVersion });
      },
      told: ({ kind }, what, why) =>
        log[what === "refused" || what === "malformed" ? "warn" : "debug"](`watch of ${kind}: ${what}`, { why }),
      handlerFailed: (error) => log.error("a watch handler failed", { error }),
    },
    tenant: (name) => ({
      ...tenantObserver(log.child({ controller: name }), leaderMetric({ registry, prefix: prefixes[name] })),
      ...queueOf(name),
    }),
    events: (name) => {
      const counted = eventMetrics({ registry, prefix: prefixes[name] });
      return {
        written: counted.written,
        lost: (why, announcement, message) => {
          counted.lost(why, announcement, message);
          log.warn("an event was not written", { reason: announcement.reason, why: message });
        },
      };
    },
    requested: requestMetrics(place),
    queues: (states) => {
      queueStates = states;
    },
    watch: (watches) => watchMetrics(place, () => watches().map(({ spec, ages }) => ({ resource: spec.kind, ages }))),
    close: () => running[Symbol.dispose](),
  };
}

function known(states: Readonly<Record<string, QueueState | undefined>>): Readonly<Record<string, QueueState>> {
  return Object.fromEntries(
    Object.entries(states).flatMap(([name, state]) => (state === undefined ? [] : [[name, state]])),
  );
}

function tenantObserver(
  log: Log,
  setLeader: (isLeading: boolean) => void,
): Omit<Tenant["observer"], keyof QueueObserver> {
  return {
    ended: ({ key, how, cause }) => {
      if (how === "threw" || how === "late") log.error("a pass failed", { key, how, error: cause });
    },
    heldBy: (identity) => log.info(identity === "" ? "nobody holds the lease" : "the lease is held", { by: identity }),
    failing: (message) => log.warn("the lease cannot be renewed", { why: message }),
    recovered: () => log.info("the lease can be renewed again"),
    leading: (isLeading) => {
      setLeader(isLeading);
      log.info(isLeading ? "may write" : "may not write");
    },
  };
}
