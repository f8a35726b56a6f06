// Runs one trial on a site, from a clean cluster to the quiet after its end, and says what was wrong.

import type { AuditEvent, Plan, Traced } from "@virt/testkit";
import type { Line } from "../world/program.ts";
import { type EndState, endState } from "./end-state.ts";
import { judge } from "./judge.ts";
import { untilQuiet } from "./quiet.ts";
import type { Site, Stage } from "./site.ts";
import { playLoadAware } from "./workload.ts";

export type Run = {
  /** What is wrong; empty if nothing is. */
  readonly wrongs: readonly string[];
  /** Whether a plan has struck. Behind the first fault a run is another one, and may never come to the second. */
  readonly isStruck: boolean;
  readonly state: EndState;
  readonly trace: readonly Traced[];
  readonly audit: readonly AuditEvent[];
  readonly logs: readonly (readonly Line[])[];
};

export type Given = {
  /** None in a reference run. */
  readonly plans: readonly Plan[];
  /** What a run without a fault has left behind. */
  readonly reference?: EndState;
};

export async function runTrial(site: Site, { plans, reference }: Given): Promise<Run> {
  const stage = await site.prepare();
  const armed = plans.map((plan) => stage.proxy.arm(plan));
  const troubles = [...(await trouble(() => playLoadAware(site, stage))), ...(await trouble(() => untilQuiet(site)))];
  const state = await endState(site);
  const audit = site.audit.events();
  const judged = judge({ audit, state, operators: stage.operators }, reference);
  const trace = stage.proxy.trace();
  const ending = await trouble(stage.end);
  const wrongs = [...troubles, ...judged, ...ending];
  return { wrongs, isStruck: armed.some((hasFired) => hasFired()), state, trace, audit, logs: logsOf(stage) };
}

async function trouble(work: () => Promise<unknown>): Promise<readonly string[]> {
  try {
    await work();
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

function logsOf({ operators }: Stage): Run["logs"] {
  return operators.map(({ log }) => log);
}
