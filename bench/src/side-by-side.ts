// Compares our library with another one under the same workload: both values, and the ratio of ours to theirs.

import type { FigureSpec } from "./figures.ts";

export const sides = ["ours", "client-node"] as const;
export type Side = (typeof sides)[number];

export type Values = Readonly<Record<string, number>>;

export type Compared = Omit<FigureSpec, "floor" | "peer"> & {
  /** True if our value must not exceed theirs, because this would invalidate the decision for our own runtime. */
  readonly isGated: boolean;
};

const notMore = { is: "at most", value: 1, isExact: false, by: "p50" } as const;

export function bothFigures({ name, unit, goal, isGated, isLong = false }: Compared): readonly FigureSpec[] {
  const ratio: FigureSpec = { name: `${name}, of client-node`, unit: "×", isLong, ...(isGated && { goal: notMore }) };
  return [
    { name: `${name}, ours`, unit, isLong, ...(goal && { goal }) },
    { name: `${name}, client-node`, unit, isLong },
    ...(unit === "count" ? [] : [ratio]),
  ];
}

/** Returns an empty list if one side was not measured. */
export function bothSamples(name: string, bySide: ReadonlyMap<Side, Values>): readonly [string, readonly number[]][] {
  const [ours, theirs] = sides.map((side) => bySide.get(side)?.[name]);
  if (ours === undefined || theirs === undefined) return [];
  return [
    [`${name}, ours`, [ours]],
    [`${name}, client-node`, [theirs]],
    [`${name}, of client-node`, [ours / theirs]],
  ];
}
