// Measures how soon drift in an owned field is corrected, and the cost of changes to annotations that the operator
// ignores.

import { findAccess } from "@virt/kube";
import { openRaw } from "../../programs/raw-requests.ts";
import { ok } from "../advisor-cluster.ts";
import { type FieldObserver, observeField } from "../field-observer.ts";
import type { FloorSubject } from "../floor.ts";
import { percentile } from "../percentiles.ts";
import { checkPath, converged, hcoPath, preparePlatform, startPlatform } from "../platform-cluster.ts";
import { cpuMsOf } from "../process-figures.ts";
import { countByVerb, isUpkeep, requestsIn } from "../requests-from-audit.ts";
import { type Measured, ourAccount, type Rig, type Scenario } from "../scenario.ts";
import { pause, timed } from "../wait.ts";

const times = { quick: 8, usual: 8, full: 50 };
const golden = "51%";
const restMs = 500;
/** The number of corrections of an object before the rate limit applies. */
const bucket = 8;
/** How long the operator retries discovery of missing kinds after a CRD appears. */
const discoveryRetryMs = 15_000;

async function measure(rig: Rig): Promise<Measured> {
  const { api, say, size } = rig;
  await using operator = startPlatform(rig);
  await converged(api);
  say("letting it settle");
  await using observer = observeField(api, { path: checkPath, field: "minHealthy" });
  await pause(discoveryRetryMs);
  const drifts: Drift[] = [];
  const changes: number[] = [];
  for (let at = 0; at < times[size]; at++) {
    say(`drift ${at + 1} of ${times[size]}`);
    changes.push(await rawChange(rig, at));
    drifts.push(await drift(rig, observer, at));
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
  const corrected = drifts.map(({ correctedMs }) => correctedMs);
  return {
    samples: {
      "seen to corrected": corrected,
      "a raw change, after the same rest": changes,
      "corrected, of such a change": [percentile(corrected, 0.5) / percentile(changes, 0.5)],
      "requests for a drift": drifts.map((window) => work(window).length),
      "requests for edits that do not matter": [work(edits).length],
      "CPU for each of them": [cpuMs / times[size]],
    },
    requests: countByVerb(drifts.flatMap(work)),
  };
}

type Drift = Window & { readonly correctedMs: number };
type Window = { readonly from: Date; readonly until: Date };

/** Measures a raw change after a pause, because the server is idle before a drift, but busy during floor measurements. */
async function rawChange({ api }: Rig, at: number): Promise<number> {
  const raw = openRaw(findAccess({ env: {}, kubeconfig: api.user("floor", ["system:masters"]).kubeconfig }));
  const change = (value: string) =>
    raw.send("PATCH", `${checkPath}?fieldManager=floor&force=true`, JSON.stringify(floorOn.withValue(value)));
  await change(`open ${at}`);
  await pause(restMs);
  const ms = await timed(() => change(`rested ${at}`));
  raw.close();
  await pause(restMs);
  return ms;
}

/** Uses a new field manager each time, because the operator delays corrections against the same manager. */
async function drift({ api }: Rig, observer: FieldObserver, at: number): Promise<Drift> {
  const from = new Date();
  const bad = `${20 + (at % 20)}%`;
  const body = { spec: { minHealthy: bad } };
  const path = `${checkPath}?fieldManager=bench-${from.getTime()}`;
  ok(await api.request({ method: "PATCH", path, body }));
  const correctedMs = await observer.between(bad, golden);
  await pause(restMs); // until the operator has also written its events
  if (at >= bucket) await pause(6_500); // until the rate limiter has a token
  return { from, until: new Date(), correctedMs };
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

const floorOn: FloorSubject = {
  path: checkPath,
  withValue: (value) => ({
    ...check,
    metadata: { ...check.metadata, annotations: { "bench.example.com/floor": value } },
  }),
};

/** Measures the floor on the same object, before the operator manages it. */
async function prepare(rig: Rig): Promise<void> {
  await preparePlatform(rig);
  const operator = startPlatform(rig);
  await converged(rig.api);
  await operator.end();
}

export const correctedDrift: Scenario = {
  name: "drift",
  says: "different managers change one owned field repeatedly, then edit unrelated fields",
  isQuick: false,
  perRound: 1,
  figures: [
    {
      name: "seen to corrected",
      unit: "ms",
      floor: "change",
      goal: { is: "at most", value: 15, isExact: false, by: "p50" },
      peer: "go-autopilot-drift",
    },
    { name: "a raw change, after the same rest", unit: "ms" },
    {
      name: "corrected, of such a change",
      unit: "×",
      goal: { is: "at most", value: 3, isExact: false },
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
  floorOn,
  prepare,
  measure,
};
