// `make replay PLAN=<file>`: repeats one trial that failed, or was written by hand.

import { referenceOn, verdictOn } from "../../test/campaign/campaign.ts";
import { readTrial } from "../../test/campaign/left-behind.ts";
import { openSite } from "../../test/campaign/site.ts";
import { startProgress } from "../progress.ts";

const { PLAN = "" } = process.env;
if (PLAN === "") {
  process.stderr.write("make: say which: make replay PLAN=<file>\n");
  process.exit(2);
}
const trial = readTrial(PLAN);
const progress = startProgress(trial.name, process.stderr);
const site = await openSite();
const { state } = await referenceOn(site);
progress.update("the run without a fault is right");
const { wrongs, file } = await verdictOn(site, trial, state);
await site[Symbol.asyncDispose]();
if (wrongs.length === 0) progress.done("it completed the plan");
else {
  progress.fail();
  process.stdout.write(`${[...wrongs, `all about it: ${file}`].join("\n")}\n`);
}
process.exit(wrongs.length === 0 ? 0 : 1); // programs that were ended may keep this process
