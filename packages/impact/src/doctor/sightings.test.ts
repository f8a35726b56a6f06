import type { RolloutStatus } from "@virt/api";
import { expect, test } from "vitest";
import { diagnoseRollout } from "./diagnose-rollout.ts";
import { restartSamplesByPool } from "./sightings.ts";
import { rollingNode, rolloutFacts } from "./testing/rollout-builder.ts";

const observing = (pool: string, ...restartSeconds: readonly number[]): RolloutStatus => ({
  summary: "",
  pools: [
    {
      name: pool,
      total: 3,
      done: 0,
      inHand: 0,
      waiting: 3,
      degraded: 0,
      observed: { drainSeconds: [], restartSeconds },
    },
  ],
  nodes: [],
  findings: [],
  more: { pools: 0, nodes: 0, findings: 0 },
});

test("uses restart samples of every config", () => {
  const all = [observing("worker", 900, 950), observing("infra", 60), observing("worker", 1000)];
  expect(restartSamplesByPool(all).get("worker")).toEqual([900, 950, 1000]);
  expect(restartSamplesByPool(all.toReversed()).get("worker")?.toSorted()).toEqual([1000, 900, 950]);
  expect(restartSamplesByPool(all).get("infra")).toEqual([60]);
});

test("counts a restart that two configs observed once", () => {
  const both = [observing("worker", 900, 900), observing("worker", 900, 900, 950)];
  expect(restartSamplesByPool(both).get("worker")).toEqual([900, 900, 950]);
});

test("predicts equally from samples of another config", () => {
  const facts = rolloutFacts({ nodes: [rollingNode("worker-0", "Waiting"), rollingNode("worker-1", "Waiting")] }, 0);
  const own = diagnoseRollout({ ...facts, before: observing("worker", 100, 110, 120) });
  const others = diagnoseRollout({
    ...facts,
    observedRollouts: [observing("worker", 100, 110), observing("worker", 120)],
  });
  expect(own.rollout.remaining).toBeDefined();
  expect(others.rollout.remaining).toEqual(own.rollout.remaining);
  expect(diagnoseRollout(facts).rollout.remaining).not.toEqual(own.rollout.remaining);
});
