// Sets defaults of the HyperConverged that protect VMs and the network.

import { contentForms } from "@virt/api";
import { hco } from "@virt/cluster";
import { defineAsset } from "@virt/platform";
import { hcoForms } from "../../profiles/hyperconverged.ts";
import { hcoPart, renderHco } from "../hyperconverged.ts";

const liveMigrationConfig = {
  parallelMigrationsPerCluster: 5, // limits network load; the descheduler's limit is derived from it
  allowAutoConverge: false, // throttling guests to finish a migration would go unnoticed
  allowPostCopy: false, // a network failure during post-copy loses the VM
};
// Keeps host metrics hidden from guests, and keeps alignCPUs off, a preview feature that changes CPU accounting.
const featureGates = { downwardMetrics: false, alignCPUs: false };
const uninstallStrategy = "BlockUninstallIfWorkloadsExist"; // deleting the HyperConverged must not delete VMs

const { constant, fields, kept, oneOf } = contentForms;
const liveMigrationForm = kept(constant(liveMigrationConfig));
const uninstallForm = kept(oneOf(uninstallStrategy));

export default defineAsset({
  ...hcoPart,
  name: "hco-golden-config",
  feature: { name: "hco-golden-config", description: "Safe defaults for the HyperConverged", maturity: "GA" },
  tier: "always-on",
  phase: 0,
  forms: hcoForms({
    v1beta1: fields({
      liveMigrationConfig: liveMigrationForm,
      featureGates: kept(constant(featureGates)),
      uninstallStrategy: uninstallForm,
    }),
    v1: fields({
      virtualization: kept(fields({ liveMigrationConfig: liveMigrationForm })),
      deployment: kept(fields({ uninstallStrategy: uninstallForm })),
    }),
  }),
  reads: { hco: hco() },
  values: {
    parallelMigrationsPerCluster: {
      reason: "Limits the network load of migrations. The descheduler's eviction limit follows this value.",
      source: "KubeVirt default",
    },
    allowAutoConverge: {
      reason: "Migrations must not silently slow down guests.",
      source: "KubeVirt default",
    },
    allowPostCopy: {
      reason: "A network failure during post-copy loses the VM.",
      source: "KubeVirt default",
    },
    downwardMetrics: {
      reason: "Guests see no host metrics unless an administrator enables it.",
      source: "HyperConverged default",
    },
    alignCPUs: {
      reason: "CPU alignment is a preview feature that changes how CPUs are counted.",
      source: "HyperConverged default",
    },
    uninstallStrategy: {
      reason: "Deleting the HyperConverged must not delete VMs.",
      source: "HyperConverged default",
    },
  },
  render: (facts) =>
    renderHco(facts.hco, {
      v1beta1: {
        liveMigrationConfig,
        featureGates,
        uninstallStrategy,
      },
      // Sets no feature gates in v1, because the list is atomic there: owning one entry means owning all of them.
      v1: { virtualization: { liveMigrationConfig }, deployment: { uninstallStrategy } },
    }),
});
