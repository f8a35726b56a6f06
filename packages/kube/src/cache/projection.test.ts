// Tests which parts of an object a projection keeps, and which changes it reports.

import type { KubeObject, Projection } from "@virt/objects";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isSameProjection, keepsOwners, projectedBytes, projectObject, SharedValues } from "./projection.ts";

const node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name: "n1",
    uid: "u",
    resourceVersion: "5",
    labels: { role: "worker" },
    annotations: { keep: "1", drop: "2" },
    managedFields: [{ manager: "kubelet" }],
  },
  spec: { podCIDR: "10.0.0.0/24", taints: [] },
  status: { capacity: { cpu: "4" }, conditions: [{ type: "Ready" }] },
};

test("keeps declared parts and identity only", () => {
  const parts = [
    ["metadata", "annotations", "keep"],
    ["spec", "podCIDR"],
    ["status", "capacity"],
    ["status", "missing"],
  ];
  expect(projectObject(node, { keep: "parts", parts })).toEqual({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n1", uid: "u", resourceVersion: "5", annotations: { keep: "1" } },
    spec: { podCIDR: "10.0.0.0/24" },
    status: { capacity: { cpu: "4" } },
  });
});

test("keeps declared members only", () => {
  const labels = { "role/worker": "", "role/infra": "", "cpu-feature/avx": "true", "other-role/worker": "" };
  const labelled = { ...node, metadata: { ...node.metadata, labels } };
  const members = [
    ["metadata", "name"],
    ["metadata", "labels", { begins: "role/" }],
    ["metadata", "labels", { contains: "-feature/" }],
    ["metadata", "annotations", "missing"],
    ["spec", "podCIDR", "deeper"],
    ["status", "capacity"],
    ["status", "capacity", "memory"],
  ];
  expect(projectObject(labelled, { keep: "members", members })).toEqual({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n1", labels: { "role/worker": "", "role/infra": "", "cpu-feature/avx": "true" } },
    status: { capacity: { cpu: "4" } },
  });
});

test("keeps labels and list entries by their declared properties", () => {
  const labels = { zone: "a", "cpu-model/x": "true", "cpu-feature/avx": "true" };
  const conditions = [
    { type: "Ready", status: "True", lastHeartbeatTime: "now" },
    { type: "PIDPressure", status: "False" },
    "odd",
    { type: 7, status: "odd" },
  ];
  const full = { ...node, metadata: { ...node.metadata, labels }, status: { conditions } };
  const ready = { among: ["Ready"], key: "type" };
  const members = [
    ["metadata", "labels", { beginsNot: ["cpu-"] }],
    ["status", "conditions", ready, "type"],
    ["status", "conditions", ready, "status"],
    ["status", "capacity", ready, "status"],
  ];
  expect(projectObject(full, { keep: "members", members })).toEqual({
    apiVersion: "v1",
    kind: "Node",
    metadata: { labels: { zone: "a" } },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  });
});

test("replaces a value that exceeds its limit with a marker", () => {
  const projection: Projection = { keep: "members", members: [["spec", "terms", { atMost: 100 }]] };
  const kept = (terms: readonly string[]) => {
    const object = { apiVersion: "v1", kind: "Node", metadata: { name: "a" }, spec: { terms: [...terms] } };
    return projectObject(object, projection)["spec"];
  };
  expect(kept(["a", "b"])).toEqual({ terms: ["a", "b"] });
  expect(kept(Array.from({ length: 1000 }, () => "term"))).toEqual({ terms: "(over the limit)" });
});

test("keeps metadata without managed fields", () => {
  const kept = projectObject(node, { keep: "metadata" });
  expect(Object.keys(kept)).toEqual(["apiVersion", "kind", "metadata"]);
  expect(kept.metadata["managedFields"]).toBeUndefined();
});

test("a heartbeat outside the declared parts is not a change", () => {
  const beat = {
    ...node,
    metadata: { ...node.metadata, resourceVersion: "6" },
    status: { ...node.status, conditions: [] },
  };
  const seen = (object: typeof node) => projectObject(object, { keep: "parts", parts: [["status", "capacity"]] });
  expect(isSameProjection(seen(node), seen(beat))).toBe(true);
  expect(isSameProjection(node, beat)).toBe(false);
  const grown = { ...beat, status: { ...beat.status, capacity: { cpu: "8" } } };
  expect(isSameProjection(seen(node), seen(grown))).toBe(false);
});

test("compares only the kept members", () => {
  const members = [
    ["metadata", "name"],
    ["status", "capacity", { begins: "c" }],
  ];
  const seen = (version: string, capacity: Readonly<Record<string, string>>) =>
    projectObject(
      { ...node, metadata: { ...node.metadata, resourceVersion: version }, status: { capacity } },
      { keep: "members", members },
    );
  expect(isSameProjection(seen("1", { cpu: "4", memory: "1Gi" }), seen("2", { cpu: "4", memory: "2Gi" }))).toBe(true);
  expect(isSameProjection(seen("1", { cpu: "4" }), seen("2", { cpu: "8" }))).toBe(false);
  expect(isSameProjection(seen("1", { cpu: "4" }), seen("2", {}))).toBe(false);
});

const owning: readonly (readonly [reason: string, projection: Projection, isKept: boolean])[] = [
  ["are kept with the whole object", { keep: "all" }, true],
  ["are not part of kept metadata", { keep: "metadata" }, false],
  ["are kept as a declared part", { keep: "parts", parts: [["spec"], ["metadata", "managedFields"]] }, true],
  ["are kept in a declared part", { keep: "parts", parts: [["metadata"]] }, true],
  [
    "are not kept with other parts",
    {
      keep: "parts",
      parts: [
        ["spec", "managedFields"],
        ["metadata", "annotations"],
      ],
    },
    false,
  ],
  ["are kept by a matching prefix", { keep: "members", members: [["metadata", { begins: "managed" }]] }, true],
  ["are not kept with other members", { keep: "members", members: [["metadata", "labels", { contains: "/" }]] }, false],
];

test.each(owning)("managed fields %s", (_reason, projection, isKept) => {
  expect(keepsOwners(projection)).toBe(isKept);
  const { metadata } = projectObject(node, projection);
  expect(metadata?.["managedFields"] !== undefined).toBe(isKept);
});

test("the size of a value includes texts, keys and members", () => {
  const text = "x".repeat(1_000);
  expect(projectedBytes({ metadata: { labels: { [text]: text } }, spec: [text, 1, null, true] })).toBeGreaterThan(
    3_000,
  );
  expect(projectedBytes(node)).toBeLessThan(1_500);
  expect(projectedBytes(undefined)).toBeGreaterThan(0);
});

const vm = (name: string, guest = "8Gi"): KubeObject =>
  JSON.parse(
    JSON.stringify({
      apiVersion: "kubevirt.io/v1",
      kind: "VirtualMachineInstance",
      metadata: { name, namespace: "vms" },
      spec: { domain: { memory: { guest }, cpu: { sockets: 2 } }, tolerations: [{ key: "gpu" }] },
    }),
  ) as KubeObject;

test("objects share all equal parts", () => {
  const shared = new SharedValues();
  const [first, second, larger] = [vm("a"), vm("b"), vm("c", "16Gi")].map((each) => shared.shareObject(each));
  expect(second?.["spec"]).toBe(first?.["spec"]);
  const [partOf, partOfLarger] = [first, larger].map(
    (each) => each?.["spec"] as { readonly domain: { readonly cpu: unknown }; readonly tolerations: unknown },
  );
  expect(partOfLarger?.domain.cpu).toBe(partOf?.domain.cpu);
  expect(partOfLarger?.tolerations).toBe(partOf?.tolerations);
  expect(larger).toEqual(vm("c", "16Gi"));
});

test("distinguishes a JSON text from the value that it describes", () => {
  const shared = new SharedValues();
  const object = (value: unknown) => ({ ...vm("a"), status: { value } }) as unknown as KubeObject;
  expect(shared.shareObject(object({ a: 1 }))).toEqual(object({ a: 1 }));
  expect(shared.shareObject(object('{"a":1}'))).toEqual(object('{"a":1}'));
  expect(shared.shareObject(object("[]"))).toEqual(object("[]"));
  expect(shared.shareObject(object([]))).toEqual(object([]));
});

test("shared objects equal the originals, including key order", () => {
  const rest = fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 3 });
  const object = rest.map((members) => ({ ...vm("a"), status: members }));
  const law = fc.property(fc.array(object, { maxLength: 30 }), (objects) => {
    const shared = new SharedValues();
    return objects.every((each) => JSON.stringify(shared.shareObject(each)) === JSON.stringify(each));
  });
  fc.assert(law);
});

test("forgets unrelated values, so that memory is bounded", () => {
  const shared = new SharedValues();
  const spec = () => shared.shareObject(vm("same"))["spec"];
  const before = spec();
  for (let index = 0; index < 5_000; index++) shared.shareObject(vm(`vm-${index}`, `${index}Mi`));
  expect(spec()).not.toBe(before);
  expect(spec()).toBe(spec());
});
