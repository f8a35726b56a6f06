// The options of load-aware rebalancing. The CRD schema, the docs, the console's form and the help are generated from
// them.

import type { OptionsInput } from "@virt/advisor";
import { z } from "zod";
import { mostEvictions } from "../../eviction-limits.ts";
import { defaults, deviationThresholds } from "./facts.ts";

export const options = z
  .object({
    deschedulingIntervalSeconds: z
      .int()
      .min(60)
      .max(86_400)
      .default(defaults.deschedulingIntervalSeconds)
      .describe("Seconds between two runs of the descheduler."),
    mode: z
      .enum(["Automatic", "Predictive"])
      .default(defaults.mode)
      .describe("Automatic evicts VMs from nodes under pressure; Predictive only simulates the evictions."),
    enablePSIMetrics: z
      .boolean()
      .optional()
      .describe(
        "Enables pressure metrics (PSI) on the workers with the kernel argument psi=1. Changing it reboots the workers. If false, the advisor's MachineConfig is removed. If not set: true, or false if the installed descheduler balances by requests only (OpenShift 4.17).",
      ),
    devDeviationThresholds: z
      .enum(deviationThresholds)
      .default(defaults.devDeviationThresholds)
      .describe("How far the load of a node may differ from the average before VMs are moved."),
    evictionLimitTotal: z
      .int()
      .min(1)
      .max(mostEvictions.total)
      .optional()
      .describe(
        "Maximum number of parallel evictions in the cluster. If not set, it follows parallelMigrationsPerCluster of the HyperConverged, up to 1000.",
      ),
    evictionLimitNode: z
      .int()
      .min(1)
      .max(mostEvictions.node)
      .optional()
      .describe(
        "Maximum number of parallel evictions from one node. If not set, it follows parallelOutboundMigrationsPerNode of the HyperConverged, up to 100.",
      ),
  })
  .describe("Options of the profile load-aware-rebalancing.");

export type Options = OptionsInput<z.input<typeof options>>;
