// Builds the result of one scenario, to be stored and printed: figures, ratios, and whether goals were met.

import { compareWithGoal, decisiveSample, type FigureSpec, type GoalResult } from "./figures.ts";
import { type Floor, floorVerbs } from "./floor.ts";
import { percentile, type Range, rangeOf, type Spread, spreadOf } from "./percentiles.ts";
import { floorOf, movement, type Round, type RoundsResult, samplesOf } from "./rounds.ts";
import type { Scenario, Size } from "./scenario.ts";

export type FigureResult = {
  readonly name: string;
  readonly unit: FigureSpec["unit"];
  readonly spread: Spread;
  readonly rounds: Range;
  readonly ratio?: Range & { readonly to: string };
  readonly goal?: FigureSpec["goal"];
  readonly goalResult?: GoalResult;
  readonly peer?: string;
};

export type MeasurementContext = {
  readonly time: string;
  readonly commit: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly cores: number;
  readonly load: number;
  readonly seed: number;
  readonly size: Size;
};

export type Result = MeasurementContext & {
  readonly schemaVersion: 1;
  readonly scenario: string;
  readonly says: string;
  readonly floor: Floor;
  /** The largest deviation of one round's floor from the others, as a fraction. */
  readonly floorMoved: number;
  readonly repeated: number;
  readonly isSteady: boolean;
  readonly ours: readonly FigureResult[];
  readonly ratios: Readonly<Record<string, Range>>;
  /** The median number of requests per measurement, by verb. */
  readonly requests: Readonly<Record<string, number>>;
  readonly rounds: readonly Round[];
};

export function resultOf(scenario: Scenario, measured: RoundsResult, around: MeasurementContext): Result {
  const figures = scenario.figures.filter(({ isLong = false }) => !isLong || around.size !== "quick");
  const ours = figures.map((figure) => figureResult(figure, measured.rounds, around.size));
  const ratios = ours.flatMap(({ name, ratio }) => (ratio === undefined ? [] : [[name, ratio] as const]));
  const moves = measured.rounds.map((round) => movement(round, measured.rounds));
  return {
    schemaVersion: 1,
    ...around,
    scenario: scenario.name,
    says: scenario.says,
    floor: wholeFloor(measured.rounds),
    floorMoved: Math.max(...moves),
    repeated: measured.repeated,
    isSteady: measured.isSteady,
    ours,
    ratios: Object.fromEntries(ratios),
    requests: usualRequests(measured.rounds),
    rounds: measured.rounds,
  };
}

export const isPassed = ({ ours }: Pick<Result, "ours">): boolean =>
  ours.every(({ goalResult }) => goalResult?.isMet !== false);

function figureResult(figure: FigureSpec, rounds: readonly Round[], size: Size): FigureResult {
  const { name, unit, floor, goal, peer } = figure;
  const byRound = rounds.map((round) => samplesOf(round, name));
  const medians = byRound.map((samples) => percentile(samples, 0.5));
  const ratios =
    floor === undefined ? [] : rounds.map((round, at) => (medians[at] ?? Number.NaN) / floorOf(round, floor));
  const decisive = goal?.ofRatio === true ? ratios : goal && byRound.map((samples) => decisiveSample(samples, goal));
  return {
    name,
    unit,
    spread: spreadOf(byRound.flat()),
    rounds: rangeOf(medians),
    ...(floor !== undefined && { ratio: { to: floor, ...rangeOf(ratios) } }),
    ...(goal !== undefined && decisive !== undefined && { goal, goalResult: compareWithGoal(decisive, goal, size) }),
    ...(peer !== undefined && { peer }),
  };
}

// The median of all floors, for display only. Ratios are computed with the floors of the same round.
function wholeFloor(rounds: readonly Round[]): Floor {
  const all = rounds.flatMap(({ floors }) => floors);
  const middle = (verb: (typeof floorVerbs)[number], of: keyof Spread) =>
    percentile(
      all.map((floor) => floor[verb][of]),
      0.5,
    );
  const entries = floorVerbs.map((verb) => [
    verb,
    {
      n: all.reduce((sum, floor) => sum + floor[verb].n, 0),
      p50: middle(verb, "p50"),
      p90: middle(verb, "p90"),
      p99: middle(verb, "p99"),
    },
  ]);
  return Object.fromEntries(entries) as Floor;
}

function usualRequests(rounds: readonly Round[]): Readonly<Record<string, number>> {
  const all = rounds.flatMap(({ measured }) => measured.map(({ requests }) => requests));
  const verbs = [...new Set(all.flatMap((requests) => Object.keys(requests)))].toSorted();
  return Object.fromEntries(
    verbs.map((verb) => [
      verb,
      percentile(
        all.map((requests) => requests[verb] ?? 0),
        0.5,
      ),
    ]),
  );
}
