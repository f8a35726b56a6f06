import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inRepository } from "@virt/testkit";
import type { TrialRun } from "./run-trial.ts";
import type { Trial } from "./trials.ts";

export const failedTrialsFolder = inRepository(".make", "campaign");

/** Writes the trial, its violations, requests, operator logs and audit log. */
export function saveFailedTrial(trial: Trial, { violations, trace, audit, logs, state }: TrialRun): string {
  mkdirSync(failedTrialsFolder, { recursive: true });
  const file = join(failedTrialsFolder, `${trial.name.replace(/[^A-Za-z0-9.-]+/g, "-")}.json`);
  writeFileSync(file, `${JSON.stringify({ trial, violations, state, trace, logs, audit }, null, 2)}\n`);
  return file;
}

export function readTrial(file: string): Trial {
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly trial: Trial }).trial;
}
