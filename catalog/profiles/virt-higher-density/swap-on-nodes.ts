// Determines how much swap nodes have, and whether it covers the memory overcommit.

import type { KubeObject } from "@virt/api";
import { configOf, nodeRoles, readMachineConfigPool } from "@virt/cluster";
import { asNumber, asText, at, readBytes, shortList } from "@virt/objects";
import { autopilotSwapConfig, swapConfigName } from "./facts.ts";

const GiB = 2 ** 30;

/**
 * Returns the active swap of a node in bytes, as its kubelet reports it. Without a report, returns 0 if swap is
 * configured on the node, otherwise undefined.
 */
export function swapOf(node: KubeObject, pools: readonly KubeObject[]): number | undefined {
  const capacity = asNumber(at(node, "status", "nodeInfo", "swap", "capacity"));
  if (capacity !== undefined && capacity > 0) return capacity;
  return reportsSwap(node) && isConfigured(node, pools) ? 0 : undefined;
}

// Reports whether the kubelet reports swap, which requires Kubernetes 1.33 or later.
function reportsSwap(node: KubeObject): boolean {
  const [, major = "0", minor = "0"] =
    /^v([0-9]+)\.([0-9]+)\./.exec(asText(at(node, "status", "nodeInfo", "kubeletVersion")) ?? "") ?? [];
  return Number(major) > 1 || Number(minor) >= 33;
}

// Reports whether the node's rendered config includes a swap MachineConfig.
function isConfigured(node: KubeObject, pools: readonly KubeObject[]): boolean {
  const known = [...nodeRoles.map(swapConfigName), autopilotSwapConfig];
  return pools
    .map((pool) => readMachineConfigPool(pool).current)
    .some(({ name, sources }) => name === configOf(node) && known.some((each) => sources.includes(each)));
}

export function reportSwap(vmNodes: readonly KubeObject[], pools: readonly KubeObject[]): string {
  const seen = vmNodes.map((node) => ({ name: node.metadata.name, bytes: swapOf(node, pools) }));
  const without = seen.filter(({ bytes }) => bytes === 0).map(({ name }) => name);
  const unknown = seen.filter(({ bytes }) => bytes === undefined).length;
  const active = seen.length - without.length - unknown;
  return [
    `swap is active on ${active} of ${seen.length} nodes`,
    ...(without.length > 0 ? [`not on ${shortList(without)}`] : []),
    ...(unknown > 0 ? [`unknown on ${unknown}`] : []),
  ].join(", ");
}

/** Warns if swap does not cover the worst case, in which all VMs use all of their memory. */
export function shortfallWarning(
  percent: number,
  vmNodes: readonly KubeObject[],
  pools: readonly KubeObject[],
): readonly string[] {
  const short = vmNodes.flatMap((node) => {
    const [memory, swap] = [readBytes(at(node, "status", "capacity", "memory")), swapOf(node, pools)];
    const missing = memory === undefined || swap === undefined ? 0 : Math.ceil((memory * (percent - 100)) / 100) - swap;
    return missing > 0 ? [{ name: node.metadata.name, missing }] : [];
  });
  if (short.length === 0) return [];
  const most = Math.max(...short.map(({ missing }) => missing));
  const nodes = short.length === 1 ? "1 node" : `${short.length} nodes`;
  return [
    `memoryOvercommitPercentage=${percent} is not covered by swap in the worst case: up to ${(most / GiB).toFixed(1)} GiB is missing on ${nodes} (${shortList(short.map(({ name }) => name))})`,
  ];
}
