// The fault slice of CI: every single fault that a plan-review-apply run of the load-aware profile can suffer.

import { beforeAll, expect, test } from "vitest";
import { runCampaign, type Verdict } from "./campaign.ts";
import type { Kind } from "./trials.ts";

const hangsAfterMs = 30 * 60_000;
let verdicts: readonly Verdict[];

beforeAll(async () => {
  const start = performance.now();
  verdicts = await runCampaign({ sites: 6 });
  const seconds = Math.round((performance.now() - start) / 1000);
  process.stdout.write(`fault slice: ${verdicts.length} runs in ${seconds} s\n`);
}, hangsAfterMs);

const struck = (kind: Kind) => verdicts.filter(({ trial }) => trial.kind === kind);

const cases: readonly { readonly kind: Kind; readonly reason: string }[] = [
  { kind: "kill", reason: "killed before or after any write" },
  { kind: "lost answer", reason: "not told of any one write that was done" },
  { kind: "500", reason: "told 500 at any one request" },
  { kind: "503", reason: "told 503 at any one request" },
  { kind: "429", reason: "told 429 at any one request" },
  { kind: "reset", reason: "cut off at any one request" },
  { kind: "stall", reason: "left without an answer at one request of any shape" },
  { kind: "twice", reason: "told 500 at any read, and again when it reads again" },
];

test.each(cases)("$reason, it completes the plan, applies each item once, and nothing unreviewed", ({ kind }) => {
  expect(struck(kind)).not.toEqual([]);
  const failed = struck(kind).filter(({ wrongs }) => wrongs.length > 0);
  const told = failed.map(({ trial, wrongs, file }) => [trial.name, ...wrongs, `make replay PLAN=${file}`]);
  expect(told).toEqual([]);
});

test("no write of the run is left out: each target once, and a status at every step", () => {
  const written = struck("kill").flatMap(({ trial: { name } }) => name.split("crash-before at write ")[1] ?? []);
  const status = "update virtplatformconfigs.advisor.kubevirt.io/status load-aware-rebalancing";
  expect(written).toEqual(
    expect.arrayContaining([
      "1: apply kubedeschedulers.operator.openshift.io openshift-kube-descheduler-operator/cluster",
      "1: apply machineconfigs.machineconfiguration.openshift.io 99-worker-psi-karg",
      // Drafting, ReviewRequired, InProgress, one item, the other, and three for the rollout
      ...[1, 2, 3, 4, 5, 6, 7, 8].map((number) => `${number}: ${status}`),
    ]),
  );
});
