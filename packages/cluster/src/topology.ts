import type { KubeObject } from "@virt/api";
import { asText, at, oncePer } from "@virt/objects";

/** The topology fields that asset conditions can use. */
export const topologyFields = [
  "isOpenShift",
  "isHCP",
  "isAWS",
  "isAzure",
  "isGCP",
  "isBareMetal",
  "isVSphere",
  "isOpenStack",
  "hasSchedulableMasters",
  "isCompact",
] as const;
/** A topology field that asset conditions can use. */
export type TopologyField = (typeof topologyFields)[number];

/** The cluster's platform and node counts. */
export type Topology = Readonly<Record<TopologyField, boolean>> & {
  readonly controlPlaneTopology: string;
  readonly cloudProvider: string;
  readonly masterCount: number;
  readonly workerCount: number;
  readonly totalNodeCount: number;
};

export type TopologySources = {
  /** `infrastructure` and `scheduler` are the objects with the name `cluster`. */
  readonly infrastructure: KubeObject | undefined;
  readonly scheduler: KubeObject | undefined;
  readonly nodes: readonly KubeObject[];
  readonly crds: ReadonlySet<string>;
};

/** Reads the topology. If a source is missing, its fields are false, empty or 0. */
export function readTopology({ infrastructure, scheduler, nodes, crds }: TopologySources): Topology {
  const { controlPlaneTopology, platform: cloudProvider } = readInfrastructure(infrastructure);
  return {
    isOpenShift: openShiftCrds.some((name) => crds.has(name)),
    controlPlaneTopology,
    isHCP: controlPlaneTopology === "External",
    cloudProvider,
    isAWS: cloudProvider === "AWS",
    isAzure: cloudProvider === "Azure",
    isGCP: cloudProvider === "GCP",
    isBareMetal: cloudProvider === "BareMetal",
    isVSphere: cloudProvider === "VSphere",
    isOpenStack: cloudProvider === "OpenStack",
    hasSchedulableMasters: at(scheduler, "spec", "mastersSchedulable") === true,
    ...countNodes(nodes),
  };
}

export const infrastructureParts: readonly (readonly string[])[] = [
  ["status", "controlPlaneTopology"],
  ["status", "platformStatus", "type"],
];
export const schedulerParts: readonly (readonly string[])[] = [["spec", "mastersSchedulable"]];

/** The parts of the topology that affect rollouts. */
export type ClusterShape = {
  /** True on single-node clusters, where the Machine Config Operator does not drain nodes. */
  readonly isSingleReplica: boolean;
  /** The platform from `platformStatus.type`. An empty string means bare metal. */
  readonly platform: string;
};

/** Reads Infrastructure `cluster`. If it does not exist, assumes a highly available bare-metal cluster. */
export function readClusterShape(infrastructure: KubeObject | undefined): ClusterShape {
  const { controlPlaneTopology, platform } = readInfrastructure(infrastructure);
  return { isSingleReplica: controlPlaneTopology === "SingleReplica", platform };
}

function readInfrastructure(infrastructure: KubeObject | undefined) {
  return {
    controlPlaneTopology: asText(at(infrastructure, "status", "controlPlaneTopology")) ?? "",
    platform: asText(at(infrastructure, "status", "platformStatus", "type")) ?? "",
  };
}

const openShiftCrds = ["infrastructures.config.openshift.io", "machineconfigs.machineconfiguration.openshift.io"];

const countNodes = oncePer((nodes: readonly KubeObject[]) => {
  const masters = nodes.filter(isMaster);
  const workerCount = nodes.filter((node) => hasRole(node, "worker") && !isMaster(node)).length;
  return {
    masterCount: masters.length,
    workerCount,
    totalNodeCount: nodes.length,
    isCompact: masters.length > 0 && masters.every((node) => hasRole(node, "worker")) && workerCount === 0,
  };
});

function isMaster(node: KubeObject): boolean {
  return hasRole(node, "master") || hasRole(node, "control-plane");
}

function hasRole(node: KubeObject, role: string): boolean {
  return at(node, "metadata", "labels", `node-role.kubernetes.io/${role}`) !== undefined;
}
