// Measures the platform controller in a cluster with 5,000 nodes whose kubelets send 17 status updates per second.

import { inParallel } from "../config-maps.ts";
import { addDevice, beat, createNodes, removeNodes } from "../nodes.ts";
import { openMetrics, quiet } from "../own-metrics.ts";
import { converged, forgetAll, preparePlatform, startPlatform } from "../platform-cluster.ts";
import { cpuMsOf, memoryOf } from "../process-figures.ts";
import { countByVerb, isUpkeep, requestsIn } from "../requests-from-audit.ts";
import { type Measured, ourAccount, type Rig, type Scenario } from "../scenario.ts";
import { pause, timed, until } from "../wait.ts";

const counts = { quick: 500, usual: 5_000, full: 5_000 };
const beatsASecond = 17;
const seconds = { quick: 10, usual: 30, full: 60 };
const passthroughPath = "/apis/machineconfiguration.openshift.io/v1/machineconfigs/50-virt-pci-passthrough";
/** The operator retries discovery of missing kinds for about 13 seconds after the start. */
const settleMs = 15_000;
const limitMs = 120_000;

async function measure(rig: Rig): Promise<Measured> {
  const { api, say, size } = rig;
  const nodes = counts[size];
  const few = await settled(rig, "few nodes");
  await few.end();
  say(`creating ${nodes} nodes`);
  await createNodes(api, nodes);
  await using operator = await settled(rig, `${nodes} nodes`);
  const before = { cpuMs: cpuMsOf(operator.pid), adds: (await operator.queue()).adds };
  const from = new Date();
  for (let second = 0; second < seconds[size]; second++) {
    say(`heartbeats of second ${second + 1} of ${seconds[size]}`);
    const next = performance.now() + 1_000;
    await inParallel(beatsASecond, (at) => beat(api, (second * beatsASecond + at) % nodes));
    await pause(Math.max(0, next - performance.now()));
  }
  const cpuMs = cpuMsOf(operator.pid) - before.cpuMs;
  const reconciles = (await operator.queue()).adds - before.adds;
  const requests = requestsIn(api.audit(), { account: ourAccount, from, until: new Date() });
  const memory = memoryOf(operator.pid);
  const seenMs = await timed(() => seeDevice(rig, nodes - 1));
  await operator.end();
  await api.request({ method: "DELETE", path: passthroughPath });
  await removeNodes(api);
  return {
    samples: {
      "start to converged": [operator.startMs],
      "RSS for each node": [((operator.rssMb - few.rssMb) * 1_000) / nodes],
      "RSS with few nodes": [few.rssMb],
      RSS: [operator.rssMb],
      "RSS after the heartbeats": [memory.rssMb],
      "peak RSS": [memory.peakMb],
      "reconciles for heartbeats": [reconciles],
      "requests for heartbeats": [requests.filter((event) => !isUpkeep(event)).length],
      "CPU a second": [cpuMs / seconds[size]],
      "device to object": [seenMs],
    },
    requests: countByVerb(requests),
  };
}

async function seeDevice({ api, say }: Rig, at: number): Promise<void> {
  say("waiting for what a device brings");
  await addDevice(api, at);
  const isThere = async () => (await api.request({ path: passthroughPath })).status === 200;
  await until("the device was seen", limitMs, isThere);
}

async function settled(rig: Rig, among: string) {
  const metrics = await openMetrics();
  await forgetAll(rig.api);
  const operator = startPlatform(rig, { flags: metrics.flags });
  const startMs = await timed(() => converged(rig.api));
  rig.say(`letting it settle among ${among}`);
  await pause(settleMs);
  await quiet(metrics, limitMs);
  return { ...operator, startMs, queue: metrics.queue, rssMb: memoryOf(operator.pid).rssMb };
}

export const nodes5000: Scenario = {
  name: "nodes-5000",
  says: "5,000 nodes (500 in a quick run) with heartbeats at 17 a second, which change nothing that any asset reads; then a device",
  isQuick: false,
  perRound: 1,
  figures: [
    { name: "start to converged", unit: "ms" },
    // RSS varies by about a megabyte, which is too noisy for the small number of nodes in a quick run.
    { name: "RSS for each node", unit: "kB", goal: { is: "at most", value: 2, isExact: true }, isLong: true },
    { name: "RSS with few nodes", unit: "MB" },
    { name: "RSS", unit: "MB", peer: "go-autopilot-nodes" },
    { name: "RSS after the heartbeats", unit: "MB" },
    { name: "peak RSS", unit: "MB" },
    { name: "reconciles for heartbeats", unit: "count", goal: { is: "at most", value: 0, isExact: true } },
    { name: "requests for heartbeats", unit: "count", goal: { is: "at most", value: 0, isExact: true } },
    { name: "CPU a second", unit: "ms" },
    { name: "device to object", unit: "ms" },
  ],
  prepare: preparePlatform,
  measure,
};
