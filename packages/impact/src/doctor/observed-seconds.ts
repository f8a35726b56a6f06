// Measures how long nodes drain and restart, by the operator's clock, for later predictions.

import type { ObservedSeconds, RolloutStatus } from "@virt/api";
import type { DoctorFacts, PoolView } from "./rollout-view.ts";
import { phaseKey, restartKey, type Sightings } from "./sightings.ts";

const mostSamples = 20;

/** Returns the measured restart times of each pool. Counts a restart once, even if several configs observed it. */
export function restartSamplesByPool(rollouts: readonly RolloutStatus[]): ReadonlyMap<string, readonly number[]> {
  const byPool = Map.groupBy(
    rollouts.flatMap(({ pools }) => pools),
    ({ name }) => name,
  );
  return new Map([...byPool].map(([name, pools]) => [name, mergeSamples(pools)]));
}

function mergeSamples(pools: RolloutStatus["pools"]): readonly number[] {
  const most = new Map<number, number>();
  for (const { observed } of pools)
    for (const [seconds, same] of Map.groupBy(observed?.restartSeconds ?? [], (each) => each))
      most.set(seconds, Math.max(most.get(seconds) ?? 0, same.length));
  return [...most].flatMap(([seconds, count]) => Array.from({ length: count }, () => seconds));
}

export function restartSamplesOf(
  { before, observedRollouts = [] }: Pick<DoctorFacts, "before" | "observedRollouts">,
  pool: string,
): readonly number[] {
  return restartSamplesByPool([...observedRollouts, ...(before ? [before] : [])]).get(pool) ?? [];
}

/** Adds measurements of steps that have ended since the last diagnosis. Returns undefined if there are none. */
export function observePool(
  pool: PoolView,
  rollout: RolloutStatus | undefined,
  sightings: Sightings,
): ObservedSeconds | undefined {
  const before = rollout?.pools.find(({ name }) => name === pool.name)?.observed;
  const ended = pool.nodes.map((view) => endedNow(view, sightings));
  const drainSeconds = [...(before?.drainSeconds ?? []), ...ended.flatMap(({ drain }) => drain ?? [])];
  const restartSeconds = [...(before?.restartSeconds ?? []), ...ended.flatMap(({ restart }) => restart ?? [])];
  if (drainSeconds.length + restartSeconds.length === 0) return undefined;
  return { drainSeconds: drainSeconds.slice(-mostSamples), restartSeconds: restartSeconds.slice(-mostSamples) };
}

type EndedSteps = { readonly drain?: number; readonly restart?: number };

const beforeRestart = ["Waiting", "Draining", "Done"];

// A restart lasts from the end of the drain until the node is ready again. It is measured only if both times were
// observed.
function endedNow({ node: { name }, phase }: PoolView["nodes"][number], sightings: Sightings): EndedSteps {
  const secondsSince = (ms: number) => Math.round((sightings.now - ms) / 1000);
  const [drained, begun] = [sightings.before(phaseKey(name, "Draining")), sightings.before(restartKey(name))];
  const isPastDrain = phase === "Applying" || phase === "Rebooting" || phase === "Uncordoning" || phase === "Done";
  const drain = drained !== undefined && isPastDrain ? { drain: secondsSince(drained) } : {};
  const rebootKey = `reboot ${name}`;
  const hasRebooted = sightings.before(rebootKey) !== undefined;
  if (phase === "Done") return begun !== undefined && hasRebooted ? { ...drain, restart: secondsSince(begun) } : drain;
  if (!isPastDrain) return drain;
  const wasBefore = beforeRestart.some((each) => sightings.before(phaseKey(name, each)) !== undefined);
  if (begun !== undefined || wasBefore) sightings.see(restartKey(name));
  if (phase === "Rebooting" || hasRebooted) sightings.see(rebootKey);
  return drain;
}
