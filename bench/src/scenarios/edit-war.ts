// Another client changes a field once or ten times per second. Counts the operator's writes before and after the pause.

import type { KubeObject } from "@virt/api";
import { ok } from "../advisor-cluster.ts";
import { checkPath, converged, forgetAll, preparePlatform, startPlatform } from "../platform-cluster.ts";
import { cpuMsOf } from "../process-figures.ts";
import { countByVerb, requestsIn } from "../requests-from-audit.ts";
import { type Measured, ourAccount, type Rig, type Scenario } from "../scenario.ts";
import { pause } from "../wait.ts";

/** How long the client keeps editing. The fifth correction comes 15 s after the first, and the next edit pauses the object. */
const warMs = { quick: 20_000, usual: 60_000, full: 60_000 };
const paces = [
  { name: "at 1 Hz", everyMs: 1_000 },
  { name: "at 10 Hz", everyMs: 100 },
];

async function measure(rig: Rig): Promise<Measured> {
  const wars: War[] = [];
  for (const pace of paces) wars.push(await war(rig, pace));
  return {
    samples: Object.assign({}, ...wars.map(({ samples }) => samples)) as Measured["samples"],
    requests: countByVerb(wars.flatMap(({ requests }) => requests)),
  };
}

type War = { readonly samples: Measured["samples"]; readonly requests: ReturnType<typeof requestsIn> };

async function war(rig: Rig, { name, everyMs }: (typeof paces)[number]): Promise<War> {
  const { api, size, say } = rig;
  await forgetAll(api);
  await using operator = startPlatform(rig);
  await converged(api);
  const before = cpuMsOf(operator.pid);
  const from = new Date();
  const begun = performance.now();
  let pausedAt: Date | undefined;
  for (let at = 0; at * everyMs < warMs[size]; at++) {
    await pause(Math.max(0, begun + at * everyMs - performance.now()));
    say(`${name}: edit ${at + 1}`);
    const body = { spec: { minHealthy: `${20 + (at % 20)}%` } };
    const answer = await api.request({ method: "PATCH", path: `${checkPath}?fieldManager=stubborn`, body });
    ok(answer);
    if (isPaused(answer.body as KubeObject)) pausedAt ??= new Date();
  }
  const until = new Date();
  const requests = requestsIn(api.audit(), { account: ourAccount, from, until });
  const about = requests.filter(({ requestURI, verb }) => requestURI.startsWith(checkPath) && verb !== "watch");
  const writes = about.filter(
    ({ requestURI, responseStatus }) => !requestURI.includes("dryRun") && responseStatus?.code === 200,
  );
  const late = about.filter(
    ({ requestReceivedTimestamp }) =>
      pausedAt !== undefined && Date.parse(requestReceivedTimestamp) > pausedAt.getTime(),
  );
  return {
    samples: {
      [`writes ${name}`]: [writes.length],
      [`requests ${name}`]: [about.length],
      [`requests while paused ${name}`]: [late.length],
      [`time to the pause ${name}`]: pausedAt === undefined ? [] : [(pausedAt.getTime() - from.getTime()) / 1_000],
      [`CPU ${name}`]: [cpuMsOf(operator.pid) - before],
    },
    requests,
  };
}

function isPaused({ metadata }: KubeObject): boolean {
  return metadata.annotations?.["platform.kubevirt.io/reconcile-paused"] === "true";
}

export const editWar: Scenario = {
  name: "edit-war",
  says: "an opponent changes one owned field once, then ten times a second and never gives in",
  isQuick: false,
  perRound: 1,
  figures: paces.flatMap(({ name }) => [
    {
      name: `writes ${name}`,
      unit: "count",
      goal: { is: "at most", value: 6, isExact: true },
      peer: "go-autopilot-war",
    },
    { name: `requests ${name}`, unit: "count", peer: "go-autopilot-war" },
    { name: `requests while paused ${name}`, unit: "count", goal: { is: "at most", value: 0, isExact: true } },
    { name: `time to the pause ${name}`, unit: "s", goal: { is: "at most", value: 60, isExact: true } },
    { name: `CPU ${name}`, unit: "ms", peer: "go-autopilot-war" },
  ]),
  prepare: preparePlatform,
  measure,
};
