// Runs the same workload with @kubernetes/client-node and with our runtime. The results justify our own runtime.

import type { Report } from "../../programs/protocol.ts";
import { type Child, startChild } from "../child.ts";
import { createNamespace, createObjects, objectName } from "../config-maps.ts";
import { cpuMsOf, memoryOf } from "../process-figures.ts";
import { type ReplayServer, startReplay } from "../replay-server.ts";
import { countByVerb, requestsIn } from "../requests-from-audit.ts";
import { type Measured, ourAccount, type Rig, type Scenario } from "../scenario.ts";
import { bothFigures, bothSamples, type Compared, type Side, sides, type Values } from "../side-by-side.ts";
import { patience, pause, timed } from "../wait.ts";

const namespace = "against";
const objects = 5_000;
const events = 20_000;
const reads = 200;
const settleMs = 3_000;
/** The measurement gives up after this time. */
const patienceMs = 90_000;

/** Measures start, 200 sequential requests and idle memory on the real API server. */
async function measureRequests({ api, ours }: Rig, side: Side): Promise<Values> {
  const actor = side === "ours" ? ours : api.user(side, ["system:masters"]);
  const start = performance.now();
  await using child = startChild(side, { KUBECONFIG: actor.kubeconfig, NAMESPACE: namespace });
  const read = (times: number) => child.ask<{ wholeMs: number }>({ do: "read", name: objectName(0), times, atOnce: 1 });
  await read(1);
  const startMs = performance.now() - start;
  const cpuBefore = cpuMsOf(child.pid);
  const { wholeMs } = await read(reads);
  const cpuMs = cpuMsOf(child.pid) - cpuBefore;
  await child.ask({ do: "follow" });
  await pause(settleMs);
  return {
    "start to first answer": startMs,
    "one of 200 GETs": wholeMs / reads,
    "CPU of 200 GETs": cpuMs,
    "idle RSS": memoryOf(child.pid).rssMb,
  };
}

/** Measures event processing on the replay server. Both sides receive the same bytes as fast as they read them. */
async function measureEvents({ api }: Rig, side: Side): Promise<Values> {
  await using replay = await startReplay(api.folder, objects);
  await using child = startChild(side, { KUBECONFIG: replay.kubeconfig });
  await child.ask({ do: "follow" });
  const before = await child.ask<Report>({ do: "report" });
  const burstMs = await timed(() => child.ask({ do: "await", ...replay.send(events) }));
  const burst = { ...memoryOf(child.pid), cpuMs: cpuMsOf(child.pid) };
  const after = await child.ask<Report>({ do: "report" });
  const { lost, brokenMs } = await measureBreak(replay, child, after);
  return {
    "20,000 events": burstMs,
    "peak RSS": burst.peakMb,
    "CPU of list and events": burst.cpuMs,
    "events lost": events - (after.notifications - before.notifications) + lost,
    "broken stream to right again": brokenMs,
  };
}

async function measureBreak(replay: ReplayServer, child: Child, before: Report) {
  const count = 2_000;
  const broken = replay.breakAfter(count / 2);
  const last = replay.send(count);
  await broken;
  const brokenMs = await timed(() => child.ask({ do: "await", ...last }));
  const after = await child.ask<Report>({ do: "report" });
  const isRight = after.digest === replay.digest();
  return { brokenMs, lost: isRight ? count - (after.notifications - before.notifications) : count };
}

async function measureSilence({ api }: Rig): Promise<Readonly<Record<Side, number>>> {
  await using replay = await startReplay(api.folder, 10);
  await using own = startChild("ours", { KUBECONFIG: replay.kubeconfig });
  await using theirs = startChild("client-node", { KUBECONFIG: replay.kubeconfig });
  for (const child of [own, theirs]) await child.ask({ do: "follow" });
  replay.freeze();
  const last = replay.send(1);
  const noticed = (child: Child) =>
    timed(() => Promise.race([child.ask({ do: "await", ...last }), patience(patienceMs)]));
  const [ownMs, theirMs] = await Promise.all([noticed(own), noticed(theirs)]);
  return { ours: ownMs / 1000, "client-node": theirMs / 1000 };
}

async function measure(rig: Rig): Promise<Measured> {
  const from = new Date();
  const bySide = new Map<Side, Values>();
  for (const side of sides) {
    rig.say(`requests of ${side}`);
    const requests = await measureRequests(rig, side);
    rig.say(`events of ${side}`);
    bySide.set(side, { ...requests, ...(await measureEvents(rig, side)) });
  }
  if (rig.size !== "quick") {
    rig.say("a silent stream for both");
    const silence = await measureSilence(rig);
    for (const side of sides) bySide.set(side, { ...bySide.get(side), "silence to right again": silence[side] });
  }
  return {
    samples: Object.fromEntries(compared.flatMap(({ name }) => bothSamples(name, bySide))),
    requests: countByVerb(requestsIn(rig.api.audit(), { account: ourAccount, from, until: new Date() })),
  };
}

const nothingLost = { is: "at most", value: 0, isExact: true } as const;
const peak = { is: "at most", value: 200, isExact: true } as const;
const noticed = { is: "at most", value: 40, isExact: false } as const;

const compared: readonly Compared[] = [
  { name: "start to first answer", unit: "ms", isGated: true },
  { name: "one of 200 GETs", unit: "ms", isGated: true },
  { name: "CPU of 200 GETs", unit: "ms", isGated: true },
  { name: "idle RSS", unit: "MB", isGated: true },
  { name: "20,000 events", unit: "ms", isGated: false },
  { name: "peak RSS", unit: "MB", goal: peak, isGated: true },
  { name: "CPU of list and events", unit: "ms", isGated: false },
  { name: "events lost", unit: "count", goal: nothingLost, isGated: false },
  { name: "broken stream to right again", unit: "ms", isGated: true },
  { name: "silence to right again", unit: "s", goal: noticed, isGated: false, isLong: true },
];

export const againstClientNode: Scenario = {
  name: "against-client-node",
  says: "the same work with @kubernetes/client-node 2.0.1 and with ours, each bundled and in a process of its own",
  isQuick: true,
  perRound: 1,
  figures: compared.flatMap(bothFigures),
  prepare: async ({ api }) => {
    await createNamespace(api, namespace);
    await createObjects(api, namespace, 10);
  },
  measure,
};
