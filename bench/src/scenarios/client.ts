// Measures our client's requests per second, one and eight in parallel, against requests without a library.

import { type Child, startChild } from "../child.ts";
import { createNamespace, createObjects, objectName } from "../config-maps.ts";
import { cpuMsOf } from "../process-figures.ts";
import type { ProgramName } from "../programs.ts";
import { countByVerb, requestsIn } from "../requests-from-audit.ts";
import { type Measured, ourAccount, type Rig, type Scenario } from "../scenario.ts";

const namespace = "client";
/** The number of alternating blocks. They are short, so that a slow period affects both sides equally. */
const blocks = { quick: 4, usual: 8, full: 20 };
const times = 100;

type Read = { readonly samples: readonly number[]; readonly wholeMs: number };

async function measure({ api, ours, size, say }: Rig): Promise<Measured> {
  const from = new Date();
  await using raw = startReader("raw", api.kubeconfig);
  await using own = startReader("ours", ours.kubeconfig);
  const cpu = { raw: 0, own: 0 };
  const read = async (side: keyof typeof cpu, atOnce: number) => {
    const child = { raw, own }[side];
    const before = cpuMsOf(child.pid);
    const block = await child.ask<Read>({ do: "read", name: objectName(0), times, atOnce });
    cpu[side] += cpuMsOf(child.pid) - before;
    return block;
  };
  for (const child of [raw, own]) await child.ask({ do: "read", name: objectName(0), times: 500, atOnce: 8 });
  const one = { raw: [] as Read[], own: [] as Read[] };
  const eight = { raw: [] as Read[], own: [] as Read[] };
  for (let block = 0; block < blocks[size]; block++) {
    say(`block ${block + 1} of ${blocks[size]}`);
    one.raw.push(await read("raw", 1));
    one.own.push(await read("own", 1));
    eight.own.push(await read("own", 8));
    eight.raw.push(await read("raw", 8));
  }
  const requests = blocks[size] * 2 * times;
  return {
    samples: {
      "GET, one at once": one.own.flatMap(({ samples }) => samples),
      ...ratesOf("one at once", one),
      ...ratesOf("eight at once", eight),
      "CPU a request": [cpu.own / requests],
      "CPU a request, raw": [cpu.raw / requests],
    },
    requests: countByVerb(requestsIn(api.audit(), { account: ourAccount, from, until: new Date() })),
  };
}

function ratesOf(name: string, { raw, own }: { readonly raw: readonly Read[]; readonly own: readonly Read[] }) {
  const rate = ({ wholeMs }: Read) => (times * 1000) / wholeMs;
  const bare = raw.map(rate);
  const ours = own.map(rate);
  return {
    [name]: ours,
    [`${name}, raw`]: bare,
    [`${name}, of raw`]: ours.map((value, at) => value / (bare[at] ?? Number.NaN)),
  };
}

const startReader = (program: ProgramName, kubeconfig: string): Child =>
  startChild(program, { KUBECONFIG: kubeconfig, NAMESPACE: namespace });

const nearRaw = { is: "at least", value: 0.7, isExact: false, by: "p50" } as const;

export const client: Scenario = {
  name: "client",
  says: "GETs by our client in a process of its own, beside the same GETs over bare node:https",
  isQuick: true,
  perRound: 2,
  figures: [
    { name: "GET, one at once", unit: "ms", floor: "get", peer: "raw-floor" },
    { name: "one at once", unit: "/s" },
    { name: "one at once, raw", unit: "/s" },
    { name: "one at once, of raw", unit: "×", goal: nearRaw },
    { name: "eight at once", unit: "/s" },
    { name: "eight at once, raw", unit: "/s" },
    { name: "eight at once, of raw", unit: "×", goal: nearRaw },
    { name: "CPU a request", unit: "ms" },
    { name: "CPU a request, raw", unit: "ms" },
  ],
  prepare: async ({ api }) => {
    await createNamespace(api, namespace);
    await createObjects(api, namespace, 1);
  },
  measure,
};
