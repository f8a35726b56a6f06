// The options of live migration. Build time only: schema, docs and help are generated from them.

import type { OptionsInput } from "@virt/advisor";
import { z } from "zod";
import { areLabels } from "../labels.ts";
import { convergences, defaults } from "./facts.ts";

const fitsCluster = {
  rule: "!has(self.perNode) || !has(self.perCluster) || self.perNode <= self.perCluster",
  message: "perNode must not exceed perCluster",
};

const selectsVms = {
  rule: "has(self.vmLabels) || has(self.namespaceLabels)",
  message: "policy needs vmLabels or namespaceLabels",
};

const bandwidth = z.string().regex(/^[0-9]{1,6}(Ki|Mi|Gi|k|M|G)?$/);
const completionSeconds = z.int().min(10).max(1800);
const convergence = z.enum(convergences);

const labels = (description: string) =>
  z
    .record(z.string(), z.string().max(63).describe("Value of the label."))
    .optional()
    .describe(description)
    .meta({ minProperties: 1, maxProperties: 16, "x-kubernetes-validations": areLabels });

const policy = z
  .object({
    vmLabels: labels("Labels that a VM must have, with these values."),
    namespaceLabels: labels("Labels that the namespace of a VM must have, with these values."),
    convergence: convergence.optional().describe("How migrations of these VMs complete if memory changes too fast."),
    bandwidthPerMigration: bandwidth
      .optional()
      .describe("Most bytes per second of one migration of these VMs, for example 64Mi. 0: no limit."),
    completionSecondsPerGiB: completionSeconds
      .optional()
      .describe("Seconds per GiB of memory after which a migration of these VMs is canceled."),
  })
  .optional()
  .describe("Other values for some VMs, in a MigrationPolicy. Without this option, the MigrationPolicy is deleted.")
  .meta({ "x-kubernetes-validations": [selectsVms] });

export const options = z
  .object({
    enabled: z
      .boolean()
      .default(defaults.enabled)
      .describe("If false, the plan removes all values of this profile, and the defaults return."),
    perCluster: z.int().min(1).max(200).optional().describe("Most migrations at a time in the cluster."),
    perNode: z.int().min(1).max(20).optional().describe("Most migrations at a time from one node."),
    bandwidthPerMigration: bandwidth
      .optional()
      .describe("Most bytes per second of one migration, for example 64Mi. 0: no limit."),
    completionSecondsPerGiB: completionSeconds
      .optional()
      .describe("Seconds per GiB of memory after which a migration is canceled."),
    progressSeconds: z
      .int()
      .min(30)
      .max(3600)
      .optional()
      .describe("Seconds without progress after which a migration is canceled."),
    convergence: convergence
      .optional()
      .describe(
        "How a migration completes if memory changes too fast. AutoConverge slows the guest down. PostCopy starts the VM on the new node before all memory is copied. None: such a migration is canceled.",
      ),
    network: z
      .string()
      .max(63)
      .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/)
      .optional()
      .describe(
        "Name of the NetworkAttachmentDefinition for migrations, in the namespace of the HyperConverged. A change restarts virt-handler on every node.",
      ),
    policy,
  })
  .describe("Options of the profile live-migration. Only the values that are set are written.")
  .meta({ "x-kubernetes-validations": [fitsCluster] });

export type Options = OptionsInput<z.input<typeof options>>;
