// The nodes that may run VMs: how they are recognized, which roles' MachineConfigs reach them, and which of them lack one.

import type { KubeObject } from "@virt/api";
import {
  affectedPools,
  asList,
  asText,
  at,
  containsConfig,
  type InformerSpec,
  member,
  type RenderedOf,
  roleLabel,
} from "@virt/engine";
import { poolOfNode } from "./pools.ts";

/** The roles for which MachineConfigs are planned. A custom pool takes what is meant for `worker`. */
export const nodeRoles = ["worker", "master"] as const;
/** A role for which MachineConfigs are planned. */
export type NodeRole = (typeof nodeRoles)[number];

const schedulableLabel = "kubevirt.io/schedulable";
const currentConfig = "machineconfiguration.openshift.io/currentConfig";

/** All that is kept of a node. */
const vmNodeMembers = [
  ["metadata", "name"],
  ["metadata", "labels", schedulableLabel],
  ["metadata", "labels", { begins: "node-role.kubernetes.io/" }],
  ["metadata", "labels", "kubernetes.io/os"], // the Machine Config Operator leaves Windows nodes alone
  ["metadata", "annotations", currentConfig],
  ["spec", "taints"],
  ["status", "capacity", "memory"],
  ["status", "nodeInfo", "kubeletVersion"],
  ["status", "nodeInfo", "swap"],
] as const;

/** Large clusters have thousands of nodes, so nothing else of them is kept. */
export const vmNodeInformer: InformerSpec = {
  apiVersion: "v1",
  kind: "Node",
  projection: { keep: "members", members: vmNodeMembers },
};

/** KubeVirt labels them; before it has, every node to which ordinary workloads may be scheduled counts. */
export function nodesForVms(nodes: readonly KubeObject[]): readonly KubeObject[] {
  const labelled = nodes.filter(({ metadata }) => metadata.labels?.[schedulableLabel] === "true");
  return labelled.length > 0 ? labelled : nodes.filter((node) => !isReserved(node));
}

// Taints under node.kubernetes.io/ come and go with cordons, reboots and pressure: VMs run there again afterwards.
function isReserved(node: KubeObject): boolean {
  return asList(at(node, "spec", "taints")).some(
    (taint) =>
      member(taint, "effect") === "NoSchedule" &&
      asText(member(taint, "key"))?.startsWith("node.kubernetes.io/") !== true,
  );
}

/**
 * The roles whose pools hold nodes for VMs. Empty: no node would take a configuration. Where no such node is in any pool,
 * `worker` is assumed unless its pools are known to have no machines.
 */
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

/** What says which nodes run a configuration. */
export type Reach = {
  readonly vmNodes: readonly KubeObject[];
  readonly pools: readonly KubeObject[];
  readonly renderedOf: RenderedOf;
};

/** The names of nodes for VMs that do not run a configuration with this MachineConfig's content in it. */
export function nodesWithout(machineConfig: KubeObject, { vmNodes, pools, renderedOf }: Reach): readonly string[] {
  const settled = settledConfigs(vmNodes, pools).filter((name) => {
    const rendered = renderedOf(name);
    return rendered !== undefined && containsConfig(rendered, machineConfig);
  });
  return vmNodes.filter((node) => !settled.includes(configOf(node))).map(({ metadata }) => metadata.name);
}

/** The rendered configurations that nodes for VMs run, and that are all their pools run and aim at. */
export function settledConfigs(vmNodes: readonly KubeObject[], pools: readonly KubeObject[]): readonly string[] {
  const settled = pools.flatMap((pool) => {
    const [current, wanted] = ["status", "spec"].map((part) => asText(at(pool, part, "configuration", "name")));
    return current !== undefined && current === wanted ? [current] : [];
  });
  return settled.filter((name) => vmNodes.some((node) => configOf(node) === name));
}

/** The rendered configuration that the node runs; empty while it has not joined. */
export function configOf(node: KubeObject): string {
  return node.metadata.annotations?.[currentConfig] ?? "";
}
