// Enables or disables kubelet swap with a MachineConfig, for each role of nodes that may run VMs.

import type { PlannedItem } from "@virt/advisor";
import { type NodeRole, nodeRoles } from "@virt/cluster";
import { itemNameFor, machineConfigFor, machineConfigRef } from "../machine-config.ts";
import { type DensityFacts, densityItem, swapConfigName } from "./facts.ts";
import { swapConfig } from "./swap-config.ts";
import { reportSwap } from "./swap-on-nodes.ts";

const managedFields = ["spec.config"];

const swapItem = (role: NodeRole): string => itemNameFor("enable-kubelet-swap", role);

/** Plans swap for one role after another, workers first, so that only one pool is disrupted at a time. */
export function enableSwap(facts: DensityFacts): readonly PlannedItem[] {
  return facts.vmNodes.roles.map((role, place, roles) => {
    const before = roles[place - 1];
    return {
      name: swapItem(role),
      message: `MachineConfig '${swapConfigName(role)}' will be configured to enable kubelet swap`,
      operation: "Apply",
      target: machineConfigRef(swapConfigName(role)),
      desired: machineConfigFor(swapConfig, role),
      managedFields,
      warnings: place === 0 ? waspWarnings(facts) : [],
      impact: { create: "High", change: "High" },
      reportOn: reportSwap,
      ...(before !== undefined && { waitsFor: swapItem(before) }),
    };
  });
}

export function lastSwapItem({ vmNodes }: DensityFacts): string {
  return swapItem(vmNodes.roles.at(-1) ?? "worker");
}

/** Plans the removal of swap from all roles, including those whose nodes have stopped running VMs. */
export function disableSwap(): readonly PlannedItem[] {
  return nodeRoles.map((role) => ({
    name: itemNameFor("disable-kubelet-swap", role),
    message: `MachineConfig '${swapConfigName(role)}' will be deleted to disable kubelet swap`,
    operation: "Delete",
    target: machineConfigRef(swapConfigName(role)),
    managedFields,
    warnings: [],
    // Nodes keep swap until VMs have stopped relying on it.
    waitsFor: densityItem,
    impact: "High",
  }));
}

const rule = "it must not be combined with kubelet swap";

// Warns about wasp-agent, which also gives VMs swap. Recent HyperConverged operators do not start it.
function waspWarnings({ waspAgent, hco: { namespace } }: DensityFacts): readonly string[] {
  if (waspAgent === undefined) return [];
  const next = `kubectl delete daemonset wasp-agent -n ${namespace}`;
  return [`wasp-agent runs in namespace '${namespace}'; ${rule}. Next: ${next}`];
}
