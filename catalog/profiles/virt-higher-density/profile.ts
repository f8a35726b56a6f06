// Fits more VMs on the nodes: kubelet swap, memory overcommit and KSM.

import { defineProfile, type Need, type PlannedItem, type Refusal } from "@virt/advisor";
import { hyperConverged, hyperConvergedNeed } from "../hyperconverged.ts";
import { machineConfigNeed, machineConfigTarget } from "../machine-config.ts";
import { type DensityFacts, reads, swapConfigName } from "./facts.ts";
import { configureDensity } from "./hyperconverged.ts";
import { inputs } from "./inputs.ts";
import type { Options } from "./options.ts";
import { disableSwap, enableSwap } from "./swap.ts";
import { highestWithoutSwap, wantedOf } from "./wanted.ts";

const { group, kind, plural, name } = hyperConverged;

export default defineProfile({
  name: "virt-higher-density",
  optionsKey: "virtHigherDensity",
  category: "density",
  description: "Enables higher VM density through swap and other optimizations",
  impactSummary:
    "Enables swap for kubelet to allow memory overcommit and higher VM density. Requires nodes with swap partition labeled CNV_SWAP.",
  impact: "High",
  isAdvertised: true,
  purposes: ["kubelet-swap"],
  targets: [machineConfigTarget(swapConfigName), { group, kind, plural, names: [name], namespaces: ["$hco"] }],
  reads,
  needs,
  refuse,
  inputs,
  plan,
});

function needs(given: Options | undefined): readonly Need[] {
  const swap = machineConfigNeed("MachineConfig CRD is required for swap configuration (available on OpenShift)");
  return [...(wantedOf(given).hasSwap ? [swap] : []), hyperConvergedNeed("Install OpenShift Virtualization via OLM")];
}

// The API server refuses it too, but not in an object that was stored before it knew the rule.
function refuse(given: Options | undefined): Refusal | undefined {
  const { hasSwap, ratio } = wantedOf(given);
  if (hasSwap || ratio.percent <= highestWithoutSwap) return undefined;
  return { kind: "invalid", message: `memoryToRequestRatio > ${highestWithoutSwap} requires enableSwap=true` };
}

// Swap comes first and goes last: it must be there as long as VMs count on it.
function plan(given: Options | undefined, facts: DensityFacts): readonly PlannedItem[] {
  const wanted = wantedOf(given);
  const density = configureDensity(wanted, facts);
  return wanted.hasSwap ? [enableSwap(wanted, facts), density] : [density, disableSwap(facts)];
}
