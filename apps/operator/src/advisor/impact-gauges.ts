// Gauges for the impact of pending plans, computed from statuses. Labels never contain VM names.

import { isPlanOpen } from "@virt/advisor";
import type { Impact, Status } from "@virt/api";
import type { GaugeDefinition, GaugeSeries } from "./metrics.ts";

type ImpactSeries = (name: string, impact: Impact) => GaugeSeries;

/** The phases in which a plan is pending. The status keeps the impact longer, but the gauges do not. */
const waiting =
  (seriesOf: ImpactSeries) =>
  (name: string, { phase, impact }: Status): GaugeSeries =>
    impact !== undefined && isPlanOpen(phase) ? seriesOf(name, impact) : [];

const fits: Readonly<Record<Impact["capacity"]["fits"], number>> = { Yes: 1, No: 0, Unknown: -1 };

type ImpactGauge = Omit<GaugeDefinition, "seriesOf"> & { readonly seriesOf: ReturnType<typeof waiting> };

export const impactGauges: readonly ImpactGauge[] = [
  {
    name: "impact_nodes",
    help: "Nodes that the current plan disrupts, by pool and disruption class.",
    labels: ["name", "pool", "class"],
    seriesOf: waiting((name, { pools }) =>
      pools.map((pool) => ({ labels: { name, pool: pool.name, class: pool.class }, value: pool.nodes })),
    ),
  },
  {
    name: "impact_vms",
    help: "VMs on the nodes that the current plan disrupts, by outcome; absent until they are assessed.",
    labels: ["name", "outcome"],
    seriesOf: waiting((name, { vms = {} }) =>
      Object.entries(vms).map(([outcome, value]) => ({ labels: { name, outcome }, value })),
    ),
  },
  {
    name: "impact_duration_seconds",
    help: "Lower and upper bound of the estimated duration of the rollout, not counting blocked time.",
    labels: ["name", "bound"],
    seriesOf: waiting((name, { duration }) =>
      duration === undefined
        ? []
        : [
            { labels: { name, bound: "low" }, value: duration.lowSeconds },
            { labels: { name, bound: "high" }, value: duration.highSeconds },
          ],
    ),
  },
  {
    name: "impact_capacity",
    help: "1 if the VMs of nodes that drain at the same time fit on other nodes, 0 if not, -1 if unknown.",
    labels: ["name"],
    seriesOf: waiting((name, { capacity }) => [{ labels: { name }, value: fits[capacity.fits] }]),
  },
];
