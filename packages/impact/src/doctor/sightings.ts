// Remembers when findings were first seen, by the operator's clock, so that their ages survive a restart.

import type { RolloutStatus } from "@virt/api";
import { readTime } from "@virt/objects";

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
