// Measures the time from process start until all objects are applied to an empty cluster.

import { converged, forgetAll, preparePlatform, startPlatform } from "../platform-cluster.ts";
import { memoryOf } from "../process-figures.ts";
import { countByVerb, isUpkeep, requestsIn } from "../requests-from-audit.ts";
import { type Measured, ourAccount, type Rig, type Scenario } from "../scenario.ts";
import { pause, timed } from "../wait.ts";

const settleMs = 5_000;

async function measure(rig: Rig): Promise<Measured> {
  const { api, say } = rig;
  await forgetAll(api);
  const from = new Date();
  say("starting the operator");
  await using operator = startPlatform(rig);
  const startMs = await timed(() => converged(api));
  const requests = requestsIn(api.audit(), { account: ourAccount, from, until: new Date() });
  await pause(settleMs);
  const { rssMb } = memoryOf(operator.pid);
  return {
    samples: {
      "start to converged": [startMs],
      "requests beside watches": [requests.filter((event) => !isUpkeep(event)).length],
      RSS: [rssMb],
    },
    requests: countByVerb(requests),
  };
}

export const platformStart: Scenario = {
  name: "platform-start",
  says: "the platform controller starts, always active, on a cluster with three workers and no golden object",
  isQuick: true,
  perRound: 2,
  figures: [
    {
      name: "start to converged",
      unit: "ms",
      goal: { is: "at most", value: 1_500, isExact: false },
      peer: "go-autopilot-start",
    },
    { name: "requests beside watches", unit: "count" },
    { name: "RSS", unit: "MB", goal: { is: "at most", value: 95, isExact: true }, peer: "go-autopilot-memory" },
  ],
  prepare: preparePlatform,
  measure,
};
