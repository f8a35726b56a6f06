import { expect, test } from "vitest";
import { readFlags } from "./flags.ts";
import type { Scenario } from "./scenario.ts";

const scenario = (name: string, isQuick: boolean): Scenario => ({
  name,
  says: "",
  isQuick,
  perRound: 1,
  figures: [],
  measure: () => Promise.resolve({ samples: {}, requests: {} }),
});
const all = [scenario("short", true), scenario("long", false)];

const cases = [
  { reason: "runs all scenarios by default", env: {}, size: "usual", names: ["short", "long"] },
  { reason: "a quick run omits long scenarios", env: { QUICK: "1" }, size: "quick", names: ["short"] },
  {
    reason: "a quick run includes a named long scenario",
    env: { QUICK: "1", SCENARIO: "long" },
    size: "quick",
    names: ["long"],
  },
  {
    reason: "several scenarios can be named",
    env: { FULL: "1", SCENARIO: "long,short" },
    size: "full",
    names: ["long", "short"],
  },
];

test.each(cases)("$reason", ({ env, size, names }) => {
  const flags = readFlags(env, all, () => 0.5);
  expect(flags).toMatchObject({ kind: "run", size, seed: 2 ** 31 });
  expect(flags.kind === "run" && flags.scenarios.map(({ name }) => name)).toEqual(names);
});

const refusals = [
  {
    reason: "rejects an unknown scenario and lists the known ones",
    env: { SCENARIO: "no" },
    says: "there are: short, long",
  },
  { reason: "rejects QUICK with FULL", env: { QUICK: "1", FULL: "1" }, says: "contradict" },
  { reason: "a seed must be a number", env: { SEED: "x" }, says: "SEED=x" },
];

test.each(refusals)("$reason", ({ env, says }) => {
  expect(readFlags(env, all, () => 0)).toEqual({ kind: "wrong", message: expect.stringContaining(says) });
});
