// Measures the memory of both controllers in a cluster with many large CRDs, most of which they do not use.

import type { Server } from "@virt/testkit";
import { addBulkyCrds, bulkyBytes, removeBulkyCrds } from "../bulky-crds.ts";
import { converged, preparePlatform, startPlatform } from "../platform-cluster.ts";
import { cpuMsOf, memoryOf } from "../process-figures.ts";
import { countByVerb, isUpkeep, requestsIn } from "../requests-from-audit.ts";
import { type Measured, ourAccount, type Rig, type Scenario } from "../scenario.ts";
import { pause } from "../wait.ts";

/** `isLong` marks a cluster whose CRDs need gigabytes of memory in the API server and minutes to create. */
const clusters = [
  { crds: 27, goalMb: 95, isLong: false },
  { crds: 87, goalMb: 100, isLong: false },
  { crds: 300, goalMb: 120, isLong: true },
];
/** The operator retries discovery of missing kinds for about 13 seconds after the start. */
const settleMs = 15_000;
const quietMs = 10_000;

async function measure(rig: Rig): Promise<Measured> {
  const { api, say, size } = rig;
  const from = new Date();
  const usual = await countCrds(api);
  const held: Held[] = [];
  let bulky = 0;
  for (const { crds } of clusters.filter(({ isLong }) => !isLong || size !== "quick")) {
    say(`installing CRDs until there are ${crds}`);
    await addBulkyCrds(api, bulky, crds - usual);
    bulky = crds - usual;
    held.push(await hold(rig, crds));
  }
  say("removing CRDs");
  await removeBulkyCrds(api, bulky);
  return {
    samples: Object.assign(
      { "RSS for each byte of CRDs": growth(held) },
      ...held.map(({ samples }) => samples),
    ) as Measured["samples"],
    requests: countByVerb(requestsIn(api.audit(), { account: ourAccount, from, until: new Date() })),
  };
}

type Held = { readonly crds: number; readonly rssMb: number; readonly samples: Measured["samples"] };

/** Starts a new process for each measurement, because a process that started with fewer CRDs would use less memory. */
async function hold(rig: Rig, crds: number): Promise<Held> {
  const { api, say } = rig;
  await using operator = startPlatform(rig, { flags: ["--controllers=advisor,platform"] });
  await converged(api);
  say(`letting it settle among ${crds} CRDs`);
  await pause(settleMs);
  const from = new Date();
  const cpu = cpuMsOf(operator.pid);
  await pause(quietMs);
  const cpuMs = cpuMsOf(operator.pid) - cpu;
  const { rssMb, peakMb } = memoryOf(operator.pid);
  const asked = requestsIn(api.audit(), { account: ourAccount, from, until: new Date() });
  return {
    crds,
    rssMb,
    samples: {
      [`RSS at ${crds} CRDs`]: [rssMb],
      [`peak RSS at ${crds} CRDs`]: [peakMb],
      [`idle requests at ${crds} CRDs`]: [asked.filter((event) => !isUpkeep(event)).length],
      [`idle CPU a minute at ${crds} CRDs`]: [(cpuMs * 60_000) / quietMs],
    },
  };
}

function growth(held: readonly Held[]): readonly number[] {
  const [least, most] = [held[0], held.at(-1)];
  if (least === undefined || most === undefined || least === most) return [];
  return [((most.rssMb - least.rssMb) * 1_000_000) / ((most.crds - least.crds) * bulkyBytes)];
}

async function countCrds(api: Server): Promise<number> {
  const { body } = await api.request({ path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions" });
  return (body as { readonly items: readonly unknown[] }).items.length;
}

export const memory: Scenario = {
  name: "memory",
  says: "both controllers among 27, 87 and 300 CRDs, of which all but the usual ones have 200 kB; 10 quiet seconds each",
  isQuick: false,
  perRound: 1,
  figures: [
    ...clusters.flatMap(({ crds, goalMb, isLong }) => [
      {
        name: `RSS at ${crds} CRDs`,
        unit: "MB",
        isLong,
        goal: { is: "at most", value: goalMb, isExact: true },
        peer: "go-autopilot-memory",
      } as const,
      { name: `peak RSS at ${crds} CRDs`, unit: "MB", isLong } as const,
      {
        name: `idle requests at ${crds} CRDs`,
        unit: "count",
        isLong,
        goal: { is: "at most", value: 0, isExact: true },
      } as const,
      { name: `idle CPU a minute at ${crds} CRDs`, unit: "ms", isLong } as const,
    ]),
    { name: "RSS for each byte of CRDs", unit: "×" },
  ],
  prepare: preparePlatform,
  measure,
};
