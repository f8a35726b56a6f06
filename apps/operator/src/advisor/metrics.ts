// The advisor's metrics: gauges from the stored configs when somebody asks, counters from what passes do.

import { conditionIs, type Done } from "@virt/advisor";
import { type Item, type Status, severities, type VirtPlatformConfig } from "@virt/api";
import { readTime } from "@virt/engine";
import { Counter, Gauge, Histogram, type Registry } from "@virt/kube";

export type AdvisorMetrics = {
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

type Series = readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];

export function advisorMetrics(registry: Registry, configs: () => readonly VirtPlatformConfig[]): AdvisorMetrics {
  const registers = [registry];
  const gauge = (
    name: string,
    help: string,
    labelNames: readonly string[],
    seriesOf: (config: VirtPlatformConfig) => Series,
  ) =>
    new Gauge({
      name: `${prefix}${name}`,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const { labels, value } of configs().flatMap(seriesOf)) this.set({ ...labels }, value);
      },
    });
  gauges(gauge);
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
  return {
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

type MakeGauge = (
  name: string,
  help: string,
  labelNames: readonly string[],
  seriesOf: (config: VirtPlatformConfig) => Series,
) => void;

/** An ignored config says its phase and nothing else. */
function gauges(gauge: MakeGauge): void {
  const managed = (seriesOf: (name: string, status: Status) => Series) => (config: VirtPlatformConfig) =>
    config.status === undefined || config.status.phase === "Ignored"
      ? []
      : seriesOf(config.metadata.name, config.status);
  const flag = (metric: string, help: string, isSet: (status: Status) => boolean) =>
    gauge(
      metric,
      help,
      ["name"],
      managed((name, status) => [{ labels: { name }, value: Number(isSet(status)) }]),
    );
  gauge(
    "config_phase",
    "1 for the phase that a config is in.",
    ["name", "profile", "phase"],
    ({ metadata, spec, status }) =>
      status?.phase === undefined
        ? []
        : [{ labels: { name: metadata.name, profile: spec.profile, phase: status.phase }, value: 1 }],
  );
  gauge(
    "config_impact",
    "How much the plan disturbs: 1 low, 2 medium, 3 high.",
    ["name"],
    managed((name, { impactSeverity = "Low" }) => [
      { labels: { name }, value: severities.indexOf(impactSeverity) + 1 },
    ]),
  );
  flag("config_drifted", "1 while targets are not as they were applied.", ({ phase }) => phase === "Drifted");
  flag("config_plan_stale", "1 while a plan waits that was found stale after its approval.", (status) =>
    conditionIs(status, "PlanStale", "True"),
  );
  flag(
    "config_review_forced",
    "1 while a plan waits that nobody asked for.",
    ({ phase, review }) => phase === "ReviewRequired" && review?.forced === true,
  );
  flag("config_upgrade_available", "1 while a newer operator would plan otherwise.", (status) =>
    conditionIs(status, "UpgradeAvailable", "True"),
  );
  gauge(
    "plan_info",
    "Always 1; the label is the hash of the plan.",
    ["name", "hash"],
    managed((name, { planHash }) => (planHash === undefined ? [] : [{ labels: { name, hash: planHash }, value: 1 }])),
  );
  gauge(
    "plan_items",
    "Items of the plan, by state.",
    ["name", "state"],
    managed((name, { items = [] }) => countStates(name, items)),
  );
}

function countStates(name: string, items: readonly Item[]): Series {
  const states = [...new Set(items.map(({ state }) => state))];
  return states.map((state) => ({
    labels: { name, state },
    value: items.filter((item) => item.state === state).length,
  }));
}
