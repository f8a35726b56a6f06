// What higher density looks at.

import { besideHco, type Facts, hco, nodes, pools } from "@virt/advisor";

export const swapConfigName = "90-worker-kubelet-swap";

export const reads = {
  hco: hco(),
  waspAgent: besideHco({ apiVersion: "apps/v1", kind: "DaemonSet", name: "wasp-agent" }),
  nodes: nodes(),
  pools: pools(),
};

export type DensityFacts = Facts<typeof reads>;

/** The item that sets the ratio; swap is taken away only behind it. */
export const densityItem = "configure-higher-density";
