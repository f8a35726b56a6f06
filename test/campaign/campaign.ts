// Runs trials on several clusters in parallel: first fault-free runs, then the trials derived from them.

import { type CampaignCluster, openCampaignCluster } from "./campaign-cluster.ts";
import type { EndState } from "./end-state.ts";
import { saveFailedTrial } from "./failed-trials.ts";
import { runTrial, type TrialRun } from "./run-trial.ts";
import { mayFindNoRequest, type Trial, trialsOf } from "./trials.ts";

export type TrialResult = {
  readonly trial: Trial;
  /** Empty if the trial passed. */
  readonly violations: readonly string[];
  readonly tookMs: number;
  readonly file?: string;
};

export type CampaignOptions = {
  readonly clusters: number;
  /** Selects the trials. Default: all. */
  readonly choose?: (trials: readonly Trial[]) => readonly Trial[];
  readonly onResult?: (result: TrialResult, all: number) => void;
};

/** Rejects if a fault-free run fails, because then no trial proves anything. */
export async function runCampaign({
  clusters: count,
  choose,
  onResult,
}: CampaignOptions): Promise<readonly TrialResult[]> {
  await using sites = await openSites(count);
  const references = await Promise.all(sites.all.map(runReference));
  const found = trialsOf(references.map(({ trace }) => trace));
  const trials = choose?.(found) ?? found;
  const state = references[0]?.state ?? {};
  const results: TrialResult[] = [];
  const queues = queuesOf(trials);
  const work = async (cluster: CampaignCluster, at: number) => {
    for (const queue of at % 2 === 0 ? queues : queues.toReversed()) {
      for (const trial of queue) {
        const result = await evaluateTrial(cluster, trial, state);
        results.push(result);
        onResult?.(result, trials.length);
      }
    }
  };
  await Promise.all(sites.all.map(work));
  return results;
}

/** Half of the clusters start with stalls, which wait half a minute, while the others use the CPU. */
function queuesOf(trials: readonly Trial[]): readonly Iterable<Trial>[] {
  const isSlow = ({ kind }: Trial) => kind === "stall";
  // Iterators, so that each trial runs on one cluster only.
  return [trials.filter(isSlow).values(), trials.filter((trial) => !isSlow(trial)).values()];
}

async function openSites(count: number) {
  const all = await Promise.all(Array.from({ length: count }, openCampaignCluster));
  const close = async () => void (await Promise.all(all.map((cluster) => cluster[Symbol.asyncDispose]())));
  return { all, [Symbol.asyncDispose]: close };
}

export async function runReference(cluster: CampaignCluster): Promise<TrialRun> {
  const run = await runTrial(cluster, { plans: [] });
  if (run.violations.length > 0) throw new Error(`a run without faults failed: ${run.violations.join("; ")}`);
  return run;
}

/** Some requests do not occur in every run. A run without the trial's request proves nothing and is repeated. */
const mostDraws = 4;

export async function evaluateTrial(cluster: CampaignCluster, trial: Trial, reference: EndState): Promise<TrialResult> {
  const start = performance.now();
  const given = { plans: trial.plans, reference };
  let run = await runTrial(cluster, given);
  for (let draw = 1; !run.isStruck && run.violations.length === 0 && draw < mostDraws; draw++)
    run = await runTrial(cluster, given);
  const isProof = run.isStruck || mayFindNoRequest(trial);
  const violations = isProof ? run.violations : [...run.violations, "found no request to strike"];
  const tookMs = Math.round(performance.now() - start);
  if (violations.length === 0) return { trial, violations, tookMs };
  return { trial, violations, tookMs, file: saveFailedTrial(trial, { ...run, violations }) };
}
