// The options of vm-high-availability. Build time only: schema, docs, form and help are generated from it.

import type { OptionsInput } from "@virt/advisor";
import { z } from "zod";
import { defaults } from "./facts.ts";

const needsFenceAgents = {
  rule: "!has(self.fenceAgentsTemplate) || (has(self.remediation) && self.remediation != 'SelfNodeRemediation')",
  message: "fenceAgentsTemplate needs remediation FenceAgents or FenceAgentsThenSelf",
};

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

const fenceAgentsTemplate = z
  .object({
    name: z
      .string()
      .max(253)
      .regex(new RegExp(`^${label}(\\.${label})*$`))
      .default(defaults.fenceAgentsTemplate.name)
      .describe("Name of the template."),
    namespace: z
      .string()
      .max(63)
      .regex(new RegExp(`^${label}$`))
      .default(defaults.fenceAgentsTemplate.namespace)
      .describe("Namespace of the template."),
  })
  .describe("The FenceAgentsRemediationTemplate with the agent and the credentials of your BMCs.");

export const options = z
  .object({
    enabled: z
      .boolean()
      .default(defaults.enabled)
      .describe("If false, the plan removes the advisor's NodeHealthCheck, and its evictionStrategy."),
    remediation: z
      .enum(["SelfNodeRemediation", "FenceAgents", "FenceAgentsThenSelf"])
      .default(defaults.remediation)
      .describe(
        "SelfNodeRemediation lets a node reboot itself. FenceAgents switches it off and on through its BMC. FenceAgentsThenSelf uses self node remediation if fencing does not succeed within 5 minutes.",
      ),
    fenceAgentsTemplate: fenceAgentsTemplate.optional(),
    unhealthySeconds: z
      .int()
      .min(30)
      .max(3600)
      .default(defaults.unhealthySeconds)
      .describe("Seconds that a node is not ready before it is remediated."),
    minHealthy: z
      .string()
      .max(4)
      .regex(/^((100|[0-9]{1,2})%|[0-9]{1,4})$/)
      .default(defaults.minHealthy)
      .describe("Share or number of the selected nodes that must be healthy. With fewer, no node is remediated."),
    stormCooldownSeconds: z
      .int()
      .min(0)
      .max(3600)
      .default(defaults.stormCooldownSeconds)
      .describe("Seconds without new remediations after too many nodes were unhealthy. 0 disables it."),
    includeControlPlane: z
      .boolean()
      .optional()
      .describe(
        "Also remediates control plane nodes that run VMs. If not set: true if no other node runs VMs, as on compact clusters.",
      ),
    evictionStrategy: z
      .enum(["Keep", "LiveMigrate", "LiveMigrateIfPossible"])
      .default(defaults.evictionStrategy)
      .describe("The cluster's eviction strategy for VMs without their own. Keep does not change it."),
  })
  .describe("Options of the profile vm-high-availability.")
  .meta({ "x-kubernetes-validations": [needsFenceAgents] });

export type Options = OptionsInput<z.input<typeof options>>;
