// Lets kubelets use prepared swap partitions where VMs may run, by a MachineConfig for each role of nodes, or stops it.

import type { PlannedItem } from "@virt/advisor";
import { autopilotAnnotation } from "@virt/api";
import { type NodeRole, nodeRoles } from "@virt/facts";
import { hyperConverged } from "../hyperconverged.ts";
import { itemNameFor, machineConfigFor, machineConfigRef } from "../machine-config.ts";
import { type DensityFacts, densityItem, swapConfigName } from "./facts.ts";
import { swapConfig } from "./swap-config.ts";
import { reportSwap } from "./swap-on-nodes.ts";

const managedFields = ["spec.config"];

const swapItem = (role: NodeRole): string => itemNameFor("enable-kubelet-swap", role);

/** The control plane follows the workers: nodes of one pool at a time are away, and VMs count on the last. */
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

/** The item that is completed when all roles have swap. */
export function lastSwapItem({ vmNodes }: DensityFacts): string {
  return swapItem(vmNodes.roles.at(-1) ?? "worker");
}

/** Wherever ours are, whether or not VMs may run there now. */
export function disableSwap(): readonly PlannedItem[] {
  return nodeRoles.map((role) => ({
    name: itemNameFor("disable-kubelet-swap", role),
    message: `MachineConfig '${swapConfigName(role)}' will be deleted to disable kubelet swap`,
    operation: "Delete",
    target: machineConfigRef(swapConfigName(role)),
    managedFields,
    warnings: [],
    // The nodes keep their swap until no VM counts on it any more.
    waitsFor: densityItem,
    impact: "High",
  }));
}

const rule = "it must not be combined with kubelet swap";

// wasp-agent is the other way to give VMs swap. Current releases of the HyperConverged operator do not start it any more.
function waspWarnings(facts: DensityFacts): readonly string[] {
  if (facts.waspAgent === undefined) return [];
  const { namespace } = facts.hco;
  const removal = `kubectl delete daemonset wasp-agent -n ${namespace}`;
  const next = isSwapOurs(facts) ? removal : `${annotating(facts)}; if it still runs then, ${removal}`;
  return [`wasp-agent runs in namespace '${namespace}'; ${rule}. Next: ${next}`];
}

// Before the approval the platform controller would enable swap by itself.
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

// The annotation tells the HyperConverged operator that somebody else sees to swap; it then starts no wasp-agent.
function isSwapOurs(facts: DensityFacts): boolean {
  const listed = listedAssets(facts);
  return listed.includes(swapAsset) || (listed.length === 1 && listed[0] === "true");
}
