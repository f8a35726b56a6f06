// Runs rounds. Each one measures the floor, our code twice, and the floor again. Repeats a round if the machine's speed
// changed.

import { type Floor, type FloorVerb, floorVerbs } from "./floor.ts";
import { percentile } from "./percentiles.ts";
import type { Measured } from "./scenario.ts";

export type Round = {
  readonly floors: readonly [Floor, Floor];
  readonly measured: readonly Measured[];
};

const unsteadyShare = 0.3;

/** Returns a round's floor in milliseconds: the mean of the two measurements. */
export function floorOf({ floors: [before, after] }: Pick<Round, "floors">, verb: FloorVerb): number {
  return (before[verb].p50 + after[verb].p50) / 2;
}

/** Returns how far a round's floor deviates from the median of the other rounds, as a fraction, for the worst verb. */
export function movement(round: Pick<Round, "floors">, others: readonly Pick<Round, "floors">[]): number {
  const moves = floorVerbs.map((verb) => {
    const usual = percentile(
      others.map((other) => floorOf(other, verb)),
      0.5,
    );
    return others.length === 0 ? 0 : Math.abs(floorOf(round, verb) - usual) / usual;
  });
  return Math.max(...moves);
}

export const isUnsteady = (round: Pick<Round, "floors">, others: readonly Pick<Round, "floors">[]) =>
  movement(round, others) > unsteadyShare;

export type Plan = { readonly rounds: number; readonly repetitions: number };

export type RoundsResult = { readonly rounds: readonly Round[]; readonly repeated: number; readonly isSteady: boolean };

/** Runs rounds until enough of them have a stable floor. Repeats at most `repetitions` rounds. */
export async function runRounds(
  { rounds, repetitions }: Plan,
  run: (at: number) => Promise<Round>,
): Promise<RoundsResult> {
  let kept: readonly Round[] = [];
  let repeated = 0;
  while (kept.length < rounds) {
    const round = await run(kept.length);
    if (repeated < repetitions && isUnsteady(round, kept)) repeated++;
    else kept = [...kept, round];
  }
  const isSteady = kept.every((round) => !isUnsteady(round, kept));
  return { rounds: kept, repeated, isSteady };
}

export function samplesOf({ measured }: Round, figure: string): readonly number[] {
  return measured.flatMap(({ samples }) => samples[figure] ?? []);
}
