// The nodes of a scenario as the cluster gets them: labels, addresses, capacity.

import type { JsonMap, KubeObject } from "@virt/engine";
import { uuid } from "../chance.ts";
import type { NodeGroup, Scenario } from "../scenario.ts";

export type Surroundings = { readonly seed: number; readonly wall: string };

/** In the order of their names: nodes that are made in this order are updated in it, whatever the seconds of their creation. */
export function nodesOf({ nodes }: Scenario, surroundings: Surroundings): readonly KubeObject[] {
  const all = nodes.flatMap((group, groupAt) =>
    Array.from({ length: group.count }, (_, place) => {
      const subnet = nodes.slice(0, groupAt).reduce((sum, { count }) => sum + count, 0) + place;
      return nodeOf(group, { place, subnet, ...surroundings });
    }),
  );
  return all.toSorted((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));
}

type Position = Surroundings & { readonly place: number; readonly subnet: number };

function nodeOf(group: NodeGroup, { place, subnet, seed, wall }: Position): KubeObject {
  const name = `${group.name}-${place}`;
  const zone = group.zones?.[place % group.zones.length];
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
    ...group.annotations,
  };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels, annotations },
    status: statusOf(group, {
      bootId: uuid(seed, "boot", name),
      address: `192.168.${1 + (subnet >> 7)}.${10 + (subnet & 127)}`,
      wall,
    }),
  };
}

type Installed = { readonly bootId: string; readonly address: string; readonly wall: string };

function statusOf({ cpus, memoryGiB }: NodeGroup, { bootId, address, wall }: Installed): JsonMap {
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
        lastTransitionTime: wall,
        lastHeartbeatTime: wall,
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
