import type { KubeObject } from "@virt/engine";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Kind } from "./kinds.ts";
import { inGiB, Placement } from "./placement.ts";
import { threeWorkers } from "./scenarios/three-workers.ts";
import type { World } from "./world.ts";

test.each([
  ["8Gi", 8],
  ["512Mi", 0.5],
  ["1Ti", 1024],
  ["1073741824", 1],
  ["1048576Ki", 1],
  ["1.5Gi", 1.5],
  ["64", 64 / 2 ** 30],
  ["much", 0],
])("%s are %d GiB", (quantity, gib) => {
  expect(inGiB(quantity)).toBe(gib);
});

type Host = { readonly memory: number; readonly isReady: boolean; readonly isCordoned: boolean };

const nodeOf = ({ memory, isReady, isCordoned }: Host, place: number): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: `node-${place}`, labels: { "kubevirt.io/schedulable": "true" } },
  spec: { unschedulable: isCordoned },
  status: {
    allocatable: { memory: `${memory}Gi` },
    conditions: [{ type: "Ready", status: isReady ? "True" : "Unknown" }],
  },
});
const machineOf = (memory: number, place: number): KubeObject => ({
  apiVersion: "kubevirt.io/v1",
  kind: "VirtualMachineInstance",
  metadata: { name: `vm-${place}`, namespace: "vms" },
  spec: { domain: { memory: { guest: `${memory}Gi` } } },
});
const worldOf = (nodes: readonly KubeObject[], seed: number): World => ({
  seed,
  scenario: threeWorkers,
  wall: "",
  made: new Set(),
  of: (kind: Kind) => (kind === "Node" ? nodes : []),
  versionOf: () => "v1",
});

test("machines go to open nodes with room for all that they are given, and wait only where there is none", () => {
  const host = fc.record({ memory: fc.nat(40), isReady: fc.boolean(), isCordoned: fc.boolean() });
  const hosts = fc.array(host, { maxLength: 5, size: "max" });
  const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 12, size: "max" });
  const law = fc.property(hosts, sizes, fc.nat(), (given, memories, seed) => {
    const placement = new Placement(worldOf(given.map(nodeOf), seed));
    const free = new Map(given.map(({ memory }, place) => [`node-${place}`, memory]));
    const open = given.flatMap(({ isReady, isCordoned }, place) => (isReady && !isCordoned ? [`node-${place}`] : []));
    return memories.every((memory, place) => {
      const most = Math.max(-1, ...open.map((name) => free.get(name) ?? 0));
      const chosen = placement.choose(machineOf(memory, place));
      if (chosen === undefined) return most < memory;
      const isBest = open.includes(chosen) && free.get(chosen) === most && most >= memory;
      free.set(chosen, most - memory);
      return isBest;
    });
  });
  fc.assert(law, { numRuns: 20_000 });
});
