// Enables or disables kubelet swap with a MachineConfig, for each role of nodes that may run VMs.

import type { PlannedItem } from "@virt/advisor";
import { type NodeRole, nodeRoles, readMachineConfigPool } from "@virt/cluster";
import { itemNameFor, machineConfigFor, machineConfigRef } from "../machine-config.ts";
import { autopilotSwapConfig, type DensityFacts, densityItem, swapConfigName } from "./facts.ts";
import { swapConfig } from "./swap-config.ts";
import { reportSwap } from "./swap-on-nodes.ts";

const managedFields = ["spec.config"];

const swapItem = (role: NodeRole): string => itemNameFor("enable-kubelet-swap", role);

/** Plans swap for one role after another, workers first, so that only one pool is disrupted at a time. */
export function enableSwap(facts: DensityFacts): readonly PlannedItem[] {
  return facts.vmNodes.roles.map((role, place, roles) => {
    const before = roles[place - 1];
    const isSkipped = isSwapOnline(role, facts);
    const message = `MachineConfig '${swapConfigName(role)}' will be configured to enable kubelet swap`;
    return {
      name: swapItem(role),
      message: isSkipped ? `Swap is already enabled by MachineConfig '${autopilotSwapConfig}'` : message,
      ...(isSkipped && { isSkipped }),
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

/** Returns the item after which all nodes have swap, or undefined if they have it already. */
export function lastSwapItem(facts: DensityFacts): string | undefined {
  const last = facts.vmNodes.roles.findLast((role) => !isSwapOnline(role, facts));
  return last && swapItem(last);
}

/** Reports whether the pool runs the swap of virt-platform-autopilot, and our MachineConfig does not exist. */
function isSwapOnline(role: NodeRole, { pools, swapConfig, masterSwapConfig }: DensityFacts): boolean {
  const live = role === "worker" ? swapConfig : masterSwapConfig;
  const pool = pools.map(readMachineConfigPool).find(({ name }) => name === role);
  if (pool === undefined || live !== undefined) return false;
  return [pool.current, pool.target].every(({ sources }) => sources.includes(autopilotSwapConfig));
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
