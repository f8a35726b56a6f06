// Gauges of the rollouts that are under way, as their statuses tell. No VM is named.

import { conditionOf, isRolloutOpen } from "@virt/advisor";
import type { NodeRolloutPhase, PoolRollout, RolloutStatus, Status } from "@virt/api";
import type { GaugeDefinition, GaugeSeries } from "./metrics.ts";

type RolloutGauge = Omit<GaugeDefinition, "seriesOf"> & {
  readonly seriesOf: (name: string, status: Status) => GaugeSeries;
};

/** A rollout that has ended stays in the status, and has no series. */
const open =
  (seriesOf: (name: string, rollout: RolloutStatus) => GaugeSeries) =>
  (name: string, status: Status): GaugeSeries =>
    status.rollout !== undefined && isRolloutOpen(status) ? seriesOf(name, status.rollout) : [];

export const rolloutGauges: readonly RolloutGauge[] = [
  {
    name: "rollout_findings",
    help: "Findings about the rollout of a config, by finding and severity, as far as its status lists them: at most 20.",
    labels: ["name", "id", "severity"],
    seriesOf: open((name, { findings }) => {
      const groups = Map.groupBy(findings, ({ id, severity }) => `${id} ${severity}`);
      return [...groups.values()].flatMap(([first, ...others]) =>
        first === undefined
          ? []
          : [{ labels: { name, id: first.id, severity: first.severity }, value: 1 + others.length }],
      );
    }),
  },
  {
    name: "rollout_nodes",
    help: "Nodes of the pools that roll out what a config wrote, by phase; Unlisted: in hand, in a phase that its status, which lists at most 20 nodes, does not tell.",
    labels: ["name", "pool", "phase"],
    seriesOf: open((name, rollout) =>
      rollout.pools.flatMap((pool) =>
        phasesOf(pool, rollout).map(([phase, value]) => ({ labels: { name, pool: pool.name, phase }, value })),
      ),
    ),
  },
  {
    name: "rollout_stuck",
    help: "1 while a rollout is stuck until somebody intervenes.",
    labels: ["name"],
    seriesOf: (name, status) => [
      { labels: { name }, value: Number(conditionOf(status, "Stalled")?.reason === "RolloutStuck") },
    ],
  },
];

const working: readonly NodeRolloutPhase[] = ["Draining", "Applying", "Rebooting", "Uncordoning"];

// Nodes at work are the first in the list of nodes, which is not whole in a large pool: together the phases count each node once.
function phasesOf(
  pool: PoolRollout,
  { nodes }: RolloutStatus,
): readonly (readonly [NodeRolloutPhase | "Unlisted", number])[] {
  const listed = (phase: NodeRolloutPhase) =>
    nodes.filter((node) => node.pool === pool.name && node.phase === phase).length;
  const atWork = working.map((phase) => [phase, listed(phase)] as const);
  const unlisted = pool.inHand - atWork.reduce((all, [, count]) => all + count, 0);
  return [
    ["Waiting", pool.waiting],
    ...atWork,
    ["Unlisted", Math.max(0, unlisted)],
    ["Degraded", pool.degraded],
    ["Done", pool.done],
  ];
}
