// Has the descheduler move VMs away from nodes under pressure, with the best profile that it offers.

import type { JsonMap } from "@virt/api";
import { defineAsset, type HcoFact, hco, nothing, object, schema } from "@virt/platform";
import { deschedulerCrd, deschedulerRules, deschedulerTarget } from "../descheduler.ts";
import { customizationsFor } from "./customizations.ts";
import { bestProfile } from "./profile.ts";

export default defineAsset({
  name: "descheduler-loadaware",
  feature: "load-aware-rebalancing",
  tier: "context-aware",
  phase: 1,
  order: 30,
  target: deschedulerTarget,
  needs: [],
  dependency: "optional",
  switch: { annotation: "enable-loadaware", default: "off" },
  reads: { hco: hco(), deschedulers: schema(deschedulerCrd, "v1"), rules: object(deschedulerRules) },
  purpose: "vm-rebalancing",
  adoption: "whole", // to turn somebody's profiles to mode Automatic would start evictions
  impact: "pods",
  render: (facts) => {
    const profile = bestProfile(facts.deschedulers);
    if (profile === undefined) return nothing("no suitable profile");
    const { apiVersion, kind, name, namespace } = deschedulerTarget;
    return {
      apiVersion,
      kind,
      metadata: { name, namespace },
      spec: {
        managementState: "Managed", // without it the descheduler's operator does nothing
        mode: "Automatic",
        deschedulingIntervalSeconds: 60,
        profiles: [profile],
        profileCustomizations: customizationsFor(profile, facts),
        evictionLimits: evictionLimits(facts.hco),
      },
    };
  },
});

// No more at a time than the cluster migrates at a time.
function evictionLimits({ liveMigration }: HcoFact): JsonMap {
  return { total: liveMigration.parallelMigrationsPerCluster, node: liveMigration.parallelOutboundMigrationsPerNode };
}
