// Changes many objects while the operator is stopped, and measures the time to correct all of them.

import type { AuditEvent } from "@virt/testkit";
import { namespace } from "../../programs/storm-objects.ts";
import { openMetrics, quiet } from "../own-metrics.ts";
import { percentile } from "../percentiles.ts";
import { cpuMsOf, memoryOf } from "../process-figures.ts";
import { rawPairs } from "../raw-pairs.ts";
import { countByVerb, isUpkeep, requestsIn } from "../requests-from-audit.ts";
import { type Measured, ourAccount, type Rig, type Scenario } from "../scenario.ts";
import { allGolden, driftAll, prepareStorm, startStorm } from "../storm-cluster.ts";

const counts = { quick: 200, usual: 1_000, full: 1_000 };
const pairs = { quick: 200, usual: 400, full: 1_000 };
const limitMs = 180_000;

async function measure(rig: Rig): Promise<Measured> {
  const { api, say, size } = rig;
  const objects = counts[size];
  const floor = api.user("floor", ["system:masters"]);
  const metrics = await openMetrics();
  await using operator = startStorm(rig, metrics, objects);
  say(`waiting for ${objects} objects`);
  await allGolden(api, objects, limitMs);
  await quiet(metrics, limitMs);
  say("raw pairs");
  const before = await rawPairs(floor, pairs[size]);
  await operator.delays(); // discards the delays during startup
  say(`changing ${objects} objects`);
  const { from, frozenMs } = await whileFrozen(operator, () => driftAll(api, objects));
  const cpu = cpuMsOf(operator.pid);
  say("waiting until all are right");
  await allGolden(api, objects, limitMs);
  const delays = withoutFreeze(await operator.delays(), frozenMs);
  const cpuMs = cpuMsOf(operator.pid) - cpu;
  const requests = requestsIn(api.audit(), { account: ourAccount, from, until: new Date() });
  say("raw pairs");
  const floors = (before + (await rawPairs(floor, pairs[size]))) / 2;
  const rate = (objects * 1_000) / (lastAnswer(requests) - from.getTime());
  return {
    samples: {
      "corrected a second": [rate],
      "raw pairs a second": [floors],
      "of raw pairs": [rate / floors],
      "requests for each": [requests.filter(isAboutStorm).length / objects],
      "CPU for each": [cpuMs / objects],
      "event loop delay, p99.9": [percentile(delays, 0.999)],
      "event loop delay, longest": [percentile(delays, 1)],
      "peak RSS": [memoryOf(operator.pid).peakMb],
    },
    requests: countByVerb(requests),
  };
}

type Frozen = { readonly from: Date; readonly frozenMs: number };
type Stoppable = { readonly process: { readonly kill: (signal: "SIGSTOP" | "SIGCONT") => boolean } };

/** Stops the process during `act`, so that it sees all changes at once afterwards. */
async function whileFrozen({ process }: Stoppable, act: () => Promise<void>): Promise<Frozen> {
  const start = performance.now();
  process.kill("SIGSTOP");
  await act();
  process.kill("SIGCONT");
  return { from: new Date(), frozenMs: performance.now() - start };
}

/**
 * Subtracts the time for which the process was stopped from the longest delay. The rest is how long the new events
 * blocked the event loop.
 */
function withoutFreeze(delays: readonly number[], frozenMs: number): readonly number[] {
  const longest = percentile(delays, 1);
  return delays.map((delay) => (delay === longest ? Math.max(0, delay - frozenMs) : delay));
}

const isAboutStorm = (event: AuditEvent): boolean => !isUpkeep(event) && event.objectRef?.namespace === namespace;

function lastAnswer(requests: readonly AuditEvent[]): number {
  const writes = requests.filter((event) => isAboutStorm(event) && !event.requestURI.includes("dryRun"));
  return Math.max(...writes.map(({ stageTimestamp }) => Date.parse(stageTimestamp ?? "")));
}

export const storm: Scenario = {
  name: "storm",
  says: "all of 1,000 objects of eight kinds (200 in a quick run) are changed at once; the floor corrects four at a time",
  isQuick: false,
  perRound: 1,
  figures: [
    { name: "corrected a second", unit: "/s", peer: "flux-storm" },
    { name: "raw pairs a second", unit: "/s" },
    { name: "of raw pairs", unit: "×", goal: { is: "at least", value: 0.4, isExact: false } },
    { name: "requests for each", unit: "count", goal: { is: "at most", value: 2, isExact: true } },
    { name: "CPU for each", unit: "ms" },
    { name: "event loop delay, p99.9", unit: "ms" },
    { name: "event loop delay, longest", unit: "ms" },
    { name: "peak RSS", unit: "MB" },
  ],
  prepare: prepareStorm,
  measure,
};
