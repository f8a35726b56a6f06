import type { Json, JsonMap, KubeObject } from "@virt/api";
import { entriesOf, isMap, member } from "@virt/objects";
import { expect, test } from "vitest";
import { detectors, type Hardware, nodeMembers, readHardware, withHostPrefix } from "./hardware.ts";
import { master, nodeWithRole, worker } from "./testing/nodes.ts";
import { readTopology } from "./topology.ts";

const feature = (name: string, value = "true") => ({ labels: { [`feature.node.kubernetes.io/${name}`]: value } });
const capacity = (name: string, amount: string) => ({ capacity: { cpu: "8", [name]: amount } });
const subnets = (value: unknown) => ({ annotations: { "k8s.ovn.org/node-subnets": JSON.stringify(value) } });

type Case = { reason: string; nodes: readonly KubeObject[]; found: Partial<Hardware> };

const cases: readonly Case[] = [
  { reason: "no nodes", nodes: [], found: {} },
  { reason: "a plain worker", nodes: [worker(capacity("memory", "1Gi"))], found: {} },
  { reason: "a PCI device", nodes: [worker(feature("pci-0300_10de.present"))], found: { pciDevicesPresent: true } },
  { reason: "a PCI label with another value", nodes: [worker(feature("pci-0300_10de.present", "false"))], found: {} },
  { reason: "a label of another feature", nodes: [worker(feature("pci-0300_10de.sriov.capable"))], found: {} },
  { reason: "a PCI label without a device", nodes: [worker(feature("pci-.present"))], found: {} },
  { reason: "the old PCI label", nodes: [worker(feature("pci-present", ""))], found: { pciDevicesPresent: true } },
  { reason: "an extended resource", nodes: [worker(capacity("a.b/c", "1"))], found: { pciDevicesPresent: true } },
  {
    reason: "thousands of an extended resource",
    nodes: [worker(capacity("a.b/c", "1k"))],
    found: { pciDevicesPresent: true },
  },
  {
    reason: "a fraction of an extended resource",
    nodes: [worker(capacity("a.b/c", ".5"))],
    found: { pciDevicesPresent: true },
  },
  { reason: "zero of an extended resource", nodes: [worker(capacity("a.b/c", "0"))], found: {} },
  { reason: "zero with a unit", nodes: [worker(capacity("a.b/c", "0.0Gi"))], found: {} },
  { reason: "an invalid amount", nodes: [worker(capacity("a.b/c", "many"))], found: {} },
  { reason: "a resource without a domain", nodes: [worker(capacity("hugepages-2Mi", "1Gi"))], found: {} },
  { reason: "the domain of Kubernetes", nodes: [worker(capacity("kubernetes.io/x", "1"))], found: {} },
  { reason: "a subdomain of Kubernetes", nodes: [worker(capacity("attachable.kubernetes.io/x", "1"))], found: {} },
  {
    reason: "a domain with a similar end",
    nodes: [worker(capacity("xkubernetes.io/x", "1"))],
    found: { pciDevicesPresent: true },
  },
  { reason: "the kvm resource of KubeVirt", nodes: [worker(capacity("devices.kubevirt.io/kvm", "1k"))], found: {} },
  { reason: "a bridge", nodes: [worker(capacity("bridge.network.kubevirt.io/br1", "1k"))], found: {} },
  { reason: "bridges", nodes: [worker(capacity("network.kubevirt.io/br1", "1k"))], found: {} },
  { reason: "NUMA", nodes: [worker(feature("memory-numa"))], found: { numaNodesPresent: true } },
  { reason: "hyper-threading without NUMA", nodes: [worker(feature("cpu-hardware_multithreading"))], found: {} },
  {
    reason: "a topology policy",
    nodes: [worker({ annotations: { "kubevirt.io/topology-manager-policy": "single-numa-node" } })],
    found: { numaNodesPresent: true },
  },
  {
    reason: "an empty topology policy",
    nodes: [worker({ annotations: { "kubevirt.io/topology-manager-policy": "" } })],
    found: {},
  },
  { reason: "an IOMMU", nodes: [worker(feature("iommu-enabled"))], found: { vfioCapable: true } },
  { reason: "an IOMMU under its other name", nodes: [worker(feature("iommu.enabled"))], found: { vfioCapable: true } },
  { reason: "a USB device", nodes: [worker(feature("usb-ef_046d.present"))], found: { usbDevicesPresent: true } },
  { reason: "the old USB label", nodes: [worker(feature("usb-present"))], found: { usbDevicesPresent: true } },
  ...["nvidia.com/gpu", "amd.com/gpu", "gpu.intel.com/i915", "gpu.intel.com/xe"].map((gpu) => ({
    reason: `a GPU: ${gpu}`,
    nodes: [worker(capacity(gpu, "2"))],
    found: { gpuPresent: true, pciDevicesPresent: true },
  })),
  { reason: "one of two workers", nodes: [worker(), worker(feature("iommu-enabled"))], found: { vfioCapable: true } },
  {
    reason: "control planes beside workers do not count",
    nodes: [worker(), master(feature("iommu-enabled"))],
    found: {},
  },
  {
    reason: "without workers, every node counts",
    nodes: [master(feature("iommu-enabled"))],
    found: { vfioCapable: true },
  },
  {
    reason: "a node that is being deleted does not count",
    nodes: [worker(), worker({ ...feature("iommu-enabled"), isLeaving: true })],
    found: {},
  },
  {
    reason: "the last worker, while it is deleted, keeps control planes from counting",
    nodes: [worker({ isLeaving: true }), master(feature("iommu-enabled"))],
    found: {},
  },
  {
    reason: "a subnet as text",
    nodes: [worker(subnets({ default: "10.128.0.0/23" }))],
    found: { podSubnetPrefix: 23 },
  },
  {
    reason: "a list of subnets with IPv4",
    nodes: [worker(subnets({ default: ["fd01::/64", "10.128.0.0/22"] }))],
    found: { podSubnetPrefix: 22 },
  },
  { reason: "another network", nodes: [worker(subnets({ other: "10.128.0.0/23" }))], found: {} },
  {
    reason: "the annotation before the spec",
    nodes: [worker({ ...subnets({ default: "10.128.0.0/23" }), podCIDR: "10.0.0.0/24" })],
    found: { podSubnetPrefix: 23 },
  },
  {
    reason: "the spec without the annotation",
    nodes: [worker({ podCIDR: "10.0.0.0/24" })],
    found: { podSubnetPrefix: 24 },
  },
  {
    reason: "the spec with a broken annotation",
    nodes: [worker({ annotations: { "k8s.ovn.org/node-subnets": "{" }, podCIDR: "10.0.0.0/24" })],
    found: { podSubnetPrefix: 24 },
  },
  {
    reason: "the smaller of two equally frequent networks",
    nodes: [worker({ podCIDR: "10.0.0.0/22" }), worker({ podCIDR: "10.0.0.0/25" })],
    found: { podSubnetPrefix: 25 },
  },
  {
    reason: "one node does not change the network of the others",
    nodes: [worker({ podCIDR: "10.0.0.0/23" }), worker({ podCIDR: "10.0.2.0/23" }), worker({ podCIDR: "10.0.4.0/25" })],
    found: { podSubnetPrefix: 23 },
  },
  {
    reason: "a joining node changes nothing",
    nodes: [worker({ podCIDR: "10.0.0.0/22" }), worker()],
    found: { podSubnetPrefix: 22 },
  },
  { reason: "an IPv6 network", nodes: [worker({ podCIDR: "fd00::/64" })], found: {} },
  { reason: "an invalid network", nodes: [worker({ podCIDR: "10.0.0.0/33" })], found: {} },
  {
    reason: "inherited names",
    nodes: [nodeWithRole(["worker"], { labels: { constructor: "true" }, capacity: { __proto__: "1" } })],
    found: {},
  },
];

test.each(cases)("$reason", ({ nodes, found }) => {
  const nothing = Object.fromEntries(detectors.map((detector) => [detector, false]));
  expect(readHardware(nodes)).toEqual({ ...nothing, podSubnetPrefix: undefined, ...found });
});

test.each(cases)("the projection keeps everything that is read: $reason", ({ nodes }) => {
  const kept = nodes.map(trimmed);
  const rest = { infrastructure: undefined, scheduler: undefined, crds: new Set<string>() };
  expect(readHardware(kept)).toEqual(readHardware(nodes));
  expect(readTopology({ ...rest, nodes: kept })).toEqual(readTopology({ ...rest, nodes }));
});

/** Keeps only the declared fields, as the cache does. */
function trimmed({ apiVersion, kind, ...rest }: KubeObject): KubeObject {
  const kept = leavesOf(rest).filter(([path]) =>
    nodeMembers.some((keys) => keys.every((key, at) => isLike(path[at], key))),
  );
  return kept.reduce<JsonMap>((map, [path, value]) => withLeaf(map, path, value), { apiVersion, kind }) as KubeObject;
}

function leavesOf(map: JsonMap): readonly (readonly [path: readonly string[], value: Json])[] {
  return entriesOf(map).flatMap(([key, value]) =>
    isMap(value) ? leavesOf(value).map(([path, leaf]) => [[key, ...path], leaf] as const) : [[[key], value] as const],
  );
}

function isLike(name = "", key: (typeof nodeMembers)[number][number]): boolean {
  if (typeof key === "string") return name === key;
  if ("begins" in key) return name.startsWith(key.begins);
  return "contains" in key && name.includes(key.contains);
}

function withLeaf(map: JsonMap, [key = "", ...rest]: readonly string[], value: Json): JsonMap {
  const inner = member(map, key);
  return { ...map, [key]: rest.length === 0 ? value : withLeaf(isMap(inner) ? inner : {}, rest, value) };
}

test("reads another list of the same nodes again", () => {
  const [plain, device] = [worker(), worker(feature("iommu-enabled"))];
  const lists = [[plain], [plain, device], [device], [], [plain]];
  expect(lists.map((nodes) => readHardware(nodes).vfioCapable)).toEqual([false, true, true, false, false]);
});

test("a node without fields has no hardware", () => {
  const bare = { apiVersion: "v1", kind: "Node", metadata: { name: "a" } };
  expect(Object.values(readHardware([bare])).some(Boolean)).toBe(false);
});

const networkWith = (...clusterNetwork: readonly JsonMap[]): KubeObject => ({
  apiVersion: "config.openshift.io/v1",
  kind: "Network",
  metadata: { name: "cluster" },
  status: { clusterNetwork },
});

test.each([
  { reason: "uses the hostPrefix of the cluster", entries: [{ cidr: "10.128.0.0/14", hostPrefix: 23 }], found: 23 },
  {
    reason: "uses the smallest of several networks",
    entries: [
      { cidr: "10.128.0.0/14", hostPrefix: 23 },
      { cidr: "10.132.0.0/14", hostPrefix: 25 },
    ],
    found: 25,
  },
  { reason: "ignores an IPv6 network", entries: [{ cidr: "fd01::/48", hostPrefix: 64 }], found: 24 },
  { reason: "without a prefix, uses the nodes", entries: [{ cidr: "10.128.0.0/14" }], found: 24 },
])("$reason, regardless of a single node", ({ entries, found }) => {
  const nodes = [worker({ podCIDR: "10.0.0.0/24" })];
  expect(withHostPrefix(readHardware(nodes), networkWith(...entries)).podSubnetPrefix).toBe(found);
});

test("without a Network, uses the nodes", () => {
  const nodes = [worker({ podCIDR: "10.0.0.0/24" })];
  expect(withHostPrefix(readHardware(nodes), undefined).podSubnetPrefix).toBe(24);
});
