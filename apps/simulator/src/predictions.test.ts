// Tests a sample of the random clusters from `make predictions`, with two rollouts each.

import { expect, test } from "vitest";
import { predictTwoRollouts } from "./testing/predictions/predicted-rollouts.ts";
import { isInside } from "./testing/predictions/prediction-table.ts";
import { randomWorld } from "./testing/predictions/random-worlds.ts";

const seeds = [3, 6, 10, 16, 17];

test.each(seeds)("world %i: VM outcomes and the second rollout's duration match the prediction", (seed) => {
  const world = randomWorld(seed);
  const rollouts = predictTwoRollouts(world) ?? [];
  const wrong = rollouts.flatMap(({ vms }) => vms);
  const missed = rollouts[1]?.pools.filter((pool) => !isInside(pool, 0.8));
  const fits = rollouts.map((rollout) => rollout.fits);
  const report = JSON.stringify({ world, rollouts }, undefined, 2);
  expect({ fits, wrong, missed, report }).toEqual({ fits: ["Yes", "Yes"], wrong: [], missed: [], report });
});
