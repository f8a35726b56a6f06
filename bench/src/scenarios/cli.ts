// Measures the kubectl plugin on a large cluster, from process start to the last byte, against an empty Node program.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { inRepository } from "@virt/testkit";
import type { Goal } from "../figures.ts";
import { createLargeCluster, largeCluster, reportRollout } from "../large-cluster.ts";
import { percentile } from "../percentiles.ts";
import { countByVerb, requestsIn } from "../requests-from-audit.ts";
import { type Measured, ourAccount, type Rig, type Scenario } from "../scenario.ts";

const runs = { quick: 10, usual: 40, full: 100 };
const plugin = inRepository("dist", "kubectl-virt_advisor");

async function measure({ api, ours, say, size }: Rig): Promise<Measured> {
  const from = new Date();
  const call = (verb: string) => () => timeToLastByte([plugin, verb, `--kubeconfig=${ours.kubeconfig}`]);
  const programs = {
    "bare Node": () => timeToLastByte(["-e", "0"]),
    version: () => timeToLastByte([plugin, "version", "--client"]),
    status: call("status"),
    profiles: call("profiles"),
  };
  const samples: Record<keyof typeof programs, number[]> = { "bare Node": [], version: [], status: [], profiles: [] };
  for (let run = -1; run < runs[size]; run++) {
    say(`run ${run + 1} of ${runs[size]}`);
    // Alternates between the programs, so that a slow period affects all of them equally. The first run warms up the
    // caches.
    for (const [name, start] of Object.entries(programs) as [keyof typeof programs, () => Promise<number>][]) {
      const took = await start();
      if (run >= 0) samples[name].push(took);
    }
  }
  const times = (name: keyof typeof programs) => percentile(samples[name], 0.5) / percentile(samples["bare Node"], 0.5);
  return {
    samples: {
      ...samples,
      "status, of bare Node": [times("status")],
      "profiles, of bare Node": [times("profiles")],
      "plugin file, gzipped": [gzipSync(readFileSync(plugin)).length / 1_000_000],
    },
    requests: countByVerb(requestsIn(api.audit(), { account: ourAccount, from, until: new Date() })),
  };
}

async function timeToLastByte(args: readonly string[]): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let lastByte = 0;
  let words = "";
  child.stdout.on("data", () => {
    lastByte = performance.now();
  });
  child.stderr.on("data", (piece: Buffer) => {
    words += piece.toString();
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${words}`);
  return (lastByte === 0 ? performance.now() : lastByte) - begun;
}

/** A goal for 90% of the calls, because a single call can be slow for other reasons. */
const usually = (value: number): Goal => ({ is: "at most", value, isExact: false, by: "p90" });

export const cli: Scenario = {
  name: "cli",
  says: "kubectl virt-advisor is called again and again, with 300 nodes and 5,000 VMs (a tenth in a quick run) behind it of which ten nodes are being updated; from the start of the process to the last byte",
  isQuick: true,
  perRound: 1,
  figures: [
    { name: "bare Node", unit: "ms" },
    { name: "version", unit: "ms" },
    { name: "status", unit: "ms", goal: usually(300) },
    { name: "profiles", unit: "ms", goal: usually(250) },
    { name: "status, of bare Node", unit: "×" },
    { name: "profiles, of bare Node", unit: "×" },
    { name: "plugin file, gzipped", unit: "MB", goal: { is: "at most", value: 2, isExact: true } },
  ],
  prepare: async (rig) => {
    await createLargeCluster(rig);
    const total = largeCluster[rig.size].nodes;
    const inHand = Array.from({ length: 10 }, (_, index) => index);
    await reportRollout(rig.api, { total, done: Math.floor(total / 3), inHand });
  },
  measure,
};
