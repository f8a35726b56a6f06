// Has the kernels of control planes measure pressure, where VMs may run on them.

import { defineAsset, topologyIs } from "@virt/platform";
import { psiFor } from "../load-aware-rebalancing.ts";

const psi = psiFor("master");

export default defineAsset({
  ...psi,
  name: "psi-enable-master",
  conditions: [...psi.conditions, topologyIs("hasSchedulableMasters")],
});
