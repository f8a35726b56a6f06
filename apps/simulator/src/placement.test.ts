import type { KubeObject } from "@virt/objects";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ClusterState, Kind } from "./cluster-state.ts";
import { inGiB, Placement } from "./placement.ts";
import { threeWorkers } from "./standard-scenarios.ts";

test.each([
  ["8Gi", 8],
  ["512Mi", 0.5],
  ["1Ti", 1024],
  ["1073741824", 1],
  ["1048576Ki", 1],
  ["1.5Gi", 1.5],
  ["64", 64 / 2 ** 30],
  ["much", 0],
])("reads %s as %d GiB", (quantity, gib) => {
  expect(inGiB(quantity)).toBe(gib);
});

type NodeInput = { readonly memory: number; readonly isReady: boolean; readonly isCordoned: boolean };

const nodeOf = ({ memory, isReady, isCordoned }: NodeInput, index: number): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: `node-${index}`, labels: { "kubevirt.io/schedulable": "true" } },
  spec: { unschedulable: isCordoned },
  status: {
    allocatable: { memory: `${memory}Gi` },
    conditions: [{ type: "Ready", status: isReady ? "True" : "Unknown" }],
  },
});
const machineOf = (memory: number, index: number): KubeObject => ({
  apiVersion: "kubevirt.io/v1",
  kind: "VirtualMachineInstance",
  metadata: { name: `vm-${index}`, namespace: "vms" },
  spec: { domain: { memory: { guest: `${memory}Gi` } } },
});
const clusterOf = (nodes: readonly KubeObject[], seed: number): ClusterState => ({
  seed,
  scenario: threeWorkers,
  timestamp: "",
  createdKeys: new Set(),
  list: (kind: Kind) => (kind === "Node" ? nodes : []),
  servedVersion: () => "v1",
});

test("places VMs on the open node with the most room, if any", () => {
  const node = fc.record({ memory: fc.nat(40), isReady: fc.boolean(), isCordoned: fc.boolean() });
  const nodes = fc.array(node, { maxLength: 5, size: "max" });
  const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 12, size: "max" });
  const law = fc.property(nodes, sizes, fc.nat(), (given, memories, seed) => {
    const placement = new Placement(clusterOf(given.map(nodeOf), seed));
    const free = new Map(given.map(({ memory }, index) => [`node-${index}`, memory * 2 ** 30]));
    const open = given.flatMap(({ isReady, isCordoned }, index) => (isReady && !isCordoned ? [`node-${index}`] : []));
    return memories.every((guest, index) => {
      const memory = guest * 2 ** 30 + (288 + guest * 2) * 2 ** 20; // guest memory, plus the overhead for one CPU and 1/512 of the guest memory
      const most = Math.max(-1, ...open.map((name) => free.get(name) ?? 0));
      const chosen = placement.chooseNode(machineOf(guest, index));
      if (chosen === undefined) return most < memory;
      const isBest = open.includes(chosen) && free.get(chosen) === most && most >= memory;
      free.set(chosen, most - memory);
      return isBest;
    });
  });
  fc.assert(law);
});
