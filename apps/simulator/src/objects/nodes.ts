// Creates a scenario's nodes, with labels, addresses and capacity.

import type { JsonMap, KubeObject } from "@virt/objects";
import { faultPrefix } from "../cluster-state.ts";
import type { NodeGroup, Scenario } from "../scenario.ts";
import { seededUuid } from "../seeded-random.ts";

type NodeContext = { readonly seed: number; readonly timestamp: string };

export const swapPartition = `${faultPrefix}swap-partition`;

/** Returns the nodes, sorted by name. They are updated in this order, regardless of their creation times. */
export function scenarioNodes({ nodes }: Scenario, context: NodeContext): readonly KubeObject[] {
  const all = nodes.flatMap((group, groupAt) =>
    Array.from({ length: group.count }, (_, index) => {
      const subnet = nodes.slice(0, groupAt).reduce((sum, { count }) => sum + count, 0) + index;
      return scenarioNode(group, { index, subnet, ...context });
    }),
  );
  return all.toSorted((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));
}

type Position = NodeContext & { readonly index: number; readonly subnet: number };

function scenarioNode(group: NodeGroup, { index, subnet, seed, timestamp }: Position): KubeObject {
  const name = group.names?.[index] ?? `${group.name}-${index}`;
  const zone = group.zones?.[index % group.zones.length];
  const labels = {
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": "linux",
    "kubernetes.io/arch": "amd64",
    ...Object.fromEntries(group.roles.map((role) => [`node-role.kubernetes.io/${role}`, ""])),
    ...(group.roles.includes("worker") && { "kubevirt.io/schedulable": "true" }),
    ...(zone !== undefined && { "topology.kubernetes.io/zone": zone }),
    ...group.labels,
  };
  const annotations = {
    "k8s.ovn.org/node-subnets": JSON.stringify({ default: [`10.${128 + (subnet >> 7)}.${(subnet & 127) * 2}.0/23`] }),
    ...(group.swapGiB !== undefined && { [swapPartition]: `${group.swapGiB}Gi` }),
    ...group.annotations,
  };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels, annotations },
    status: nodeStatus(group, {
      bootId: seededUuid(seed, "boot", name),
      address: `192.168.${1 + (subnet >> 7)}.${10 + (subnet & 127)}`,
      timestamp,
    }),
  };
}

type InstalledNode = { readonly bootId: string; readonly address: string; readonly timestamp: string };

function nodeStatus({ cpus, memoryGiB }: NodeGroup, { bootId, address, timestamp }: InstalledNode): JsonMap {
  const capacity = {
    cpu: `${cpus}`,
    memory: `${memoryGiB}Gi`,
    pods: "250",
    "devices.kubevirt.io/kvm": "1k",
  };
  return {
    capacity,
    allocatable: { ...capacity, memory: `${memoryGiB - reservedGiB(memoryGiB)}Gi` },
    addresses: [{ type: "InternalIP", address }],
    conditions: [
      {
        type: "Ready",
        status: "True",
        reason: "KubeletReady",
        message: "kubelet is posting ready status",
        lastTransitionTime: timestamp,
        lastHeartbeatTime: timestamp,
      },
    ],
    nodeInfo: {
      architecture: "amd64",
      bootID: bootId,
      containerRuntimeVersion: "cri-o://1.36.0",
      kernelVersion: "5.14.0-570.el9.x86_64",
      kubeletVersion: "v1.36.0",
      kubeProxyVersion: "",
      machineID: bootId.replaceAll("-", ""),
      operatingSystem: "linux",
      osImage: "Red Hat Enterprise Linux CoreOS (simulated)",
      systemUUID: bootId,
    },
  };
}

function reservedGiB(memoryGiB: number): number {
  return Math.max(1, Math.round(memoryGiB / 32));
}
