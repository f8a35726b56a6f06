// Moves VMs away from nodes under real pressure, using the descheduler and kernel PSI.

import { defineProfile, type Need, type PlannedItem, type Refusal } from "@virt/advisor";
import { hyperConvergedNeed } from "../hyperconverged.ts";
import { machineConfigNeed, machineConfigTarget } from "../machine-config.ts";
import { capabilityOf } from "./capability.ts";
import { descheduler } from "./descheduler.ts";
import { deschedulerRef, type LoadAwareFacts, psiConfigName, reads } from "./facts.ts";
import { inputs } from "./inputs.ts";
import type { Options } from "./options.ts";
import { disablePsi, enablePsi } from "./psi.ts";
import { wantedOf } from "./wanted.ts";

const group = "operator.openshift.io";
const { kind, name, namespace } = deschedulerRef;

export default defineProfile({
  name: "load-aware-rebalancing",
  optionsKey: "loadAware",
  category: "scheduling",
  description: "Enables load-aware VM rebalancing and PSI metrics for intelligent scheduling",
  impactSummary: "Medium - May require node reboots if PSI metrics are enabled",
  impact: "High",
  isAdvertised: true,
  purposes: ["psi", "vm-rebalancing"],
  targets: [
    machineConfigTarget(psiConfigName),
    { group, kind, plural: "kubedeschedulers", names: [name], namespaces: [namespace] },
  ],
  reads,
  needs,
  refuse,
  inputs,
  plan,
});

function needs(given: Options | undefined): readonly Need[] {
  const psi = machineConfigNeed(
    "MachineConfig CRD is required for PSI metrics configuration (typically available on OpenShift)",
  );
  return [
    deschedulerNeed("Please install the Descheduler Operator via OLM"),
    ...(wantedOf(given).enablePSIMetrics ? [psi] : []),
    hyperConvergedNeed("Please install OpenShift Virtualization via OLM"),
  ];
}

function deschedulerNeed(remedy: string): Need {
  return { kind, group, versions: ["v1"], shown: `${group}.v1`, remedy };
}

function refuse(_given: Options | undefined, { deschedulerSchema }: LoadAwareFacts): Refusal | undefined {
  if (capabilityOf(deschedulerSchema).selected !== undefined) return undefined;
  const need = deschedulerNeed("The installed Descheduler Operator offers no supported profile");
  return { kind: "missing", need };
}

// A removal comes last, as every plan has it.
function plan(given: Options | undefined, facts: LoadAwareFacts): readonly PlannedItem[] {
  const wanted = wantedOf(given);
  const capability = capabilityOf(facts.deschedulerSchema);
  const { selected } = capability;
  const rebalancing = selected === undefined ? [] : [descheduler(wanted, { capability, selected }, facts)];
  return wanted.enablePSIMetrics ? [enablePsi(facts), ...rebalancing] : [...rebalancing, disablePsi(facts)];
}
