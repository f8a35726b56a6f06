// Detects hardware capabilities from the labels and the capacity of nodes.

import type { Json, KubeObject } from "@virt/api";
import { asList, asText, at, entriesOf, isMap, member, oncePer, type ProjectionMember, parseJson } from "@virt/objects";

/** The names of all hardware detectors. */
export const detectors = [
  "pciDevicesPresent",
  "numaNodesPresent",
  "vfioCapable",
  "usbDevicesPresent",
  "gpuPresent",
] as const;
/** The name of a hardware detector, which users see in the conditions of assets. */
export type Detector = (typeof detectors)[number];

/** The detected hardware of the cluster. A detector is true if at least one node has the hardware. */
export type Hardware = Readonly<Record<Detector, boolean>> & {
  /** The IPv4 prefix length of a node's pod network: that of the cluster, or else the most frequent one among nodes. */
  readonly podSubnetPrefix: number | undefined;
};

const subnetsAnnotation = "k8s.ovn.org/node-subnets";
const topologyAnnotation = "kubevirt.io/topology-manager-policy";

/** The fields of a node to keep. There are few, because a large cluster has thousands of nodes with hundreds of labels each. */
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
 * Combines the hardware of all workers, or of all nodes if there are no workers. Ignores nodes that are being deleted.
 * Memoized.
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

export const networkParts: readonly (readonly string[])[] = [["status", "clusterNetwork"]];

/** Takes the prefix from the Network object if possible, because a single node cannot change it there. */
export function withHostPrefix(hardware: Hardware, network: KubeObject | undefined): Hardware {
  const prefixes = asList(at(network, "status", "clusterNetwork")).flatMap((entry) => {
    const length = member(entry, "hostPrefix");
    const isUsed =
      prefixOf(member(entry, "cidr")).length > 0 && typeof length === "number" && length > 0 && length <= 32;
    return isUsed ? [length] : [];
  });
  return prefixes.length === 0 ? hardware : { ...hardware, podSubnetPrefix: Math.max(...prefixes) };
}

/** Returns the most frequent prefix. If there are several, returns the longest, which has the fewest addresses. */
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

// Old releases of Node Feature Discovery have one label for all devices of a bus.
function isLabelledPresent(node: KubeObject, bus: "pci" | "usb"): boolean {
  const [start, end] = [`${discovered}${bus}-`, ".present"];
  const isDeviceLabel = (key: string) =>
    key.startsWith(start) && key.endsWith(end) && key.length > start.length + end.length;
  const labels = at(node, "metadata", "labels");
  const isAny = isMap(labels) && entriesOf(labels).some(([key, value]) => value === "true" && isDeviceLabel(key));
  return isAny || label(node, `${discovered}${bus}-present`) !== undefined;
}

// No other label counts as NUMA. In particular, hyper-threading does not imply it.
function hasTopologyPolicy(node: KubeObject): boolean {
  return isSet(at(node, "metadata", "annotations", topologyAnnotation));
}

function resources(node: KubeObject): readonly string[] {
  const capacity = at(node, "status", "capacity");
  return isMap(capacity) ? entriesOf(capacity).flatMap(([name, amount]) => (isSome(amount) ? [name] : [])) : [];
}

// Parses only the number of the quantity, because no unit suffix makes a positive number 0.
function isSome(amount: Json): boolean {
  return Number(/^\+?([0-9]+(?:\.[0-9]*)?|\.[0-9]+)/.exec(asText(amount) ?? "")?.[1] ?? 0) > 0;
}

// Excludes network bridges, which are not devices, and devices.kubevirt.io/kvm, which all KubeVirt nodes have.
function isDevice(resource: string): boolean {
  const [domain, name] = resource.split("/", 2);
  if (domain === undefined || name === undefined) return false;
  return (
    domain !== "devices.kubevirt.io" && !isWithin(domain, "kubernetes.io") && !isWithin(domain, "network.kubevirt.io")
  );
}

/** Reports whether the domain equals the other one or is one of its subdomains. */
export function isWithin(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}

// Returns undefined for a node that has neither source because it is still joining. It must not affect the result.
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
