// The advisor's metrics: counters of reconcile results, and gauges computed from configs and pools at scrape time.

import { conditionIs, type ItemResult } from "@virt/advisor";
import {
  type Item,
  type KubeObject,
  metricPrefixes,
  type PoolRollout,
  type Status,
  severities,
  type VirtPlatformConfig,
} from "@virt/api";
import { poolProgress, readMachineConfigPool } from "@virt/cluster";
import { Counter, Gauge, Histogram, type Registry } from "@virt/kube";
import { readTime } from "@virt/objects";
import type { AdvisorView } from "./advisor-view.ts";
import { impactGauges } from "./impact-gauges.ts";
import { rolloutGauges } from "./rollout-gauges.ts";

export type AdvisorMetrics = {
  readonly setMissingKinds: (config: string, kinds: readonly string[]) => void;
  readonly observeReconcile: (seconds: number) => void;
  readonly countItemWrite: (profile: string, item: Item, result: ItemResult["kind"]) => void;
  readonly observeStatusChange: (config: VirtPlatformConfig, after: Status) => void;
  readonly countTransientError: () => void;
};

type Labels = Readonly<Record<string, string>>;

const prefix = metricPrefixes.advisor;
const results: Readonly<Record<ItemResult["kind"], string>> = {
  confirmed: "ok",
  stale: "stale",
  edited: "stale",
  rejected: "rejected",
  blocked: "retry",
  unavailable: "retry",
};

export function advisorMetrics(registry: Registry, view: Pick<AdvisorView, "configs" | "pools">): AdvisorMetrics {
  const registers = [registry];
  const missing = new Map<string, readonly string[]>();
  configGauges(registry, prefix, { ...view, missing: (config) => missing.get(config) ?? [] });
  const counter = (name: string, help: string, labelNames: readonly string[]) =>
    new Counter({ name: `${prefix}${name}`, help, labelNames, registers });
  /** Starts each series at 0, because `rate()` misses the first increment of a series that starts at 1. */
  const itemCounter = (name: string, help: string, more: readonly string[], labelsOf: (item: Item) => Labels) =>
    new Counter({
      name: `${prefix}${name}`,
      help,
      labelNames: ["profile", "item", ...more],
      registers,
      collect() {
        for (const { spec, status } of view.configs())
          for (const item of status?.items ?? [])
            this.inc({ profile: spec.profile, item: item.name, ...labelsOf(item) }, 0);
      },
    });
  const writes = itemCounter(
    "item_writes_total",
    "Writes of plan items, by result.",
    ["operation", "result"],
    ({ operation }) => ({ operation, result: results.confirmed }),
  );
  const drifts = itemCounter("drift_detected_total", "Drifts that were detected.", [], () => ({}));
  const corrections = itemCounter(
    "drift_corrections_total",
    "Drifts that were corrected automatically.",
    [],
    () => ({}),
  );
  const errors = counter("reconcile_errors_total", "Failed reconciles, by error class.", ["class"]);
  const rollouts = new Histogram({
    name: `${prefix}rollout_duration_seconds`,
    help: "Time from the write of a MachineConfig until the last node runs it.",
    labelNames: ["item"],
    registers,
    buckets: [60, 300, 900, 1800, 3600, 7200, 14_400, 28_800, 86_400],
  });
  const durations = new Histogram({
    name: `${prefix}reconcile_duration_seconds`,
    help: "Time to reconcile a config.",
    registers,
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  return {
    setMissingKinds: (config, kinds) => void missing.set(config, kinds),
    observeReconcile: (seconds) => durations.observe(seconds),
    countItemWrite: (profile, item, result) => {
      writes.inc({ profile, item: item.name, operation: item.operation, result: results[result] });
      if (result === "rejected") errors.inc({ class: "rejected" });
      if (result === "confirmed" && (item.corrections ?? []).length > 0) corrections.inc({ profile, item: item.name });
    },
    observeStatusChange: (config, after) => {
      for (const item of after.items ?? []) {
        const before = config.status?.items?.find(({ name }) => name === item.name);
        observeRollout(before, item, (seconds) => rollouts.observe({ item: item.name }, seconds));
        const isNewDrift =
          conditionIs(after, "Drifted", "True") &&
          !conditionIs(config.status ?? {}, "Drifted", "True") &&
          item.message !== before?.message;
        if (isNewDrift) drifts.inc({ profile: config.spec.profile, item: item.name });
      }
    },
    countTransientError: () => errors.inc({ class: "retryable" }),
  };
}

function observeRollout(before: Item | undefined, after: Item, observe: (seconds: number) => void): void {
  const start = after.rollout && readTime(after.rollout.startTime);
  const end = after.lastTransitionTime === undefined ? undefined : readTime(after.lastTransitionTime);
  const isDone = before?.state === "InProgress" && after.state === "Completed";
  if (isDone && start !== undefined && end !== undefined) observe((end - start) / 1000);
}

type GaugeInput = {
  readonly configs: () => readonly VirtPlatformConfig[];
  readonly pools: () => readonly KubeObject[];
  /** Returns the kinds that were not served during the last reconcile. */
  readonly missing: (config: string) => readonly string[];
};

export type GaugeSeries = readonly { readonly labels: Labels; readonly value: number }[];

export type GaugeDefinition = {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly seriesOf: (config: VirtPlatformConfig) => GaugeSeries;
};

export function configGauges(registry: Registry, prefix: string, input: GaugeInput): void {
  const declare = ({ name, help, labels, seriesOf }: GaugeDefinition) =>
    new Gauge({
      name: `${prefix}${name}`,
      help,
      labelNames: [...labels],
      registers: [registry],
      collect() {
        this.reset();
        for (const { labels: values, value } of input.configs().flatMap(seriesOf)) this.set({ ...values }, value);
      },
    });
  const statusGauges = [...impactGauges, ...rolloutGauges].map((gauge) => ({
    ...gauge,
    seriesOf: managed(gauge.seriesOf),
  }));
  for (const one of [phase, ...flags, ...planGauges, ...statusGauges, ...gaugesOf(input)]) declare(one);
}

/** Excludes ignored configs, which have only the phase metric. */
const managed =
  (seriesOf: (name: string, status: Status) => GaugeSeries) =>
  ({ metadata, status }: VirtPlatformConfig): GaugeSeries =>
    status === undefined || status.phase === "Ignored" ? [] : seriesOf(metadata.name, status);

const phase: GaugeDefinition = {
  name: "config_phase",
  help: "1 for the current phase of a config.",
  labels: ["name", "profile", "phase"],
  seriesOf: ({ metadata, spec, status }) =>
    status?.phase === undefined
      ? []
      : [{ labels: { name: metadata.name, profile: spec.profile, phase: status.phase }, value: 1 }],
};

const flag = (name: string, help: string, isSet: (status: Status) => boolean): GaugeDefinition => ({
  name,
  help,
  labels: ["name"],
  seriesOf: managed((config, status) => [{ labels: { name: config }, value: Number(isSet(status)) }]),
});

const flags: readonly GaugeDefinition[] = [
  flag("config_drifted", "1 while objects differ from the applied plan.", (status) =>
    conditionIs(status, "Drifted", "True"),
  ),
  flag(
    "config_plan_stale",
    "1 while a plan is waiting for review because it became stale after its approval.",
    (status) => conditionIs(status, "PlanStale", "True"),
  ),
  flag(
    "config_review_forced",
    "1 while a plan is waiting for review because it was drafted after the approval.",
    (status) => status.phase === "ReviewRequired" && status.review?.forced === true,
  ),
  flag("config_upgrade_available", "1 while this version of the operator would draft a different plan.", (status) =>
    conditionIs(status, "UpgradeAvailable", "True"),
  ),
];

const planGauges: readonly GaugeDefinition[] = [
  {
    name: "config_impact",
    help: "Impact severity of the plan: 1 Low, 2 Medium, 3 High.",
    labels: ["name"],
    seriesOf: managed((name, { impactSeverity = "Low" }) => [
      { labels: { name }, value: severities.indexOf(impactSeverity) + 1 },
    ]),
  },
  {
    name: "plan_info",
    help: "Always 1; the label hash identifies the plan.",
    labels: ["name", "hash"],
    seriesOf: managed((name, { planHash }) =>
      planHash === undefined ? [] : [{ labels: { name, hash: planHash }, value: 1 }],
    ),
  },
  {
    name: "plan_items",
    help: "Plan items, by state.",
    labels: ["name", "state"],
    seriesOf: managed((name, { items = [] }) => countStates(name, items)),
  },
];

const gaugesOf = ({ missing, pools }: GaugeInput): readonly GaugeDefinition[] => [
  {
    name: "missing_prerequisites",
    help: "1 for each kind that a config requires but the API server does not serve.",
    labels: ["name", "kind"],
    seriesOf: managed((name) => missing(name).map((kind) => ({ labels: { name, kind }, value: 1 }))),
  },
  {
    name: "rollout_machines",
    help: "Machines in the pools that are rolling out an item, by state.",
    labels: ["name", "item", "pool", "state"],
    seriesOf: managed((name, { items = [], ...status }) =>
      items.flatMap((item) => machinesOf(name, item, status, pools())),
    ),
  },
];

function countStates(name: string, items: readonly Item[]): GaugeSeries {
  const states = [...new Set(items.map(({ state }) => state))];
  return states.map((state) => ({
    labels: { name, state },
    value: items.filter((item) => item.state === state).length,
  }));
}

/**
 * Returns machine counts only while the item is in progress, because later pool changes belong to other rollouts. Omits
 * updated machines until the config's status counts them, because the pool's own count may belong to an earlier
 * rendered config.
 */
function machinesOf(
  name: string,
  { name: item, state: itemState, rollout }: Item,
  { rollout: shown }: Status,
  pools: readonly KubeObject[],
): GaugeSeries {
  if (itemState !== "InProgress") return [];
  const concerned = new Set(rollout?.before.map(({ pool }) => pool));
  return pools
    .filter(({ metadata }) => concerned.has(metadata.name))
    .flatMap((pool) => {
      const counted = shown?.pools.find((one) => one.name === pool.metadata.name);
      return Object.entries(counted === undefined ? uncounted(pool) : countsOf(counted, pool)).map(
        ([state, value]) => ({ labels: { name, item, pool: pool.metadata.name, state }, value }),
      );
    });
}

function uncounted(pool: KubeObject): Readonly<Record<string, number>> {
  const { nodes, degraded } = poolProgress(pool, false);
  return { total: nodes, degraded };
}

function countsOf({ total, done, degraded }: PoolRollout, pool: KubeObject): Readonly<Record<string, number>> {
  const ready = Math.min(done, readMachineConfigPool(pool).machines.ready);
  return { total, updated: done, ready, degraded };
}
