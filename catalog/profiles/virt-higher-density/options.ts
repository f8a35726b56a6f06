// The options of higher density. The CRD schema, the docs, the console's form and the help are generated from them.

import type { OptionsInput } from "@virt/advisor";
import { z } from "zod";
import { areLabels, isLabelKey, isLabelValue } from "../labels.ts";
import { defaults } from "./facts.ts";

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
    key: z
      .string()
      .min(1)
      .max(317)
      .describe("Key of the label.")
      .meta({ "x-kubernetes-validations": [isLabelKey] }),
    operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist"]).describe("How the label is compared with the values."),
    values: z
      .array(
        z
          .string()
          .max(63)
          .describe("One value.")
          .meta({ "x-kubernetes-validations": [isLabelValue] }),
      )
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
      .meta({ maxProperties: 16, "x-kubernetes-validations": areLabels }),
    matchExpressions: z
      .array(labelExpression)
      .max(16)
      .optional()
      .describe("Requirements on labels, all of which must be met.")
      .meta({ "x-kubernetes-list-type": "atomic" }),
  })
  .describe("The nodes on which KSM is enabled. If empty or not set: all nodes.")
  .meta({ "x-kubernetes-map-type": "atomic" });

export const options = z
  .object({
    enableSwap: z
      .boolean()
      .default(defaults.enableSwap)
      .describe(
        "Lets VMs on the workers use swap. Changing it reboots the workers. If false, the advisor's MachineConfig is removed.",
      ),
    memoryToRequestRatio: z
      .int()
      .min(100)
      .max(300)
      .optional()
      .describe(
        `Memory that VMs see, in percent of their memory requests. If not set: ${defaults.memoryToRequestRatio.withSwap} with swap, ${withoutSwap} without.`,
      ),
    ksmConfiguration: z
      .object({
        enabled: z
          .boolean()
          .default(defaults.ksmConfiguration.enabled)
          .describe("Enables merging of identical memory pages of VMs."),
        nodeLabelSelector: labelSelector.optional(),
      })
      .optional()
      .describe("Merging of identical memory pages (KSM). If the options are set without it, KSM is off."),
  })
  .describe("Options of the profile virt-higher-density.")
  .meta({ "x-kubernetes-validations": [needsSwap] });

export type Options = OptionsInput<z.input<typeof options>>;
