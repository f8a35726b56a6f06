// `make replay PLAN=<file>`: repeats a failed or hand-written trial.

import { evaluateTrial, runReference } from "../../test/campaign/campaign.ts";
import { openCampaignCluster } from "../../test/campaign/campaign-cluster.ts";
import { readTrial } from "../../test/campaign/failed-trials.ts";
import { startProgress } from "../progress.ts";

const { PLAN = "" } = process.env;
if (PLAN === "") {
  process.stderr.write("make: PLAN is not set. Run: make replay PLAN=<file>\n");
  process.exit(2);
}
const trial = readTrial(PLAN);
const progress = startProgress(trial.name, process.stderr);
const cluster = await openCampaignCluster();
const { state } = await runReference(cluster);
progress.update("the run without a fault is right");
const { violations, file } = await evaluateTrial(cluster, trial, state);
await cluster[Symbol.asyncDispose]();
if (violations.length === 0) progress.done("it completed the plan");
else {
  progress.fail();
  process.stdout.write(`${[...violations, `all about it: ${file}`].join("\n")}\n`);
}
process.exit(violations.length === 0 ? 0 : 1); // pipes of killed programs can keep this process alive
