// Gauges for active rollouts, computed from statuses. Labels never contain VM names.

import { conditionOf, isRolloutOpen } from "@virt/advisor";
import type { NodeRolloutPhase, PoolRollout, RolloutStatus, Status } from "@virt/api";
import type { GaugeDefinition, GaugeSeries } from "./metrics.ts";

type RolloutGauge = Omit<GaugeDefinition, "seriesOf"> & {
  readonly seriesOf: (name: string, status: Status) => GaugeSeries;
};

/** The phases with an active rollout. A completed rollout stays in the status, but has no metrics. */
const open =
  (seriesOf: (name: string, rollout: RolloutStatus) => GaugeSeries) =>
  (name: string, status: Status): GaugeSeries =>
    status.rollout !== undefined && isRolloutOpen(status) ? seriesOf(name, status.rollout) : [];

export const rolloutGauges: readonly RolloutGauge[] = [
  {
    name: "rollout_findings",
    help: "Rollout findings in the status of a config (at most 20), by finding and severity.",
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
    help: "Nodes in the pools that are rolling out changes of a config, by phase. Phase Unlisted counts nodes in progress that are not in the status, which lists at most 20 nodes.",
    labels: ["name", "pool", "phase"],
    seriesOf: open((name, rollout) =>
      rollout.pools.flatMap((pool) =>
        phasesOf(pool, rollout).map(([phase, value]) => ({ labels: { name, pool: pool.name, phase }, value })),
      ),
    ),
  },
  {
    name: "rollout_stuck",
    help: "1 while a rollout is stuck and needs intervention.",
    labels: ["name"],
    seriesOf: (name, status) => [
      { labels: { name }, value: Number(conditionOf(status, "Stalled")?.reason === "RolloutStuck") },
    ],
  },
];

const working: readonly NodeRolloutPhase[] = ["Draining", "Applying", "Rebooting", "Uncordoning"];

// The list of nodes starts with those in progress and may be truncated. The phases still count every node exactly once.
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
