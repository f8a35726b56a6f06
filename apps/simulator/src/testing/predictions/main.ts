// Predicts two rollouts for each of many random clusters, simulates them, and prints a comparison.

import { predictTwoRollouts } from "./predicted-rollouts.ts";
import { type PredictedWorld, predictionTable } from "./prediction-table.ts";
import { randomWorld } from "./random-worlds.ts";

const count = Number(process.env["WORLDS"] || "200");
const first = Number(process.env["SEED"] || "1");
const worlds: PredictedWorld[] = [];
for (let seed = first; seed < first + count; seed++) {
  const world = randomWorld(seed);
  worlds.push({ world, rollouts: predictTwoRollouts(world) });
  if (worlds.length % 20 === 0) process.stderr.write(`  ... ${worlds.length} of ${count} worlds\n`);
}
process.stdout.write(`${predictionTable(worlds).join("\n")}\n`);
