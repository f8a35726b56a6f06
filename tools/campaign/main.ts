// `make campaign`: runs fault trials on the real API server, chosen by a seed, and writes campaign.json.

import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCampaign, type TrialResult } from "../../test/campaign/campaign.ts";
import { chooseTrials } from "../../test/campaign/choose-trials.ts";
import { failedTrialsFolder } from "../../test/campaign/failed-trials.ts";
import { startProgress } from "../progress.ts";

const { PLANS = "", SEED = randomUUID(), KIND = "", SITES = "6" } = process.env;

const progress = startProgress(`campaign, SEED=${SEED}`, process.stderr);
const trialResults: TrialResult[] = [];
const failures = () => trialResults.filter(({ violations }) => violations.length > 0).length;
const start = performance.now();

function reports(result: TrialResult, all: number): void {
  trialResults.push(result);
  const { trial, violations, file } = result;
  if (violations.length > 0)
    process.stderr.write(`\n${[trial.name, ...violations, `make replay PLAN=${file}`].join("\n  ")}\n`);
  const perMinute = (trialResults.length * 60_000) / (performance.now() - start);
  const left = Math.ceil((all - trialResults.length) / perMinute);
  progress.update(
    `${trialResults.length} of ${all} done, ${failures()} failed, ${perMinute.toFixed(0)} a minute, ${left} min left`,
  );
}

await runCampaign({
  clusters: Number(SITES),
  choose: (trials) =>
    chooseTrials(
      trials.filter(({ kind }) => KIND === "" || kind === KIND),
      { seed: SEED, ...(PLANS !== "" && { count: Number(PLANS) }) },
    ),
  onResult: reports,
});
mkdirSync(failedTrialsFolder, { recursive: true });
const results = trialResults.map(({ trial, violations, tookMs }) => ({
  ...trial,
  passed: violations.length === 0,
  violations,
  tookMs,
}));
const report = { schemaVersion: 1, workload: "load-aware", seed: SEED, versions: { node: process.version }, results };
writeFileSync(join(failedTrialsFolder, "campaign.json"), `${JSON.stringify(report, null, 2)}\n`);
if (failures() === 0) progress.done(`${trialResults.length} trials`);
else progress.fail();
process.stdout.write(`${trialResults.length - failures()} passed, ${failures()} failed\n`);
process.exit(failures() === 0 ? 0 : 1); // pipes of killed programs can keep this process alive
