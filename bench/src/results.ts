// One scenario's result: figures over all rounds, ratios, verdicts. What is written down and what is printed come from here.

import { type FigureSpec, judgedSample, type Verdict, verdictOf } from "./figures.ts";
import { type Floor, floorVerbs } from "./floor.ts";
import { percentile, type Range, rangeOf, type Spread, spreadOf } from "./percentiles.ts";
import { floorOf, movement, type Played, type Round, samplesOf } from "./rounds.ts";
import type { Scenario, Size } from "./scenario.ts";

export type FigureResult = {
  readonly name: string;
  readonly unit: FigureSpec["unit"];
  readonly spread: Spread;
  /** Of the rounds' medians. */
  readonly rounds: Range;
  /** To the floor of the same round. */
  readonly ratio?: Range & { readonly to: string };
  readonly goal?: FigureSpec["goal"];
  readonly verdict?: Verdict;
  readonly peer?: string;
};

export type Surroundings = {
  readonly time: string;
  readonly commit: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly cores: number;
  readonly load: number;
  readonly seed: number;
  readonly size: Size;
};

export type Result = Surroundings & {
  readonly schemaVersion: 1;
  readonly scenario: string;
  readonly says: string;
  readonly floor: Floor;
  /** The most by which the floor of one round differs from the others, as a share. */
  readonly floorMoved: number;
  readonly repeated: number;
  readonly isSteady: boolean;
  readonly ours: readonly FigureResult[];
  readonly ratios: Readonly<Record<string, Range>>;
  /** By verb, of one measurement (the median of all). */
  readonly requests: Readonly<Record<string, number>>;
  readonly rounds: readonly Round[];
};

export function resultOf(scenario: Scenario, played: Played, around: Surroundings): Result {
  const figures = scenario.figures.filter(({ isLong = false }) => !isLong || around.size !== "quick");
  const ours = figures.map((figure) => figureResult(figure, played.rounds, around.size));
  const ratios = ours.flatMap(({ name, ratio }) => (ratio === undefined ? [] : [[name, ratio] as const]));
  const moves = played.rounds.map((round) => movement(round, played.rounds));
  return {
    schemaVersion: 1,
    ...around,
    scenario: scenario.name,
    says: scenario.says,
    floor: wholeFloor(played.rounds),
    floorMoved: Math.max(...moves),
    repeated: played.repeated,
    isSteady: played.isSteady,
    ours,
    ratios: Object.fromEntries(ratios),
    requests: usualRequests(played.rounds),
    rounds: played.rounds,
  };
}

export const isPassed = ({ ours }: Pick<Result, "ours">): boolean =>
  ours.every(({ verdict }) => verdict?.isMet !== false);

function figureResult(figure: FigureSpec, rounds: readonly Round[], size: Size): FigureResult {
  const { name, unit, floor, goal, peer } = figure;
  const byRound = rounds.map((round) => samplesOf(round, name));
  const medians = byRound.map((samples) => percentile(samples, 0.5));
  const ratios =
    floor === undefined ? [] : rounds.map((round, at) => (medians[at] ?? Number.NaN) / floorOf(round, floor));
  const judged = goal?.ofRatio === true ? ratios : goal && byRound.map((samples) => judgedSample(samples, goal));
  return {
    name,
    unit,
    spread: spreadOf(byRound.flat()),
    rounds: rangeOf(medians),
    ...(floor !== undefined && { ratio: { to: floor, ...rangeOf(ratios) } }),
    ...(goal !== undefined && judged !== undefined && { goal, verdict: verdictOf(judged, goal, size) }),
    ...(peer !== undefined && { peer }),
  };
}

// The middle of all floors that were measured: one line for people; each round's ratio uses its own.
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
