// What people and Prometheus see of this process: the log, the metrics, and who tells them what.

import {
  breakerMetrics,
  buildInfo,
  createLog,
  type HostParts,
  type Log,
  leaderMetric,
  processMetrics,
  Registry,
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
  readonly watch: (watches: () => readonly Watch[]) => void;
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
      stateChanged: ({ spec, state }) =>
        log.info(`${spec.kind} is ${state === "not served" ? "not served" : "watched"}`, {
          apiVersion: spec.apiVersion,
        }),
      told: ({ kind }, what, why) => log[what === "refused" ? "warn" : "debug"](`watch of ${kind}: ${what}`, { why }),
      handlerFailed: (error) => log.error("a watch handler failed", { error }),
    },
    tenant: (name) =>
      tenantObserver(log.child({ controller: name }), leaderMetric({ registry, prefix: prefixes[name] })),
    watch: (watches) => watchMetrics(place, () => watches().map(({ spec, ages }) => ({ resource: spec.kind, ages }))),
    close: () => running[Symbol.dispose](),
  };
}

function tenantObserver(log: Log, setLeader: (isLeading: boolean) => void): Tenant["observer"] {
  const nothing = () => undefined;
  return {
    added: nothing,
    retried: nothing,
    taken: nothing,
    worked: nothing,
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
