// Formats the accuracy of the predictions: hits, errors, and the causes of misses.

import type { PredictedDuration, PredictedRollout } from "./predicted-rollouts.ts";
import type { RandomWorld } from "./random-worlds.ts";

export type PredictedWorld = {
  readonly world: RandomWorld;
  readonly rollouts: readonly [PredictedRollout, PredictedRollout] | undefined;
};

export function predictionTable(worlds: readonly PredictedWorld[]): readonly string[] {
  const ended = worlds.flatMap(({ world, rollouts }) => (rollouts === undefined ? [] : [{ world, rollouts }]));
  const fitting = ended.filter(({ rollouts }) => rollouts.every(({ fits }) => fits === "Yes"));
  const [first, second] = [0, 1].map((at) => fitting.map(({ rollouts }) => rollouts[at] as PredictedRollout));
  const pools = (second ?? []).flatMap((rollout) => rollout.pools);
  const vms = fitting.flatMap(({ rollouts }) => rollouts);
  return [
    `${worlds.length} worlds, ${ended.length} of which come to their end by themselves, ${fitting.length} with room for all VMs.`,
    "",
    "| | inside | below low | above high | took, of high: p10; p50; p90; most |",
    "|---|---|---|---|---|",
    row(
      "first rollout, within [low, high]",
      (first ?? []).map(({ plan }) => plan),
    ),
    row(
      "second rollout, within [low, high]",
      (second ?? []).map(({ plan }) => plan),
    ),
    row("pools of a second rollout, within [0.8 × low, high]", pools, 0.8),
    "",
    `VMs that end as predicted: ${sum(vms.map(({ vmsAssessed, vms: wrong }) => vmsAssessed - wrong.length))} of ${sum(vms.map(({ vmsAssessed }) => vmsAssessed))}.`,
    "",
    ...fitting.flatMap(({ world, rollouts: [, rollout] }) =>
      rollout.pools.filter((pool) => !isInside(pool, 1)).map((pool) => describeMiss(world, rollout, pool)),
    ),
  ];
}

/** Reports whether the duration is in the range. `share` lowers the lower bound. */
export function isInside({ low, high, seconds }: PredictedDuration, share: number): boolean {
  return seconds >= share * low && seconds <= high;
}

function row(name: string, durations: readonly PredictedDuration[], share = 1): string {
  const count = (isCounted: (one: PredictedDuration) => boolean) => durations.filter(isCounted).length;
  const inside = count((one) => isInside(one, share));
  const ratios = durations.map(({ seconds, high }) => seconds / high).toSorted((left, right) => left - right);
  const at = (part: number) => (ratios[Math.ceil(part * ratios.length) - 1] ?? 0).toFixed(2);
  const below = count(({ low, seconds }) => seconds < share * low);
  const above = count(({ high, seconds }) => seconds > high);
  const percent = ((100 * inside) / Math.max(1, durations.length)).toFixed(1);
  return `| ${name} | ${inside} of ${durations.length} (${percent} %) | ${below} | ${above} | ${at(0.1)}; ${at(0.5)}; ${at(0.9)}; ${at(1)} |`;
}

function describeMiss(
  { seed, scenario, class: disruption }: RandomWorld,
  rollout: PredictedRollout,
  pool: PredictedDuration,
) {
  const { restart, migration } = rollout.sources;
  const nodes = scenario.nodes.map(({ name, count }) => `${count} ${name}`).join(", ");
  const took = `${Math.round(pool.seconds)} s of [${pool.low}, ${pool.high}]`;
  return `miss: world ${seed}, pool ${pool.name}: ${took}; ${disruption}, ${nodes}, restart ${restart}, migration ${migration}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
