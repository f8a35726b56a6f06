// Compares two results of a scenario. Reports a change only if it is large and the ranges of the rounds do not overlap.

import { readFileSync } from "node:fs";
import type { FigureResult, Result } from "./results.ts";
import { shown, tableOf } from "./tables.ts";

export type Difference = {
  readonly name: string;
  readonly unit: FigureResult["unit"];
  readonly before: FigureResult["rounds"];
  readonly after: FigureResult["rounds"];
  /** The change relative to the old value: 0.1 means 10% more. */
  readonly change: number;
  readonly isReal: boolean;
};

const realShare = 0.15;

type Compared = Pick<Result, "ours">;

/** Compares figures by their ratio to the floor, if they have one, because the machine's speed differs between runs. */
export function differencesOf(older: Compared, newer: Compared): readonly Difference[] {
  return newer.ours.flatMap((after) => {
    const before = older.ours.find(({ name, unit }) => name === after.name && unit === after.unit);
    return before === undefined ? [] : [differenceOf(before, after)];
  });
}

function differenceOf(older: FigureResult, newer: FigureResult): Difference {
  const isRatio = older.ratio !== undefined && newer.ratio !== undefined;
  const before = isRatio && older.ratio ? older.ratio : older.rounds;
  const after = isRatio && newer.ratio ? newer.ratio : newer.rounds;
  const change = after.median === before.median ? 0 : (after.median - before.median) / before.median;
  const isApart = after.min > before.max || after.max < before.min;
  return {
    name: newer.name,
    unit: isRatio ? "×" : newer.unit,
    before,
    after,
    change,
    isReal: isApart && Math.abs(change) > realShare,
  };
}

export function comparisonOf(older: Result, newer: Result): string {
  const head = ["figure", "old", "min..max", "new", "min..max", "change", "real"];
  const rows = differencesOf(older, newer).map(({ name, unit, before, after, change, isReal }) => [
    name,
    ...[before, after].flatMap(({ median, min, max }) => [
      shown(median, unit),
      `${shown(min, unit)} .. ${shown(max, unit)}`,
    ]),
    `${change >= 0 ? "+" : ""}${(change * 100).toFixed(1)} %`,
    isReal ? "yes" : "no",
  ]);
  const side = ({ time, commit, size, isSteady }: Result) =>
    `${time} at ${commit} (${size}${isSteady ? "" : "; the machine was unsteady"})`;
  return `${newer.scenario}\n  old: ${side(older)}\n  new: ${side(newer)}\n${tableOf([head, ...rows])}`;
}

export function readResult(file: string): Result {
  const result = JSON.parse(readFileSync(file, "utf8")) as Result;
  if (result.schemaVersion !== 1) throw new Error(`${file} is not a result that this version can read`);
  return result;
}
