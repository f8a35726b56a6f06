// Measures the cost of drafting, approving and applying the load-aware plan, excluding review time and reboots.

import type { AuditEvent } from "@virt/testkit";
import { edit, loadAware, phase, prepareAdvisor, rollOut, startAdvisor, startOver } from "../advisor-cluster.ts";
import { memoryOf } from "../process-figures.ts";
import { countByVerb, isUpkeep, requestsIn } from "../requests-from-audit.ts";
import { type Measured, ourAccount, type Rig, type Scenario } from "../scenario.ts";
import { pause } from "../wait.ts";

/** How long the operator retries discovery of missing kinds after a CRD appears. */
const discoveryRetryMs = 15_000;
const times = { quick: 3, usual: 10, full: 20 };

async function measure(rig: Rig): Promise<Measured> {
  const { api, say, size } = rig;
  await using operator = await startAdvisor(rig);
  say("letting it settle");
  await startOver(api);
  await walk(rig); // warm-up: schemas and rendered configs are read once per process
  await pause(discoveryRetryMs);
  const walks: Walk[] = [];
  for (let at = 0; at < times[size]; at++) {
    say(`plan ${at + 1} of ${times[size]}`);
    await startOver(api);
    walks.push(await walk(rig));
  }
  const { rssMb } = memoryOf(operator.pid);
  const audit = api.audit();
  const costs = walks.map((window) => costOf(requestsIn(audit, { account: ourAccount, ...window })));
  const all = requestsIn(audit, { account: ourAccount, from: walks[0]?.from ?? new Date(), until: new Date() });
  await startOver(api); // so that each round starts with an ignored config
  return {
    samples: {
      requests: costs.map(({ requests }) => requests),
      "applies for each item": costs.flatMap(({ applies }) => applies),
      "events written": costs.map(({ events }) => events),
      "to the review": walks.map(({ reviewMs }) => reviewMs),
      "RSS afterwards": [rssMb],
      "to the end": walks.map(({ reviewMs, applyMs }) => reviewMs + applyMs),
    },
    requests: countByVerb(all),
  };
}

type Walk = { readonly from: Date; readonly until: Date; readonly reviewMs: number; readonly applyMs: number };

async function walk({ api }: Rig): Promise<Walk> {
  const from = new Date();
  const begun = performance.now();
  await edit(api, loadAware, { action: "DryRun" });
  const { planHash } = await phase(api, loadAware, "ReviewRequired");
  const reviewMs = performance.now() - begun;
  const approved = performance.now();
  await edit(api, loadAware, { action: "Apply", approvedPlan: planHash });
  await rollOut(api);
  await phase(api, loadAware, "Completed");
  return { from, until: new Date(), reviewMs, applyMs: performance.now() - approved };
}

const targets = ["/machineconfigs/99-worker-psi-karg", "/kubedeschedulers/cluster"];

function costOf(events: readonly AuditEvent[]) {
  const isEvent = ({ requestURI }: AuditEvent) => requestURI.includes("/events");
  const isApply = ({ verb, requestURI }: AuditEvent) => verb === "patch" && !requestURI.includes("dryRun");
  return {
    requests: events.filter((event) => !isEvent(event) && !isUpkeep(event)).length,
    events: events.filter(isEvent).length,
    applies: targets.map(
      (target) => events.filter((event) => isApply(event) && event.requestURI.includes(target)).length,
    ),
  };
}

export const planReviewApply: Scenario = {
  name: "plan-review-apply",
  says: "the two-item load-aware plan is drafted, approved by its hash and applied, without reboots",
  isQuick: true,
  perRound: 2,
  figures: [
    {
      name: "requests",
      unit: "count",
      goal: { is: "at most", value: 20, isExact: true },
      peer: "go-advisor-plan",
    },
    { name: "applies for each item", unit: "count", goal: { is: "at most", value: 1, isExact: true } },
    { name: "events written", unit: "count" },
    { name: "RSS afterwards", unit: "MB", peer: "go-advisor-memory" },
    { name: "to the review", unit: "ms", floor: "change" },
    {
      name: "to the end",
      unit: "ms",
      floor: "change",
      goal: { is: "at most", value: 40, isExact: false, ofRatio: true, by: "p50" },
      peer: "go-advisor-plan",
    },
  ],
  prepare: prepareAdvisor,
  measure,
};
