// Remediates nodes that stopped responding, so that their VMs start elsewhere.

import { defineProfile, type PlannedItem } from "@virt/advisor";
import { availabilityProfile, nodeHealthCheckRef, nodeRemediation } from "../../node-health-check.ts";
import { hyperConverged } from "../hyperconverged.ts";
import { checkForms, configureCheck, removeCheck } from "./check.ts";
import { evictionForms, releaseEvictionStrategy, setEvictionStrategy } from "./eviction.ts";
import { type AvailabilityFacts, availabilitySettings, defaults, reads } from "./facts.ts";
import { inputsOf } from "./inputs.ts";
import type { Options } from "./options.ts";
import { neededKinds, refusePlanOf } from "./refusals.ts";

const { group, kind, plural, name } = hyperConverged;
const { fenceAgentsTemplate: fenceDefaults } = defaults;

export default defineProfile({
  name: availabilityProfile,
  optionsKey: "vmHighAvailability",
  derivedOptions: {
    fenceAgentsTemplate: {
      fields: ["spec.selector"],
      source: "the defaults of its members",
      present: fenceDefaults,
      absent: fenceDefaults,
    },
    // The selector of workers only also excludes control plane nodes, in its second expression.
    includeControlPlane: {
      fields: ["spec.selector.matchExpressions.1.operator"],
      source: "the nodes",
      present: false,
      absent: true,
    },
  },
  category: "availability",
  description: "Remediates nodes that stopped responding, so that their VMs start elsewhere",
  impactSummary: "Medium - Reboots or fences nodes that are not ready for too long",
  documentation: "HIGHAVAILABILITY_PROFILE",
  impact: "Medium",
  isAdvertised: true,
  purposes: [nodeRemediation],
  targets: [
    {
      group: "remediation.medik8s.io",
      kind: nodeHealthCheckRef.kind,
      plural: "nodehealthchecks",
      names: [nodeHealthCheckRef.name],
      isDeleted: true,
      forms: checkForms,
    },
    { group, kind, plural, names: [name], namespaces: ["$hco"], isNeverCreated: true, forms: evictionForms },
  ],
  reads,
  needs: neededKinds,
  refuse: refusePlanOf,
  inputs: inputsOf,
  plan,
});

function plan(given: Options | undefined, facts: AvailabilityFacts): readonly PlannedItem[] {
  const settings = availabilitySettings(given);
  const { enabled, evictionStrategy } = settings;
  if (!enabled)
    return [...(facts.hco.object === undefined ? [] : [releaseEvictionStrategy(facts)]), removeCheck(facts)];
  const eviction = evictionStrategy === "Keep" ? [] : [setEvictionStrategy(evictionStrategy, facts)];
  return [configureCheck(settings, facts), ...eviction];
}
