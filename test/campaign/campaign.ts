// Runs many trials on several sites at once: runs without a fault first, then the trials that they give rise to.

import type { EndState } from "./end-state.ts";
import { leaveBehind } from "./left-behind.ts";
import { type Run, runTrial } from "./run-trial.ts";
import { openSite, type Site } from "./site.ts";
import { type Trial, trialsOf } from "./trials.ts";

export type Verdict = {
  readonly trial: Trial;
  /** Empty if all is well. */
  readonly wrongs: readonly string[];
  readonly tookMs: number;
  /** Where a failed trial lies. */
  readonly file?: string;
};

export type Wishes = {
  readonly sites: number;
  /** Which trials; all where it is not given. */
  readonly choose?: (trials: readonly Trial[]) => readonly Trial[];
  readonly onVerdict?: (verdict: Verdict, all: number) => void;
};

/** Rejects if a run without any fault goes wrong: then nothing has been proved. */
export async function runCampaign({ sites: count, choose, onVerdict }: Wishes): Promise<readonly Verdict[]> {
  await using sites = await openSites(count);
  const references = await Promise.all(sites.all.map(referenceOn));
  const found = trialsOf(references.map(({ trace }) => trace));
  const trials = choose?.(found) ?? found;
  const state = references[0]?.state ?? {};
  const verdicts: Verdict[] = [];
  const queues = queuesOf(trials);
  const work = async (site: Site, at: number) => {
    for (const queue of at % 2 === 0 ? queues : queues.toReversed()) {
      for (const trial of queue) {
        const verdict = await verdictOn(site, trial, state);
        verdicts.push(verdict);
        onVerdict?.(verdict, trials.length);
      }
    }
  };
  await Promise.all(sites.all.map(work));
  return verdicts;
}

/** A stall keeps its site waiting for half a minute: half of the sites begin with them, while the others keep the machine busy. */
function queuesOf(trials: readonly Trial[]): readonly Iterable<Trial>[] {
  const isSlow = ({ kind }: Trial) => kind === "stall";
  // Iterators: what one site has taken no other one gets.
  return [trials.filter(isSlow).values(), trials.filter((trial) => !isSlow(trial)).values()];
}

async function openSites(count: number) {
  const all = await Promise.all(Array.from({ length: count }, openSite));
  const close = async () => void (await Promise.all(all.map((site) => site[Symbol.asyncDispose]())));
  return { all, [Symbol.asyncDispose]: close };
}

export async function referenceOn(site: Site): Promise<Run> {
  const run = await runTrial(site, { plans: [] });
  if (run.wrongs.length > 0) throw new Error(`a run without a fault went wrong: ${run.wrongs.join("; ")}`);
  return run;
}

/** Some requests are made in most runs only: a run that made its own too seldom says nothing, and is drawn again. */
const mostDraws = 4;

export async function verdictOn(site: Site, trial: Trial, reference: EndState): Promise<Verdict> {
  const start = performance.now();
  const given = { plans: trial.plans, reference };
  let run = await runTrial(site, given);
  for (let draw = 1; !run.isStruck && run.wrongs.length === 0 && draw < mostDraws; draw++)
    run = await runTrial(site, given);
  const wrongs = run.isStruck ? run.wrongs : [...run.wrongs, "found no request to strike"];
  const tookMs = Math.round(performance.now() - start);
  if (wrongs.length === 0) return { trial, wrongs, tookMs };
  return { trial, wrongs, tookMs, file: leaveBehind(trial, { ...run, wrongs }) };
}
