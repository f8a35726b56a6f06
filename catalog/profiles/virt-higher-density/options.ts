// What a user may set for higher density. Build time only: schema, docs, form and help are generated from it.

import { z } from "zod";
import type { Given } from "../given.ts";
import { defaults } from "./defaults.ts";

const { withoutSwap } = defaults.memoryToRequestRatio;

const needsSwap = {
  rule: `!has(self.memoryToRequestRatio) || self.memoryToRequestRatio <= ${withoutSwap} || !has(self.enableSwap) || self.enableSwap`,
  message: `memoryToRequestRatio > ${withoutSwap} requires enableSwap=true`,
};

const valuesFitOperator = {
  rule: "self.operator in ['In', 'NotIn'] ? has(self.values) && size(self.values) > 0 : !has(self.values) || size(self.values) == 0",
  message: "values must be non-empty for operators In and NotIn and empty for Exists and DoesNotExist",
};

const labelExpression = z
  .object({
    key: z.string().min(1).max(317).describe("Key of the label."),
    operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist"]).describe("How the label is compared with the values."),
    values: z
      .array(z.string().describe("One value."))
      .max(64)
      .optional()
      .describe("Values to compare with, for In and NotIn.")
      .meta({ "x-kubernetes-list-type": "atomic" }),
  })
  .describe("One requirement on a label.")
  .meta({ "x-kubernetes-validations": [valuesFitOperator] });

const labelSelector = z
  .object({
    matchLabels: z
      .record(z.string(), z.string().max(63).describe("Value of the label."))
      .optional()
      .describe("Labels that a node must have, with these values.")
      .meta({ maxProperties: 16 }),
    matchExpressions: z
      .array(labelExpression)
      .max(16)
      .optional()
      .describe("Requirements on labels, all of which must be met.")
      .meta({ "x-kubernetes-list-type": "atomic" }),
  })
  .describe("The nodes on which KSM is enabled; empty or left out: all of them.")
  .meta({ "x-kubernetes-map-type": "atomic" });

export const options = z
  .object({
    enableSwap: z
      .boolean()
      .default(defaults.enableSwap)
      .describe(
        "Whether the workers' kubelets let VMs use swap. A change reboots the workers; false plans the removal of our MachineConfig.",
      ),
    memoryToRequestRatio: z
      .int()
      .min(100)
      .max(300)
      .optional()
      .describe(
        `Memory that VMs are promised, in percent of what they request. Unless set: ${defaults.memoryToRequestRatio.withSwap} with swap, ${withoutSwap} without.`,
      ),
    ksmConfiguration: z
      .object({
        enabled: z
          .boolean()
          .default(defaults.ksmConfiguration.enabled)
          .describe("Whether the kernel merges equal memory pages of VMs."),
        nodeLabelSelector: labelSelector.optional(),
      })
      .optional()
      .describe("Merging of equal memory pages (KSM). Left out of given options: KSM is off."),
  })
  .describe("Options of the profile virt-higher-density.")
  .meta({ "x-kubernetes-validations": [needsSwap] });

export type Options = Given<z.input<typeof options>>;
