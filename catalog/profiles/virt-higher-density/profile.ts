// Runs more VMs per node with kubelet swap, memory overcommit and KSM.

import {
  type CrdRequirement,
  defineProfile,
  type OptionsRefusal,
  type PlanInput,
  type PlannedItem,
} from "@virt/advisor";
import { canonicalJson } from "@virt/objects";
import { fieldsOfHco, hyperConverged, hyperConvergedAbsent, hyperConvergedNeed } from "../hyperconverged.ts";
import { machineConfigNeed, machineConfigTarget, refuseWithoutNodes } from "../machine-config.ts";
import { type DensityFacts, type DensitySettings, densitySettings, highestWithoutSwap, reads } from "./facts.ts";
import { configureDensity, densityForms, ksmDryRunWarnings, liveRatio, liveSelector } from "./hyperconverged.ts";
import type { Options } from "./options.ts";
import { disableSwap, enableSwap } from "./swap.ts";
import { swapConfig } from "./swap-config.ts";

const { group, kind, plural, name } = hyperConverged;

export default defineProfile({
  name: "virt-higher-density",
  optionsKey: "virtHigherDensity",
  derivedOptions: {
    memoryToRequestRatio: {
      fields: fieldsOfHco("higherWorkloadDensity.memoryOvercommitPercentage"),
      source: "enableSwap",
    },
    ksmConfiguration: {
      fields: fieldsOfHco("ksmConfiguration"),
      source: "the other options of this profile",
      absent: { enabled: false },
    },
  },
  category: "density",
  description: "Enables higher VM density through swap and other optimizations",
  impactSummary:
    "Enables swap for kubelet to allow memory overcommit and higher VM density. Requires nodes with swap partition labeled CNV_SWAP.",
  documentation: "VIRTHIGHERDENSITY_PROFILE",
  impact: "High",
  isAdvertised: true,
  purposes: ["kubelet-swap"],
  targets: [
    machineConfigTarget(swapConfig),
    { group, kind, plural, names: [name], namespaces: ["$hco"], isNeverCreated: true, forms: densityForms },
  ],
  reads,
  needs,
  refuse,
  inputs,
  plan,
  dryRunWarnings: ksmDryRunWarnings,
});

function needs(given: Options | undefined): readonly CrdRequirement[] {
  const swap = machineConfigNeed("MachineConfig CRD is required for swap configuration (available on OpenShift)");
  return [
    ...(densitySettings(given).hasSwap ? [swap] : []),
    hyperConvergedNeed("Install OpenShift Virtualization via OLM"),
  ];
}

// The API server rejects these options too, except in objects that were stored before the rule existed.
function refuse(given: Options | undefined, { hco, vmNodes }: DensityFacts): OptionsRefusal | undefined {
  const { hasSwap, ratio } = densitySettings(given);
  if (!hasSwap && ratio.percent > highestWithoutSwap)
    return { kind: "invalid", message: `memoryToRequestRatio > ${highestWithoutSwap} requires enableSwap=true` };
  if (hco.object === undefined) return hyperConvergedAbsent(hco.namespace);
  return hasSwap ? refuseWithoutNodes(swapConfig, vmNodes.roles) : undefined;
}

// Adds swap first and removes it last, because VMs rely on it in between.
function plan(given: Options | undefined, facts: DensityFacts): readonly PlannedItem[] {
  const settings = densitySettings(given);
  const density = configureDensity(settings, facts);
  return settings.hasSwap ? [...enableSwap(facts), density] : [density, ...disableSwap()];
}

// Returns the HyperConverged values that the plan writes but the user did not set. Omits KSM if it is disabled.
function inputs(given: Options | undefined, facts: DensityFacts): readonly PlanInput[] {
  const { ksm, ratio } = densitySettings(given);
  return [
    ...(ksm === undefined || ksm.isPinned ? [] : [ksmInput(ksm, facts)]),
    ...(ratio.isPinned ? [] : [ratioInput(ratio, facts)]),
  ];
}

// If the HyperConverged is missing, this is drift, not a changed input.
function ksmInput({ selector }: NonNullable<DensitySettings["ksm"]>, { hco }: DensityFacts): PlanInput {
  const live = liveSelector(hco.object);
  const isOn = (value: string) => value !== "";
  return {
    name: "ksmConfiguration",
    now: hco.object === undefined ? undefined : live === undefined ? "" : canonicalJson(live),
    planned: canonicalJson(selector),
    describe: (was, now) => `HCO KSM configuration changed (was ${isOn(was)}, now ${isOn(now)})`,
    summarize: (was, now) => `HyperConverged ksmConfiguration changed ${was || "off"} → ${now || "off"}`,
  };
}

function ratioInput({ percent }: DensitySettings["ratio"], { hco }: DensityFacts): PlanInput {
  return {
    name: "memoryOvercommitPercentage",
    now: hco.object === undefined ? undefined : String(liveRatio(hco.object)),
    planned: String(percent),
    describe: (was, now) => `HCO memoryOvercommitPercentage changed (${was} -> ${now})`,
    summarize: (was, now) => `HyperConverged memoryOvercommitPercentage changed ${was} → ${now}`,
  };
}
