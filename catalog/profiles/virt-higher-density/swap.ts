// Enables or disables kubelet swap with a MachineConfig, for each role of nodes that may run VMs.

import type { PlannedItem } from "@virt/advisor";
import { autopilotAnnotation } from "@virt/api";
import { type NodeRole, nodeRoles } from "@virt/cluster";
import { hyperConverged } from "../hyperconverged.ts";
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
function waspWarnings(facts: DensityFacts): readonly string[] {
  if (facts.waspAgent === undefined) return [];
  const { namespace } = facts.hco;
  const removal = `kubectl delete daemonset wasp-agent -n ${namespace}`;
  const next = isSwapOurs(facts) ? removal : `${annotating(facts)}; if it still runs then, ${removal}`;
  return [`wasp-agent runs in namespace '${namespace}'; ${rule}. Next: ${next}`];
}

// The annotation must follow the approval. Before it, the platform controller would react to the annotation and enable
// swap.
function annotating(facts: DensityFacts): string {
  const listed = listedAssets(facts).filter((name) => name !== "" && name !== "true" && name !== "false");
  const value = [...listed, swapAsset].join(",");
  const target = `hco ${hyperConverged.name} -n ${facts.hco.namespace}`;
  return `once the plan is approved, kubectl annotate --overwrite ${target} ${autopilotAnnotation}=${value}`;
}

const swapAsset = "swap-enable";

function listedAssets({ hco }: DensityFacts): readonly string[] {
  return (hco.object?.metadata.annotations?.[autopilotAnnotation] ?? "").split(",").map((name) => name.trim());
}

// Reports whether the annotation is set that keeps the HyperConverged operator from starting wasp-agent.
function isSwapOurs(facts: DensityFacts): boolean {
  const listed = listedAssets(facts);
  return listed.includes(swapAsset) || (listed.length === 1 && listed[0] === "true");
}
