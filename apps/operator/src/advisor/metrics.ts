// The advisor's metrics: gauges of what is stored, counters of what passes do.

import type { Done } from "@virt/advisor";
import type { Item, Status, VirtPlatformConfig } from "@virt/api";
import { readTime } from "@virt/engine";
import { Counter, Histogram, type Registry } from "@virt/kube";
import { configGauges } from "./config-gauges.ts";
import type { View } from "./view.ts";

export type AdvisorMetrics = {
  /** Kinds that a config needs and that are not served. */
  readonly lacks: (config: string, kinds: readonly string[]) => void;
  readonly took: (seconds: number) => void;
  readonly wrote: (profile: string, item: Item, result: Done["kind"]) => void;
  readonly changed: (config: VirtPlatformConfig, after: Status) => void;
  readonly failed: () => void;
};

const prefix = "kubevirt_advisor_";
const results: Readonly<Record<Done["kind"], string>> = {
  confirmed: "ok",
  stale: "stale",
  edited: "stale",
  rejected: "rejected",
  blocked: "retry",
  unavailable: "retry",
};

export function advisorMetrics(registry: Registry, view: Pick<View, "configs" | "pools">): AdvisorMetrics {
  const registers = [registry];
  const missing = new Map<string, readonly string[]>();
  configGauges(registry, prefix, { ...view, missing: (config) => missing.get(config) ?? [] });
  const counter = (name: string, help: string, labelNames: readonly string[]) =>
    new Counter({ name: `${prefix}${name}`, help, labelNames, registers });
  const writes = counter("item_writes_total", "Writes of plan items, by result.", [
    "profile",
    "item",
    "operation",
    "result",
  ]);
  const drifts = counter("drift_detected_total", "Items found drifted.", ["profile", "item"]);
  const corrections = counter("drift_corrections_total", "Drifts corrected automatically.", ["profile", "item"]);
  const errors = counter("reconcile_errors_total", "Passes that could not be finished, by class.", ["class"]);
  const rollouts = new Histogram({
    name: `${prefix}rollout_duration_seconds`,
    help: "From the write of a MachineConfig to the last node that runs it.",
    labelNames: ["item"],
    registers,
    buckets: [60, 300, 900, 1800, 3600, 7200, 14_400, 28_800, 86_400],
  });
  const durations = new Histogram({
    name: `${prefix}reconcile_duration_seconds`,
    help: "How long a pass over a config took.",
    registers,
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  return {
    lacks: (config, kinds) => void missing.set(config, kinds),
    took: (seconds) => durations.observe(seconds),
    wrote: (profile, item, result) => {
      writes.inc({ profile, item: item.name, operation: item.operation, result: results[result] });
      if (result === "rejected") errors.inc({ class: "rejected" });
      if (result === "confirmed" && (item.corrections ?? []).length > 0) corrections.inc({ profile, item: item.name });
    },
    changed: (config, after) => {
      for (const item of after.items ?? []) {
        const before = config.status?.items?.find(({ name }) => name === item.name);
        observeRollout(before, item, (seconds) => rollouts.observe({ item: item.name }, seconds));
        const isNewDrift =
          after.phase === "Drifted" && config.status?.phase !== "Drifted" && item.message !== before?.message;
        if (isNewDrift) drifts.inc({ profile: config.spec.profile, item: item.name });
      }
    },
    failed: () => errors.inc({ class: "retryable" }),
  };
}

function observeRollout(before: Item | undefined, after: Item, observe: (seconds: number) => void): void {
  const start = after.rollout && readTime(after.rollout.startTime);
  const end = after.lastTransitionTime === undefined ? undefined : readTime(after.lastTransitionTime);
  const isDone = before?.state === "InProgress" && after.state === "Completed";
  if (isDone && start !== undefined && end !== undefined) observe((end - start) / 1000);
}
