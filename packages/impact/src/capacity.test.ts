import { readNodeFact, readVmFact, requestOf, type VmFact } from "@virt/cluster";
import { compareUtf8 } from "@virt/objects";
import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ClusterRooms } from "./capacity.ts";
import { nodeObject, vmObject } from "./testing/cluster-builder.ts";

const settings = { memoryOvercommit: 100 };
const MiB = 2 ** 20;

test.each([
  { reason: "guest memory with its overhead", spec: {}, status: {}, overcommit: 100, mib: 8192 + 280 + 16 + 16 },
  { reason: "an overcommitted guest", spec: {}, status: {}, overcommit: 200, mib: 4096 + 280 + 16 + 16 },
  {
    reason: "a memory request",
    spec: { domain: { memory: { guest: "8Gi" }, cpu: { cores: 2 }, resources: { requests: { memory: "6Gi" } } } },
    status: {},
    overcommit: 200,
    mib: 6144 + 280 + 16 + 16,
  },
  {
    reason: "the reported overhead of KubeVirt",
    spec: {},
    status: { memory: { guestCurrent: "4Gi", memoryOverhead: "300Mi" } },
    overcommit: 100,
    mib: 4096 + 300,
  },
])("$reason: $mib MiB", ({ spec, status, overcommit, mib }) => {
  const vm = readVmFact(vmObject("a", "b", { spec, status }));
  expect(requestOf(vm, { memoryOvercommit: overcommit }) / MiB).toBe(mib);
});

const nodeNames = ["a", "b", "c", "d", "e"];
const anyRooms = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 5, maxLength: 5 });
const anyVms = fc.array(
  fc.record({
    gib: fc.integer({ min: 1, max: 20 }),
    node: fc.constantFrom(...nodeNames),
    only: fc.constantFrom("", "", "x", "y"),
  }),
  { maxLength: 14 },
);
const labelOf = (at: number) => (at % 2 === 0 ? "x" : "y");

/** A simple, slow implementation: places the largest VM first, on the node with the most free memory. Ties are broken by name. */
function placeSlowly(memory: readonly number[], vms: readonly VmFact[], wave: readonly string[]) {
  const free = new Map(
    nodeNames.map((name, at) => {
      const used = vms.filter(({ node }) => node === name).reduce((sum, vm) => sum + requestOf(vm, settings), 0);
      return [name, Math.floor(0.9 * (memory[at] ?? 0) * 1024 * MiB) - used];
    }),
  );
  const leaving = vms
    .filter(({ node }) => wave.includes(node))
    .toSorted(
      (one, other) => requestOf(other, settings) - requestOf(one, settings) || compareUtf8(one.name, other.name),
    );
  const unplaced = leaving.filter((vm) => {
    const selected = vm.placement.nodeSelector["kind"];
    const [target] = nodeNames
      .filter((name, at) => !wave.includes(name) && (selected === undefined || selected === labelOf(at)))
      .toSorted((one, other) => (free.get(other) ?? 0) - (free.get(one) ?? 0) || compareUtf8(one, other));
    const left = (free.get(target ?? "") ?? 0) - requestOf(vm, settings);
    if (target === undefined || left < 0) return true;
    free.set(target, left);
    return false;
  });
  const unplacedBytes = unplaced.reduce((sum, vm) => sum + requestOf(vm, settings), 0);
  return unplaced.length === 0 ? undefined : { nodes: wave, unplacedVms: unplaced.length, unplacedBytes };
}

test("places VMs by the greedy rule in any cluster", () => {
  const law = fc.property(anyRooms, anyVms, fc.subarray(nodeNames, { minLength: 1 }), (memory, given, wave) => {
    const nodes = nodeNames.map((name, at) =>
      readNodeFact(nodeObject(name, { memory: `${memory[at] ?? 0}Gi`, labels: { kind: labelOf(at) } })),
    );
    const vms = given.map(({ gib, node, only }, at) => {
      const domain = { memory: { guest: `${gib}Gi` } };
      return readVmFact(
        vmObject(`vm-${at}`, node, { spec: { domain, ...(only !== "" && { nodeSelector: { kind: only } }) } }),
      );
    });
    const leaving = vms.filter(({ node }) => wave.includes(node));
    expect(new ClusterRooms(nodes, vms, settings).placeWave(wave, leaving)).toEqual(placeSlowly(memory, vms, wave));
  });
  fc.assert(law, runsForCost(10));
});

test("fragmented memory does not fit a large VM", () => {
  const nodes = nodeNames.map((name) => readNodeFact(nodeObject(name, { memory: "12Gi" })));
  const [large, small] = [11, 9].map((gib) => readVmFact(vmObject(`vm-${gib}`, "a", { gib })));
  const rooms = new ClusterRooms(nodes, [], settings);
  expect(rooms.placeWave(["a"], large ? [large] : [])).toMatchObject({ unplacedVms: 1 });
  expect(rooms.placeWave(["a"], small ? [small] : [])).toBeUndefined();
  const selected = readVmFact(vmObject("vm", "a", { gib: 9, spec: { nodeSelector: { kind: "none" } } }));
  expect(rooms.placeWave(["a"], [selected])).toMatchObject({ unplacedVms: 1 });
});

test("a node without reported memory is a target without capacity", () => {
  const rooms = new ClusterRooms([readNodeFact(nodeObject("a", { memory: "many" }))], [], settings);
  const vm = readVmFact(vmObject("vm", "b"));
  expect(rooms.hasTarget(vm.placement, new Set(["b"]))).toBe(true);
  expect(rooms.hasTarget(vm.placement, new Set(["a"]))).toBe(false);
  expect(rooms.placeWave(["b"], [vm])).toMatchObject({ unplacedVms: 1 });
});
