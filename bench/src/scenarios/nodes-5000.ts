// 5,000 nodes whose kubelets report 17 times a second: what the platform controller pays for them.

import { ok } from "../advisor-world.ts";
import { inParallel } from "../config-maps.ts";
import { converged, preparePlatform, startPlatform } from "../platform-world.ts";
import { cpuMsOf, memoryOf } from "../process-figures.ts";
import { countByVerb, isUpkeep, requestsIn } from "../requests-from-audit.ts";
import { type Measured, ourAccount, type Rig, type Scenario } from "../scenario.ts";
import { pause } from "../wait.ts";

const nodes = 5_000;
const beatsASecond = 17;
const seconds = { quick: 10, usual: 60, full: 60 };
const settleMs = 10_000;

async function measure(rig: Rig): Promise<Measured> {
  const { api, say, size } = rig;
  await using operator = startPlatform(rig);
  await converged(api);
  say("letting it settle");
  await pause(settleMs);
  const { rssMb } = memoryOf(operator.pid);
  const before = cpuMsOf(operator.pid);
  const from = new Date();
  for (let second = 0; second < seconds[size]; second++) {
    say(`heartbeats of second ${second + 1} of ${seconds[size]}`);
    const next = performance.now() + 1_000;
    await inParallel(beatsASecond, (at) => beat(rig, (second * beatsASecond + at) % nodes));
    await pause(Math.max(0, next - performance.now()));
  }
  const requests = requestsIn(api.audit(), { account: ourAccount, from, until: new Date() });
  return {
    samples: {
      "requests for heartbeats": [requests.filter((event) => !isUpkeep(event)).length],
      RSS: [rssMb],
      "CPU a second": [(cpuMsOf(operator.pid) - before) / seconds[size]],
    },
    requests: countByVerb(requests),
  };
}

const nameOf = (at: number) => `node-${at}`;

async function beat({ api }: Rig, at: number): Promise<void> {
  const lastHeartbeatTime = new Date().toISOString();
  const conditions = [{ type: "Ready", status: "True", reason: "KubeletReady", message: "", lastHeartbeatTime }];
  const path = `/api/v1/nodes/${nameOf(at)}/status`;
  ok(await api.request({ method: "PATCH", path, body: { status: { conditions } } }));
}

export const nodes5000: Scenario = {
  name: "nodes-5000",
  says: "5,000 nodes with heartbeats at 17 a second, and nothing of them that any asset reads changes",
  isQuick: false,
  perRound: 1,
  figures: [
    { name: "requests for heartbeats", unit: "count", goal: { is: "at most", value: 0, isExact: true } },
    { name: "RSS", unit: "MB" },
    { name: "CPU a second", unit: "ms" },
  ],
  prepare: async (rig) => {
    await preparePlatform(rig);
    rig.say(`creating ${nodes} nodes`);
    await inParallel(nodes, async (at) => {
      const metadata = { name: nameOf(at), labels: { "node-role.kubernetes.io/worker": "" } };
      ok(await rig.api.request({ method: "POST", path: "/api/v1/nodes", body: { metadata } }));
    });
  },
  measure,
};
