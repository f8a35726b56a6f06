// Enables PSI on workers.

import { defineAsset } from "@virt/platform";
import { psiFor } from "../load-aware-rebalancing.ts";

export default defineAsset({ ...psiFor("worker"), name: "psi-enable" });
