// Remembers first-seen times by the operator's clock, so that ages survive a restart of the process. Measures drains
// and restarts of nodes from them.

import type { ObservedSeconds, RolloutStatus } from "@virt/api";
import { readTime } from "@virt/objects";
import type { DoctorFacts, PoolView } from "./rollout-view.ts";

/** Times in milliseconds by key. */
export type SightingTimes = ReadonlyMap<string, number>;

/** The first-seen times of the last and the current diagnosis. Forgets keys that have disappeared. */
export class Sightings {
  readonly #before: SightingTimes;
  readonly now: number;
  readonly #isUnwatched: boolean;
  readonly #seen = new Map<string, number>();
  #nextAt: number | undefined;

  /** If there is no watch, start times come from other components. */
  constructor(before: SightingTimes, now: number, isUnwatched = false) {
    this.#before = before;
    this.now = now;
    this.#isUnwatched = isUnwatched;
  }

  /** Returns when the key was first seen, or `first` for a new key. A time in the future becomes now. */
  see(key: string, first = this.now): number {
    const since = Math.min(this.#before.get(key) ?? first, this.now);
    this.#seen.set(key, since);
    return since;
  }

  /** Like `see`, but if there is no watch, a new key gets the reported time. */
  seeSince(key: string, reported: number | undefined): number {
    return this.see(key, this.#isUnwatched ? reported : undefined);
  }

  /** Finds a key of the last diagnosis with this prefix, and returns the rest of the key. */
  rest(start: string): string | undefined {
    for (const key of this.#before.keys()) if (key.startsWith(start)) return key.slice(start.length);
    return undefined;
  }

  /** Requests another diagnosis at that time. */
  expectAt(ms: number): void {
    this.#nextAt = Math.min(this.#nextAt ?? ms, ms);
  }

  get nextAt(): number | undefined {
    return this.#nextAt;
  }

  /** Returns when the key was first seen, as of the last diagnosis. */
  before(key: string): number | undefined {
    const since = this.#before.get(key);
    return since === undefined ? undefined : Math.min(since, this.now);
  }

  keepLatest(key: string, ms: number): number {
    const latest = Math.max(this.#before.get(key) ?? ms, ms);
    this.#seen.set(key, latest);
    return latest;
  }

  get seen(): SightingTimes {
    return this.#seen;
  }
}

export function phaseKey(node: string, phase: string): string {
  return `phase ${node} ${phase}`;
}

/** Returns the prefix of a key that ends with the error of the last drain attempt. */
export function drainErrorKey(node: string): string {
  return `drain error ${node} `;
}

export function restartKey(node: string): string {
  return `restart ${node}`;
}

export function findingKey(id: string, about: string): string {
  return `finding ${id} ${about}`;
}

/** Returns the part of a finding's key that identifies its subject. Uses only fields that are also in the status. */
export function aboutFinding(
  node: string | undefined,
  object: { readonly namespace?: string; readonly name: string },
): string {
  return `${node ?? ""} ${object.namespace ?? ""}/${object.name}`;
}

/** Restores first-seen times from the status after a restart of the process. */
export function sightingsOf(rollout: RolloutStatus | undefined): SightingTimes {
  const nodes = (rollout?.nodes ?? []).flatMap(({ name, phase, since }) => [
    [phaseKey(name, phase), since] as const,
    ...(phase === "Applying" ? [[restartKey(name), since] as const] : []),
  ]);
  const findings = (rollout?.findings ?? []).map(
    ({ id, node, object, since }) => [findingKey(id, aboutFinding(node, object ?? { name: "" })), since] as const,
  );
  const times = [...nodes, ...findings].flatMap(([key, since]) => {
    const ms = readTime(since);
    return ms === undefined ? [] : [[key, ms] as const];
  });
  return new Map(times);
}

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
