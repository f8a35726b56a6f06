// When things were seen first, by our own clock: ages must neither depend on the clocks of others nor end with a restart of this process.

import type { RolloutStatus } from "@virt/api";
import { readTime } from "@virt/engine";

/** Times in milliseconds, by what was seen then. */
export type SightingTimes = ReadonlyMap<string, number>;

/** What was seen before, and what is seen now. What is not seen any more is forgotten. */
export class Sightings {
  readonly #before: SightingTimes;
  /** Milliseconds. */
  readonly now: number;
  readonly #isUnwatched: boolean;
  readonly #seen = new Map<string, number>();
  #nextAt: number | undefined;

  /** `isUnwatched`: nobody has watched, so what others report of begins counts. */
  constructor(before: SightingTimes, now: number, isUnwatched = false) {
    this.#before = before;
    this.now = now;
    this.#isUnwatched = isUnwatched;
  }

  /**
   * Notes that it is seen, and says since when; `first` where it was not seen before. A time in the future was written by a clock that
   * was set back.
   */
  see(key: string, first = this.now): number {
    const since = Math.min(this.#before.get(key) ?? first, this.now);
    this.#seen.set(key, since);
    return since;
  }

  /** The same of something whose begin others report, if they do. */
  seeSince(key: string, reported: number | undefined): number {
    return this.see(key, this.#isUnwatched ? reported : undefined);
  }

  /** What was seen last time and begins so, without its beginning; undefined: nothing. */
  rest(start: string): string | undefined {
    for (const key of this.#before.keys()) if (key.startsWith(start)) return key.slice(start.length);
    return undefined;
  }

  /** Something will be other than now at that time, whatever else happens. */
  expectAt(ms: number): void {
    this.#nextAt = Math.min(this.#nextAt ?? ms, ms);
  }

  /** The first of the times that are expected. */
  get nextAt(): number | undefined {
    return this.#nextAt;
  }

  /** Since when it was seen until last time; undefined: it was not. */
  before(key: string): number | undefined {
    const since = this.#before.get(key);
    return since === undefined ? undefined : Math.min(since, this.now);
  }

  /** Keeps the latest of times that are given for the same thing. */
  keepLatest(key: string, ms: number): number {
    const latest = Math.max(this.#before.get(key) ?? ms, ms);
    this.#seen.set(key, latest);
    return latest;
  }

  /** All that was seen this time. */
  get seen(): SightingTimes {
    return this.#seen;
  }
}

/** Of a node in a phase. */
export function phaseKey(node: string, phase: string): string {
  return `phase ${node} ${phase}`;
}

/** Of what the last attempt to drain a node failed of, which follows. */
export function drainErrorKey(node: string): string {
  return `drain error ${node} `;
}

/** Of a node that is past its drain. */
export function restartKey(node: string): string {
  return `restart ${node}`;
}

/** Of a finding; `about` is the node and the object that it concerns. */
export function findingKey(id: string, about: string): string {
  return `finding ${id} ${about}`;
}

/** What a finding concerns, as a status tells it. */
export function aboutFinding(
  node: string | undefined,
  object: { readonly namespace?: string; readonly name: string },
): string {
  return `${node ?? ""} ${object.namespace ?? ""}/${object.name}`;
}

/** What a status says of first sights: all that a process knows that has just started. */
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
