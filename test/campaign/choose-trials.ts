// Chooses trials by a seed: the same seed gives the same trials in the same order.

import { createHash } from "node:crypto";
import type { Trial, TrialKind } from "./trials.ts";

export type Choice = {
  readonly seed: string;
  /** The number of trials. Beyond all single faults, adds pairs. Default: all single faults. */
  readonly count?: number;
};

export function chooseTrials(trials: readonly Trial[], { seed, count = trials.length }: Choice): readonly Trial[] {
  const shuffled = trials.toSorted((left, right) => (rank(seed, left.name) < rank(seed, right.name) ? -1 : 1));
  const pairs = Array.from({ length: Math.max(0, count - trials.length) }, (_, at) => pairOf(trials, `${seed} ${at}`));
  return [...shuffled.slice(0, count), ...pairs];
}

/** Faults at writes: a crash there must neither lose nor repeat a write. */
const always: readonly TrialKind[] = ["kill", "lost answer"];
/** One in this many trials of every other kind. */
const share = 8;

/** Returns all trials with faults at writes, and a seeded share of every other kind. */
export function sliceOf(trials: readonly Trial[], seed: string): readonly Trial[] {
  return [...Map.groupBy(trials, ({ kind }) => kind)].flatMap(([kind, those]) =>
    always.includes(kind) ? those : chooseTrials(those, { seed, count: Math.ceil(those.length / share) }),
  );
}

function pairOf(trials: readonly Trial[], seed: string): Trial {
  const quick = trials.filter(({ kind }) => kind !== "stall" && kind !== "twice");
  const [first, second] = quick.toSorted((a, b) => (rank(seed, a.name) < rank(seed, b.name) ? -1 : 1));
  if (first === undefined || second === undefined) throw new Error("there are no two trials to pair");
  return { name: `${first.name} + ${second.name}`, kind: "pair", plans: [...first.plans, ...second.plans] };
}

function rank(seed: string, name: string): string {
  return createHash("sha256").update(`${seed}\n${name}`).digest("hex");
}
