// The advisor's gauges: what the stored configs and the pools show when somebody asks.

import { conditionIs } from "@virt/advisor";
import { type Item, type KubeObject, type Status, severities, type VirtPlatformConfig } from "@virt/api";
import { asNumber, at } from "@virt/engine";
import { Gauge, type Registry } from "@virt/kube";

export type Shown = {
  readonly configs: () => readonly VirtPlatformConfig[];
  readonly pools: () => readonly KubeObject[];
  /** Kinds that a config needs and that were not served when it was last looked at. */
  readonly missing: (config: string) => readonly string[];
};

type Series = readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];

type Declared = {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly seriesOf: (config: VirtPlatformConfig) => Series;
};

export function configGauges(registry: Registry, prefix: string, shown: Shown): void {
  const declare = ({ name, help, labels, seriesOf }: Declared) =>
    new Gauge({
      name: `${prefix}${name}`,
      help,
      labelNames: [...labels],
      registers: [registry],
      collect() {
        this.reset();
        for (const { labels: values, value } of shown.configs().flatMap(seriesOf)) this.set({ ...values }, value);
      },
    });
  for (const one of [phase, ...flags, ...planGauges, ...gaugesOf(shown)]) declare(one);
}

/** An ignored config says its phase and nothing else. */
const managed =
  (seriesOf: (name: string, status: Status) => Series) =>
  ({ metadata, status }: VirtPlatformConfig): Series =>
    status === undefined || status.phase === "Ignored" ? [] : seriesOf(metadata.name, status);

const phase: Declared = {
  name: "config_phase",
  help: "1 for the phase that a config is in.",
  labels: ["name", "profile", "phase"],
  seriesOf: ({ metadata, spec, status }) =>
    status?.phase === undefined
      ? []
      : [{ labels: { name: metadata.name, profile: spec.profile, phase: status.phase }, value: 1 }],
};

const flag = (name: string, help: string, isSet: (status: Status) => boolean): Declared => ({
  name,
  help,
  labels: ["name"],
  seriesOf: managed((config, status) => [{ labels: { name: config }, value: Number(isSet(status)) }]),
});

const flags: readonly Declared[] = [
  flag("config_drifted", "1 while targets are not as they were applied.", (status) => status.phase === "Drifted"),
  flag("config_plan_stale", "1 while a plan waits that was found stale after its approval.", (status) =>
    conditionIs(status, "PlanStale", "True"),
  ),
  flag(
    "config_review_forced",
    "1 while a plan waits that nobody asked for.",
    (status) => status.phase === "ReviewRequired" && status.review?.forced === true,
  ),
  flag("config_upgrade_available", "1 while a newer operator would plan otherwise.", (status) =>
    conditionIs(status, "UpgradeAvailable", "True"),
  ),
];

const planGauges: readonly Declared[] = [
  {
    name: "config_impact",
    help: "How much the plan disturbs: 1 low, 2 medium, 3 high.",
    labels: ["name"],
    seriesOf: managed((name, { impactSeverity = "Low" }) => [
      { labels: { name }, value: severities.indexOf(impactSeverity) + 1 },
    ]),
  },
  {
    name: "plan_info",
    help: "Always 1; the label is the hash of the plan.",
    labels: ["name", "hash"],
    seriesOf: managed((name, { planHash }) =>
      planHash === undefined ? [] : [{ labels: { name, hash: planHash }, value: 1 }],
    ),
  },
  {
    name: "plan_items",
    help: "Items of the plan, by state.",
    labels: ["name", "state"],
    seriesOf: managed((name, { items = [] }) => countStates(name, items)),
  },
];

const gaugesOf = ({ missing, pools }: Shown): readonly Declared[] => [
  {
    name: "missing_prerequisites",
    help: "1 for each kind that a config needs and that is not served.",
    labels: ["name", "kind"],
    seriesOf: managed((name) => missing(name).map((kind) => ({ labels: { name, kind }, value: 1 }))),
  },
  {
    name: "rollout_machines",
    help: "Machines of the pools to which an item is being rolled out, by state.",
    labels: ["name", "item", "pool", "state"],
    seriesOf: managed((name, { items = [] }) => items.flatMap((item) => machinesOf(name, item, pools()))),
  },
];

function countStates(name: string, items: readonly Item[]): Series {
  const states = [...new Set(items.map(({ state }) => state))];
  return states.map((state) => ({
    labels: { name, state },
    value: items.filter((item) => item.state === state).length,
  }));
}

const counts = {
  total: "machineCount",
  updated: "updatedMachineCount",
  ready: "readyMachineCount",
  degraded: "degradedMachineCount",
} as const;

/** Only while the item waits for them: what happens to a pool later is no rollout of ours. */
function machinesOf(
  name: string,
  { name: item, state: itemState, rollout }: Item,
  pools: readonly KubeObject[],
): Series {
  if (itemState !== "InProgress") return [];
  const concerned = new Set(rollout?.before.map(({ pool }) => pool));
  return pools
    .filter(({ metadata }) => concerned.has(metadata.name))
    .flatMap((pool) =>
      Object.entries(counts).map(([state, field]) => ({
        labels: { name, item, pool: pool.metadata.name, state },
        value: asNumber(at(pool, "status", field)) ?? 0,
      })),
    );
}
