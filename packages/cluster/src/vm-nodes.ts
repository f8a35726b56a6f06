// Finds nodes that can run VMs, the roles whose MachineConfigs reach them, and nodes that lack a MachineConfig.

import type { KubeObject } from "@virt/api";
import { asList, asText, at, type InformerSpec, member } from "@virt/objects";
import { affectedPools, type RenderedOf } from "./health/health.ts";
import { containsConfig, roleLabel } from "./kinds/machine-config.ts";
import { poolOfNode, readMachineConfigPool } from "./kinds/machine-config-pool.ts";

/** The roles for which profiles plan MachineConfigs. A custom pool inherits those of `worker`. */
export const nodeRoles = ["worker", "master"] as const;
/** A role for which profiles plan MachineConfigs. */
export type NodeRole = (typeof nodeRoles)[number];

const schedulableLabel = "kubevirt.io/schedulable";
const currentConfig = "machineconfiguration.openshift.io/currentConfig";

const vmNodeMembers = [
  ["metadata", "name"],
  ["metadata", "labels", schedulableLabel],
  ["metadata", "labels", { begins: "node-role.kubernetes.io/" }],
  ["metadata", "labels", "kubernetes.io/os"], // the Machine Config Operator ignores Windows nodes
  ["metadata", "annotations", currentConfig],
  ["spec", "taints"],
  ["status", "capacity", "memory"],
  ["status", "nodeInfo", "kubeletVersion"],
  ["status", "nodeInfo", "swap"],
] as const;

/** Keeps few members, because large clusters have thousands of nodes. */
export const vmNodeInformer: InformerSpec = {
  apiVersion: "v1",
  kind: "Node",
  projection: { keep: "members", members: vmNodeMembers },
};

/**
 * Returns the nodes that KubeVirt has labeled as schedulable. If it has labeled none yet, returns all nodes without a
 * NoSchedule taint.
 */
export function nodesForVms(nodes: readonly KubeObject[]): readonly KubeObject[] {
  const labelled = nodes.filter(({ metadata }) => metadata.labels?.[schedulableLabel] === "true");
  return labelled.length > 0 ? labelled : nodes.filter((node) => !isReserved(node));
}

// Ignores taints under node.kubernetes.io/, because they are temporary: cordons, reboots and resource pressure.
function isReserved(node: KubeObject): boolean {
  return asList(at(node, "spec", "taints")).some(
    (taint) =>
      member(taint, "effect") === "NoSchedule" &&
      asText(member(taint, "key"))?.startsWith("node.kubernetes.io/") !== true,
  );
}

/** Returns the roles of pools that have VM nodes. If there are none, returns `worker`, unless its pools have no machines. */
export function rolesOf(vmNodes: readonly KubeObject[], pools: readonly KubeObject[]): readonly NodeRole[] {
  const holding = new Set(vmNodes.map(({ metadata }) => poolOfNode(metadata.labels ?? {}, pools)));
  const roles = nodeRoles.filter((role) => poolsOfRole(role, pools).some((pool) => holding.has(pool)));
  if (roles.length > 0) return roles;
  return hasNoMachines(poolsOfRole("worker", pools), pools) ? [] : ["worker"];
}

function poolsOfRole(role: NodeRole, pools: readonly KubeObject[]): readonly string[] {
  const labels = { [roleLabel]: role };
  return affectedPools(pools, { apiVersion: "", kind: "MachineConfig", metadata: { name: "", labels } });
}

function hasNoMachines(names: readonly string[], pools: readonly KubeObject[]): boolean {
  const affected = pools.filter(({ metadata }) => names.includes(metadata.name));
  return affected.length > 0 && affected.every((pool) => at(pool, "status", "machineCount") === 0);
}

/** The nodes and pools that a MachineConfig must reach to cover all VMs. */
export type Reach = {
  readonly vmNodes: readonly KubeObject[];
  readonly pools: readonly KubeObject[];
  readonly renderedOf: RenderedOf;
};

/** Returns the names of VM nodes whose current config does not contain this MachineConfig. */
export function nodesWithout(machineConfig: KubeObject, { vmNodes, pools, renderedOf }: Reach): readonly string[] {
  const settled = settledConfigs(vmNodes, pools).filter((name) => {
    const rendered = renderedOf(name);
    return rendered !== undefined && containsConfig(rendered, machineConfig);
  });
  return vmNodes.filter((node) => !settled.includes(configOf(node))).map(({ metadata }) => metadata.name);
}

/** Returns the current configs of VM nodes whose pools have completed their rollout. */
export function settledConfigs(vmNodes: readonly KubeObject[], pools: readonly KubeObject[]): readonly string[] {
  const settled = pools.flatMap((pool) => {
    const { current, target } = readMachineConfigPool(pool);
    return current.name !== undefined && current.name === target.name ? [current.name] : [];
  });
  return settled.filter((name) => vmNodes.some((node) => configOf(node) === name));
}

/** Returns the name of the rendered config that the node runs, or an empty string until the node has joined. */
export function configOf(node: KubeObject): string {
  return node.metadata.annotations?.[currentConfig] ?? "";
}
