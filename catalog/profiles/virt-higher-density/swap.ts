// Lets the workers' kubelets use prepared swap partitions, or stops it.

import type { PlannedItem } from "@virt/advisor";
import { writeDataUrl } from "@virt/engine";
import { machineConfigRef, poolWarnings, workerConfig } from "../machine-config.ts";
import { type DensityFacts, densityItem, swapConfigName } from "./facts.ts";
import { findSwapPartition, kubeletDropIn, swapProvisionUnit, systemSliceUnit } from "./swap-texts.ts";
import type { Wanted } from "./wanted.ts";
import { waspWarnings } from "./wasp-agent.ts";

const file = (path: string, mode: number, text: string) => ({
  contents: { source: writeDataUrl(text) },
  mode,
  overwrite: true,
  path,
});
const unit = (name: string, contents: string) => ({ contents, enabled: true, name });

const desired = workerConfig(swapConfigName, {
  config: {
    ignition: { version: "3.2.0" },
    storage: {
      files: [
        file("/etc/find-swap-partition", 0o755, findSwapPartition),
        file("/etc/openshift/kubelet.conf.d/90-swap.conf", 0o644, kubeletDropIn),
      ],
    },
    systemd: {
      units: [
        unit("swap-provision.service", swapProvisionUnit),
        unit("cgroup-system-slice-config.service", systemSliceUnit),
      ],
    },
  },
});

const described = `MachineConfig '${swapConfigName}'`;
const target = machineConfigRef(swapConfigName);
const managedFields = ["spec.config"];

export const enableSwapItem = "enable-kubelet-swap";

export function enableSwap(wanted: Wanted, facts: DensityFacts): PlannedItem {
  return {
    name: enableSwapItem,
    message: `${described} will be configured to enable kubelet swap`,
    operation: "Apply",
    target,
    desired,
    managedFields,
    warnings: [...waspWarnings(wanted, facts), ...poolWarnings(facts.pools, desired)],
    impact: { create: "High", change: "High" },
  };
}

export function disableSwap({ pools }: DensityFacts): PlannedItem {
  return {
    name: "disable-kubelet-swap",
    message: `${described} will be deleted to disable kubelet swap`,
    operation: "Delete",
    target,
    managedFields,
    warnings: poolWarnings(pools, desired),
    // The nodes keep their swap until no VM counts on it any more.
    waitsFor: densityItem,
    impact: "High",
  };
}
