import { expect, test } from "vitest";
import { chooseTrials, sliceOf } from "./choose-trials.ts";
import type { Trial, TrialKind } from "./trials.ts";

const trials: readonly Trial[] = ["a", "b", "c", "d"].map((name) => ({ name, kind: "500", plans: [] }));

test("a seed always selects the same trials, and another seed selects others", () => {
  const chosen = (seed: string) => chooseTrials(trials, { seed, count: 2 }).map(({ name }) => name);
  expect(chosen("one")).toEqual(chosen("one"));
  expect(new Set(Array.from({ length: 20 }, (_, at) => chosen(`${at}`).join())).size).toBeGreaterThan(1);
});

test("draws pairs of different trials after all single trials", () => {
  const chosen = chooseTrials(trials, { seed: "one", count: 9 });
  expect(chosen.filter(({ kind }) => kind === "500")).toHaveLength(4);
  const pairs = chosen.filter(({ kind }) => kind === "pair").map(({ name }) => name.split(" + "));
  expect(pairs).toHaveLength(5);
  for (const [first, second] of pairs) expect(first).not.toBe(second);
});

const many = (kind: TrialKind): readonly Trial[] =>
  Array.from({ length: 16 }, (_, at) => ({ name: `${kind} ${at}`, kind, plans: [] }));

test("the slice of a commit covers every write and some other requests", () => {
  const slice = sliceOf([...many("kill"), ...many("500"), ...many("lost answer"), ...many("stall")], "one");
  const counts = [...Map.groupBy(slice, ({ kind }) => kind)].map(([kind, those]) => [kind, those.length]);
  expect(counts).toEqual([
    ["kill", 16],
    ["500", 2],
    ["lost answer", 16],
    ["stall", 2],
  ]);
});

test("slices of many commits cover every trial", () => {
  const chosen = Array.from({ length: 100 }, (_, at) => sliceOf(many("503"), `commit ${at}`)).flat();
  expect(new Set(chosen.map(({ name }) => name)).size).toBe(16);
});
