// One owned field is changed, and corrected; then annotations that nobody reads are changed.

import { ok } from "../advisor-world.ts";
import { lookOn, type Onlooker } from "../onlooker.ts";
import { checkPath, converged, hcoPath, preparePlatform, startPlatform } from "../platform-world.ts";
import { cpuMsOf } from "../process-figures.ts";
import { countByVerb, isUpkeep, requestsIn } from "../requests-from-audit.ts";
import { type Measured, ourAccount, type Rig, type Scenario } from "../scenario.ts";
import { pause } from "../wait.ts";

const times = { quick: 8, usual: 8, full: 50 };
const golden = "51%";
/** Corrections that an object has without waiting. */
const bucket = 8;
/** Kinds that are not served are looked for again as long after a CRD came. */
const newsMs = 15_000;

async function measure(rig: Rig): Promise<Measured> {
  const { api, say, size } = rig;
  await using operator = startPlatform(rig);
  await converged(api);
  say("letting it settle");
  await using onlooker = lookOn(api, { path: checkPath, field: "minHealthy" });
  await onlooker.seen(golden);
  await pause(newsMs);
  const drifts: Drift[] = [];
  for (let at = 0; at < times[size]; at++) {
    say(`drift ${at + 1} of ${times[size]}`);
    drifts.push(await drift(rig, onlooker, at));
  }
  say("edits that do not matter");
  const before = cpuMsOf(operator.pid);
  const edits = await irrelevantEdits(rig, times[size]);
  const cpuMs = cpuMsOf(operator.pid) - before;
  const audit = api.audit();
  const work = (window: Window) =>
    requestsIn(audit, { account: ourAccount, ...window }).filter(
      (event) => !isUpkeep(event) && !/\/events|virt-platform-operator-report/.test(event.requestURI),
    );
  return {
    samples: {
      "seen to corrected": drifts.map(({ correctedMs }) => correctedMs),
      "the same, in time": drifts.map(({ correctedMs }) => correctedMs),
      "requests for a drift": drifts.map((window) => work(window).length),
      "requests for edits that do not matter": [work(edits).length],
      "CPU for each of them": [cpuMs / times[size]],
    },
    requests: countByVerb(drifts.flatMap(work)),
  };
}

type Drift = Window & { readonly correctedMs: number };
type Window = { readonly from: Date; readonly until: Date };

/** Another manager each time: the same one would be fought with more and more patience. */
async function drift({ api }: Rig, onlooker: Onlooker, at: number): Promise<Drift> {
  const from = new Date();
  const body = { spec: { minHealthy: `${20 + (at % 20)}%` } };
  const path = `${checkPath}?fieldManager=bench-${from.getTime()}`;
  ok(await api.request({ method: "PATCH", path, body }));
  const sights = await onlooker.seen(golden);
  const bad = sights.find(({ value }) => value !== golden);
  await pause(500); // its events are written, too
  if (at >= bucket) await pause(6_500); // until a token comes back
  return { from, until: new Date(), correctedMs: (sights.at(-1)?.at ?? Number.NaN) - (bad?.at ?? Number.NaN) };
}

async function irrelevantEdits({ api }: Rig, count: number): Promise<Window> {
  const from = new Date();
  for (let at = 0; at < count; at++) {
    const annotations = { "example.com/tick": `${at}` };
    ok(await api.request({ method: "PATCH", path: hcoPath, body: { metadata: { annotations } } }));
  }
  await pause(1_000);
  return { from, until: new Date() };
}

const check = {
  apiVersion: "remediation.medik8s.io/v1alpha1",
  kind: "NodeHealthCheck",
  metadata: { name: "virt-node-health-check" },
};

/** The floor is that of the very object, while nobody keeps it. */
async function prepare(rig: Rig): Promise<void> {
  await preparePlatform(rig);
  const operator = startPlatform(rig);
  await converged(rig.api);
  await operator.end();
}

export const correctedDrift: Scenario = {
  name: "drift",
  says: "one owned field is changed again and again by different managers, then what nobody reads",
  isQuick: false,
  perRound: 1,
  figures: [
    {
      name: "seen to corrected",
      unit: "ms",
      floor: "change",
      goal: { is: "at most", value: 3, isExact: false, ofRatio: true, by: "p50" },
      peer: "go-autopilot-drift",
    },
    {
      name: "the same, in time",
      unit: "ms",
      goal: { is: "at most", value: 15, isExact: false, by: "p50" },
    },
    {
      name: "requests for a drift",
      unit: "count",
      goal: { is: "at most", value: 2, isExact: true },
      peer: "go-autopilot-drift",
    },
    {
      name: "requests for edits that do not matter",
      unit: "count",
      goal: { is: "at most", value: 0, isExact: true },
      peer: "go-autopilot-edit",
    },
    { name: "CPU for each of them", unit: "ms" },
  ],
  floorOn: {
    path: checkPath,
    withValue: (value) => ({ ...check, metadata: { ...check.metadata, labels: { "bench.example.com/floor": value } } }),
  },
  prepare,
  measure,
};
