// Runs a slice of the campaign: the load-aware profile with a kill and a lost answer at every write, and other faults
// at requests that the commit chooses. `make campaign` applies every fault to every request.
// @module-tag thorough

import { execFileSync } from "node:child_process";
import { beforeAll, expect, test } from "vitest";
import { runCampaign, type TrialResult } from "./campaign.ts";
import { sliceOf } from "./choose-trials.ts";
import type { TrialKind } from "./trials.ts";

const seed = process.env["SEED"] ?? execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).trim();
const hangsAfterMs = 30 * 60_000;
let results: readonly TrialResult[];

beforeAll(async () => {
  const start = performance.now();
  results = await runCampaign({ clusters: 6, choose: (trials) => sliceOf(trials, seed) });
  const seconds = Math.round((performance.now() - start) / 1000);
  process.stdout.write(`fault slice, SEED=${seed}: ${results.length} runs in ${seconds} s\n`);
}, hangsAfterMs);

const struck = (kind: TrialKind) => results.filter(({ trial }) => trial.kind === kind);

const cases: readonly { readonly kind: TrialKind; readonly reason: string }[] = [
  { kind: "kill", reason: "killed before or after any write" },
  { kind: "lost answer", reason: "lost answer to a write" },
  { kind: "500", reason: "a request answered with 500" },
  { kind: "503", reason: "a request answered with 503" },
  { kind: "429", reason: "a request answered with 429" },
  { kind: "reset", reason: "a connection reset" },
  { kind: "stall", reason: "a request without an answer" },
  { kind: "twice", reason: "a read and its retry answered with 500" },
];

test.each(cases)("$reason: completes the plan, and applies each reviewed item once", ({ kind }) => {
  expect(struck(kind)).not.toEqual([]);
  const failed = struck(kind).filter(({ violations }) => violations.length > 0);
  const reports = failed.map(({ trial, violations, file }) => [trial.name, ...violations, `make replay PLAN=${file}`]);
  expect(reports).toEqual([]);
});

test("faults cover every write: each target once, and a status per step", () => {
  const written = struck("kill").flatMap(({ trial: { name } }) => name.split("crash-before at write ")[1] ?? []);
  const status = "update virtplatformconfigs.advisor.kubevirt.io/status load-aware-rebalancing";
  expect(written).toEqual(
    expect.arrayContaining([
      "1: apply kubedeschedulers.operator.openshift.io openshift-kube-descheduler-operator/cluster",
      "1: apply machineconfigs.machineconfiguration.openshift.io 99-worker-psi-karg",
      // Drafting, ReviewRequired, InProgress, one per item, and three for the rollout
      ...[1, 2, 3, 4, 5, 6, 7, 8].map((number) => `${number}: ${status}`),
    ]),
  );
});
