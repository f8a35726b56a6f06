// Detects hardware capabilities from the labels and the capacity of nodes. Delays changes by 10 minutes, because labels
// disappear while nodes restart.

import type { Json, KubeObject } from "@virt/api";
import {
  asList,
  asText,
  at,
  entriesOf,
  isMap,
  member,
  oncePer,
  type ProjectionMember,
  parseJson,
  readTime,
  writeTime,
} from "@virt/objects";

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

export const hardwareWaitMs = 600_000;

const fields = [...detectors, "podSubnetPrefix"] as const satisfies readonly (keyof Hardware)[];

type HardwareValue = Hardware[keyof Hardware];

/** A hardware change that is not in effect yet. A null value is unknown. */
export type HardwareChange = {
  readonly name: keyof Hardware;
  readonly counted: boolean | number | null;
  readonly seen: boolean | number | null;
  /** When the change takes effect, unless it reverts before that. In wall-clock time, for display. */
  readonly countsAt: string;
};

/** The hardware in effect, and changes that are not in effect yet. */
export type CountedHardware = { readonly hardware: Hardware; readonly changes: readonly HardwareChange[] };

type WaitingChange = HardwareChange & {
  readonly dueMs: number;
};

/** The readings of this process. If there are none, the next reading takes effect immediately. */
export type HardwareMemory = { readonly hardware: Hardware; readonly changes: readonly WaitingChange[] };

/** The time of a reading: on the wall clock for display and stored times, and monotonic for waits. */
export type ReadingTime = { readonly wallMs: number; readonly monotonicMs: number };

/** Adds a reading. If the nodes could not be read (undefined), the delay of all pending changes restarts. */
export function followHardware(
  before: HardwareMemory | undefined,
  reading: Hardware | undefined,
  time: ReadingTime,
): HardwareMemory | undefined {
  if (reading === undefined) return before && { ...before, changes: [] };
  if (before === undefined) return { hardware: reading, changes: [] };
  const waiting = fields.flatMap((name) => waitingChange(name, reading, before, time));
  const [due, changes] = [waiting.filter(isDue), waiting.filter((one) => !isDue(one))];
  const counted = Object.fromEntries(due.map(({ name }) => [name, reading[name]]));
  return { hardware: { ...before.hardware, ...counted }, changes };

  function isDue({ dueMs }: WaitingChange): boolean {
    return time.monotonicMs >= dueMs;
  }
}

function waitingChange(
  name: keyof Hardware,
  reading: Hardware,
  before: HardwareMemory,
  { wallMs, monotonicMs }: ReadingTime,
): readonly WaitingChange[] {
  const [counted, seen] = [shown(before.hardware[name]), shown(reading[name])];
  if (seen === counted) return [];
  const known = before.changes.find((change) => change.name === name && change.seen === seen);
  if (known !== undefined) return [known];
  const dueMs = monotonicMs + hardwareWaitMs;
  return [{ name, counted, seen, dueMs, countsAt: writeTime(Math.ceil((wallMs + hardwareWaitMs) / 1000) * 1000) }];
}

function shown(value: HardwareValue): HardwareChange["seen"] {
  return value ?? null;
}

/** Returns when the next pending change takes effect, in monotonic milliseconds. Another reading can still revert it. */
export function nextHardwareDueMs({ changes }: HardwareMemory): number | undefined {
  return changes.length === 0 ? undefined : Math.min(...changes.map(({ dueMs }) => dueMs));
}

/** Applies pending changes from a controller's report, unless they have reverted. For programs that do not watch nodes. */
export function countReported(seen: Hardware, reported: readonly HardwareChange[], nowMs: number): CountedHardware {
  const changes = reported.filter(
    (change) => shown(seen[change.name]) === change.seen && (readTime(change.countsAt) ?? 0) > nowMs,
  );
  const counted = Object.fromEntries(changes.map(({ name, counted }) => [name, counted ?? undefined]));
  return { hardware: { ...seen, ...counted }, changes };
}

/** Formats a change, such as "numaNodesPresent=true, takes effect at 2026-11-18T21:10:00Z". */
export function changeWords({ name, seen, countsAt }: HardwareChange): string {
  return `${name}=${seen ?? "unknown"}, takes effect at ${countsAt}`;
}
