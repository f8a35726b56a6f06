// A profile that reads all objects of a kind and writes nothing.

import { defineProfile } from "@virt/advisor";
import { objects } from "@virt/cluster";

export const listingProfile = defineProfile({
  name: "lists",
  category: "test",
  description: "",
  impactSummary: "",
  impact: "Low",
  documentation: "EXAMPLE_PROFILE",
  isAdvertised: false,
  purposes: [],
  targets: [],
  reads: { policies: objects("migrations.kubevirt.io/v1alpha1", "MigrationPolicy", [["spec", "selectors"]]) },
  needs: () => [],
  refuse: () => undefined,
  inputs: () => [],
  plan: () => [],
});
