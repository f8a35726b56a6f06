import { expect, test } from "vitest";
import type { Trial } from "../../test/campaign/trials.ts";
import { chooseTrials } from "./choose.ts";

const trials: readonly Trial[] = ["a", "b", "c", "d"].map((name) => ({ name, kind: "500", plans: [] }));

test("the same seed chooses the same trials, another seed others", () => {
  const chosen = (seed: string) => chooseTrials(trials, { seed, count: 2 }).map(({ name }) => name);
  expect(chosen("one")).toEqual(chosen("one"));
  expect(new Set(Array.from({ length: 20 }, (_, at) => chosen(`${at}`).join())).size).toBeGreaterThan(1);
});

test("beyond the trials that there are, pairs of different ones are drawn", () => {
  const chosen = chooseTrials(trials, { seed: "one", count: 9 });
  expect(chosen.filter(({ kind }) => kind === "500")).toHaveLength(4);
  const pairs = chosen.filter(({ kind }) => kind === "pair").map(({ name }) => name.split(" + "));
  expect(pairs).toHaveLength(5);
  for (const [first, second] of pairs) expect(first).not.toBe(second);
});
