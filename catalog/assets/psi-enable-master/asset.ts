// Enables PSI on control plane nodes that may run VMs.

import { defineAsset, topologyIs } from "@virt/platform";
import { psiFor } from "../load-aware-rebalancing.ts";

const psi = psiFor("master");

export default defineAsset({
  ...psi,
  name: "psi-enable-master",
  conditions: [...psi.conditions, topologyIs("hasSchedulableMasters")],
});
