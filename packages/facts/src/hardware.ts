// What the machines can do, from the labels and the capacity of their nodes.

import type { Json, KubeObject } from "@virt/api";
import { asList, asText, at, entriesOf, isMap, member, oncePer, type ProjectionMember, parseJson } from "@virt/engine";

/** What nodes are examined for, in the order in which it is shown. */
export const detectors = [
  "pciDevicesPresent",
  "numaNodesPresent",
  "vfioCapable",
  "usbDevicesPresent",
  "gpuPresent",
] as const;
/** One thing that nodes are examined for. */
export type Detector = (typeof detectors)[number];

/** What the nodes that count have, together. */
export type Hardware = Readonly<Record<Detector, boolean>> & {
  /** The IPv4 prefix length of a node's pod network: the cluster's own, else the most frequent one of nodes. */
  readonly podSubnetPrefix: number | undefined;
};

const subnetsAnnotation = "k8s.ovn.org/node-subnets";
const topologyAnnotation = "kubevirt.io/topology-manager-policy";

/**
 * All that is read of a node, its roles among it: large clusters have thousands, with hundreds of labels each. Nothing is
 * read of a resource without a domain, such as memory.
 */
export const nodeMembers: readonly ProjectionMember[] = [
  ["metadata", "name"],
  ["metadata", "deletionTimestamp"],
  ["metadata", "labels", { begins: "node-role.kubernetes.io/" }],
  ...["pci-", "usb-", "memory-numa", "iommu"].map(
    (feature): ProjectionMember => ["metadata", "labels", { begins: `feature.node.kubernetes.io/${feature}` }],
  ),
  ["metadata", "annotations", subnetsAnnotation],
  ["metadata", "annotations", topologyAnnotation],
  ["spec", "podCIDR"],
  ["status", "capacity", { contains: "/" }],
];

/**
 * A detector is true when any node that counts matches: workers, or all nodes where none is called one. The same list is
 * read once: it may be long, and it seldom is another.
 */
export const readHardware: (nodes: readonly KubeObject[]) => Hardware = oncePer((nodes) => {
  const workers = nodes.filter((node) => label(node, "node-role.kubernetes.io/worker") !== undefined);
  const counted = (workers.length > 0 ? workers : nodes).filter(({ metadata }) => !isSet(metadata.deletionTimestamp));
  const anyHas = (hasIt: (node: KubeObject) => boolean) => counted.some(hasIt);
  return {
    pciDevicesPresent: anyHas((node) => isLabelledPresent(node, "pci") || resources(node).some(isDevice)),
    numaNodesPresent: anyHas((node) => isTrue(node, "memory-numa") || hasTopologyPolicy(node)),
    vfioCapable: anyHas((node) => isTrue(node, "iommu-enabled") || isTrue(node, "iommu.enabled")),
    usbDevicesPresent: anyHas((node) => isLabelledPresent(node, "usb")),
    gpuPresent: anyHas((node) => resources(node).some((name) => gpus.has(name))),
    podSubnetPrefix: mostFrequent(counted.map(podPrefix)),
  };
});

/** The kept parts of the cluster-wide Network. */
export const networkParts: readonly (readonly string[])[] = [["status", "clusterNetwork"]];

/** Takes the size of pod networks from the cluster-wide Network: a single node cannot change it. Without one, nodes decide. */
export function withHostPrefix(hardware: Hardware, network: KubeObject | undefined): Hardware {
  const prefixes = asList(at(network, "status", "clusterNetwork")).flatMap((entry) => {
    const length = member(entry, "hostPrefix");
    const isUsed =
      prefixOf(member(entry, "cidr")).length > 0 && typeof length === "number" && length > 0 && length <= 32;
    return isUsed ? [length] : [];
  });
  return prefixes.length === 0 ? hardware : { ...hardware, podSubnetPrefix: Math.max(...prefixes) };
}

/** Of several equally frequent ones, the smallest network. */
function mostFrequent(prefixes: readonly (number | undefined)[]): number | undefined {
  const known = prefixes.filter((prefix) => prefix !== undefined);
  const groups = [...Map.groupBy(known, (prefix) => prefix)];
  return groups.toSorted(([left, lefts], [right, rights]) => rights.length - lefts.length || right - left)[0]?.[0];
}

const discovered = "feature.node.kubernetes.io/";
const gpus: ReadonlySet<string> = new Set(["nvidia.com/gpu", "amd.com/gpu", "gpu.intel.com/i915", "gpu.intel.com/xe"]);

function isTrue(node: KubeObject, feature: string): boolean {
  return label(node, `${discovered}${feature}`) === "true";
}

// Old releases of node feature discovery have one label for all devices of a bus.
function isLabelledPresent(node: KubeObject, bus: "pci" | "usb"): boolean {
  const [start, end] = [`${discovered}${bus}-`, ".present"];
  const isDeviceLabel = (key: string) =>
    key.startsWith(start) && key.endsWith(end) && key.length > start.length + end.length;
  const labels = at(node, "metadata", "labels");
  const isAny = isMap(labels) && entriesOf(labels).some(([key, value]) => value === "true" && isDeviceLabel(key));
  return isAny || label(node, `${discovered}${bus}-present`) !== undefined;
}

// Hyper-threading is no sign of NUMA, so no other label counts.
function hasTopologyPolicy(node: KubeObject): boolean {
  return isSet(at(node, "metadata", "annotations", topologyAnnotation));
}

/** Names of what the node has some of. */
function resources(node: KubeObject): readonly string[] {
  const capacity = at(node, "status", "capacity");
  return isMap(capacity) ? entriesOf(capacity).flatMap(([name, amount]) => (isSome(amount) ? [name] : [])) : [];
}

// A Kubernetes quantity: whatever the suffix, it is more than nothing when its digits are.
function isSome(amount: Json): boolean {
  return Number(/^\+?([0-9]+(?:\.[0-9]*)?|\.[0-9]+)/.exec(asText(amount) ?? "")?.[1] ?? 0) > 0;
}

// Every KubeVirt node has devices.kubevirt.io/kvm, and bridges are no devices.
function isDevice(resource: string): boolean {
  const [domain, name] = resource.split("/", 2);
  if (domain === undefined || name === undefined) return false;
  return (
    domain !== "devices.kubevirt.io" && !isWithin(domain, "kubernetes.io") && !isWithin(domain, "network.kubevirt.io")
  );
}

/** Whether a domain is another one or below it. */
export function isWithin(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}

// A joining node has neither yet, and must not change the fact.
function podPrefix(node: KubeObject): number | undefined {
  const subnets = asText(at(node, "metadata", "annotations", subnetsAnnotation));
  const given = subnets === undefined ? undefined : member(parseJson(subnets), "default");
  const found = [given, ...asList(given)].flatMap(prefixOf);
  const prefixes = found.length > 0 ? found : prefixOf(at(node, "spec", "podCIDR"));
  return prefixes.length === 0 ? undefined : prefixes.reduce((most, one) => Math.max(most, one));
}

function prefixOf(cidr: Json | undefined): readonly number[] {
  const [, digits] = /^(?:[0-9]{1,3}\.){3}[0-9]{1,3}\/([0-9]{1,2})$/.exec(asText(cidr) ?? "") ?? [];
  const length = Number(digits ?? Number.NaN);
  return length <= 32 ? [length] : [];
}

function label(node: KubeObject, key: string): Json | undefined {
  return at(node, "metadata", "labels", key);
}

function isSet(value: Json | undefined): boolean {
  return typeof value === "string" && value !== "";
}
