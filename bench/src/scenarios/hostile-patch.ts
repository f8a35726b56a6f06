// Measures the CPU time and memory that `applyPatch` needs to reject malicious patches.

import type { KubeObject } from "@virt/api";
import { applyPatch } from "@virt/objects";
import { hostilePatches } from "../../../test/platform/hostile/index.ts";
import type { Measured, Rig, Scenario } from "../scenario.ts";

const times = { quick: 5, usual: 15, full: 50 };
const object: KubeObject = {
  apiVersion: "remediation.medik8s.io/v1alpha1",
  kind: "NodeHealthCheck",
  metadata: { name: "virt-node-health-check" },
  spec: { minHealthy: "51%" },
};

function measure({ size, say }: Rig): Promise<Measured> {
  const patches = hostilePatches("/spec/minHealthy");
  say(`${patches.length} patches`);
  for (const { text } of patches) applyPatch(object, text); // warm-up, so that the code is compiled
  const costs = patches.map(({ text }) => costOf(text, times[size]));
  return Promise.resolve({
    samples: {
      "time of each": costs.map(({ ms }) => ms),
      "memory of each": costs.map(({ mb }) => mb),
      "patches that were taken": [patches.filter(({ text }) => applyPatch(object, text).kind === "patched").length],
    },
    requests: {},
  });
}

/** Returns the minimum time, to exclude other load, and the maximum memory, because garbage collection can reduce it. */
function costOf(text: string, count: number): { readonly ms: number; readonly mb: number } {
  const samples = Array.from({ length: count }, () => {
    const heap = process.memoryUsage().heapUsed;
    const cpu = process.cpuUsage();
    applyPatch(object, text);
    const { user, system } = process.cpuUsage(cpu);
    return { ms: (user + system) / 1_000, mb: (process.memoryUsage().heapUsed - heap) / 1_000_000 };
  });
  return { ms: Math.min(...samples.map(({ ms }) => ms)), mb: Math.max(0, ...samples.map(({ mb }) => mb)) };
}

export const hostilePatch: Scenario = {
  name: "hostile-patch",
  says: "every hostile patch is given to the function that refuses it",
  isQuick: false,
  perRound: 1,
  figures: [
    { name: "time of each", unit: "ms", goal: { is: "at most", value: 5, isExact: false } },
    { name: "memory of each", unit: "MB", goal: { is: "at most", value: 2 ** 20 / 1_000_000, isExact: false } },
    { name: "patches that were taken", unit: "count", goal: { is: "at most", value: 0, isExact: true } },
  ],
  measure,
};
