// Chooses the trials of a campaign by a seed: the same seed gives the same ones, in the same order.

import { createHash } from "node:crypto";
import type { Trial, TrialKind } from "./trials.ts";

export type Choice = {
  readonly seed: string;
  /** How many; beyond those with one fault, pairs of them are drawn. All with one fault where it is not given. */
  readonly count?: number;
};

export function chooseTrials(trials: readonly Trial[], { seed, count = trials.length }: Choice): readonly Trial[] {
  const shuffled = trials.toSorted((left, right) => (rank(seed, left.name) < rank(seed, right.name) ? -1 : 1));
  const pairs = Array.from({ length: Math.max(0, count - trials.length) }, (_, at) => pairOf(trials, `${seed} ${at}`));
  return [...shuffled.slice(0, count), ...pairs];
}

/** What strikes a write: a crash there must lose nothing, and repeat nothing. */
const always: readonly TrialKind[] = ["kill", "lost answer"];
/** One in so many of the trials of any other kind. */
const share = 8;

/** The trials of one change: all that strike a write, and of each other kind a share that the seed chooses. */
export function sliceOf(trials: readonly Trial[], seed: string): readonly Trial[] {
  return [...Map.groupBy(trials, ({ kind }) => kind)].flatMap(([kind, those]) =>
    always.includes(kind) ? those : chooseTrials(those, { seed, count: Math.ceil(those.length / share) }),
  );
}

/** Two different faults in one run; none that takes half a minute. */
function pairOf(trials: readonly Trial[], seed: string): Trial {
  const quick = trials.filter(({ kind }) => kind !== "stall" && kind !== "twice");
  const [first, second] = quick.toSorted((a, b) => (rank(seed, a.name) < rank(seed, b.name) ? -1 : 1));
  if (first === undefined || second === undefined) throw new Error("there is nothing to pair");
  return { name: `${first.name} + ${second.name}`, kind: "pair", plans: [...first.plans, ...second.plans] };
}

function rank(seed: string, name: string): string {
  return createHash("sha256").update(`${seed}\n${name}`).digest("hex");
}
