// `make campaign`: fault trials on the real API server, chosen by a seed; the last word is campaign.json.

import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCampaign, type Verdict } from "../../test/campaign/campaign.ts";
import { folder } from "../../test/campaign/left-behind.ts";
import { startProgress } from "../progress.ts";
import { chooseTrials } from "./choose.ts";

const { PLANS = "", SEED = randomUUID(), KIND = "", SITES = "6" } = process.env;

const progress = startProgress(`campaign, SEED=${SEED}`, process.stderr);
const verdicts: Verdict[] = [];
const failures = () => verdicts.filter(({ wrongs }) => wrongs.length > 0).length;
const start = performance.now();

function told(verdict: Verdict, all: number): void {
  verdicts.push(verdict);
  const { trial, wrongs, file } = verdict;
  if (wrongs.length > 0)
    process.stderr.write(`\n${[trial.name, ...wrongs, `make replay PLAN=${file}`].join("\n  ")}\n`);
  const perMinute = (verdicts.length * 60_000) / (performance.now() - start);
  const left = Math.ceil((all - verdicts.length) / perMinute);
  progress.update(
    `${verdicts.length} of ${all} done, ${failures()} failed, ${perMinute.toFixed(0)} a minute, ${left} min left`,
  );
}

await runCampaign({
  sites: Number(SITES),
  choose: (trials) =>
    chooseTrials(
      trials.filter(({ kind }) => KIND === "" || kind === KIND),
      { seed: SEED, ...(PLANS !== "" && { count: Number(PLANS) }) },
    ),
  onVerdict: told,
});
mkdirSync(folder, { recursive: true });
const results = verdicts.map(({ trial, wrongs, tookMs }) => ({
  ...trial,
  passed: wrongs.length === 0,
  wrongs,
  tookMs,
}));
const report = { schemaVersion: 1, workload: "load-aware", seed: SEED, versions: { node: process.version }, results };
writeFileSync(join(folder, "campaign.json"), `${JSON.stringify(report, null, 2)}\n`);
if (failures() === 0) progress.done(`${verdicts.length} trials`);
else progress.fail();
process.stdout.write(`${verdicts.length - failures()} passed, ${failures()} failed\n`);
process.exit(failures() === 0 ? 0 : 1); // programs that were ended may keep this process
