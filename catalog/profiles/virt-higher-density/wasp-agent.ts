// Says when the other way to give VMs swap, wasp-agent, is or may come in the way of ours.

import { autopilotAnnotation } from "@virt/api";
import type { DensityFacts } from "./facts.ts";
import type { Wanted } from "./wanted.ts";

const rule = "it must not be combined with kubelet swap";

export function waspWarnings({ ratio }: Wanted, facts: DensityFacts): readonly string[] {
  if (facts.waspAgent !== undefined) return [`wasp-agent runs in namespace '${facts.hco.namespace}'; ${rule}`];
  if (ratio.percent <= 100 || isSwapOurs(facts)) return [];
  return [`HyperConverged may start wasp-agent when memoryOvercommitPercentage is above 100; ${rule}`];
}

// The annotation tells the HyperConverged operator that somebody else sees to swap; it then starts no wasp-agent.
function isSwapOurs({ hco }: DensityFacts): boolean {
  const listed = (hco.object?.metadata.annotations?.[autopilotAnnotation] ?? "").split(",").map((name) => name.trim());
  return listed.includes("swap-enable") || (listed.length === 1 && listed[0] === "true");
}
