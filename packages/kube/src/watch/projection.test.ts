// What is kept of an object, and which changes of it count.

import { expect, test } from "vitest";
import { isSame, keepsOwners, type Projection, project } from "./projection.ts";

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

test("declared parts are kept beside identity and labels, and nothing else", () => {
  const parts = [
    ["metadata", "annotations", "keep"],
    ["spec", "podCIDR"],
    ["status", "capacity"],
    ["status", "missing"],
  ];
  expect(project(node, { keep: "parts", parts })).toEqual({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n1", uid: "u", resourceVersion: "5", labels: { role: "worker" }, annotations: { keep: "1" } },
    spec: { podCIDR: "10.0.0.0/24" },
    status: { capacity: { cpu: "4" } },
  });
});

test("declared members are kept alone", () => {
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
  expect(project(labelled, { keep: "members", members })).toEqual({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n1", labels: { "role/worker": "", "role/infra": "", "cpu-feature/avx": "true" } },
    status: { capacity: { cpu: "4" } },
  });
});

test("metadata is kept without its managed fields", () => {
  const kept = project(node, { keep: "metadata" });
  expect(Object.keys(kept)).toEqual(["apiVersion", "kind", "metadata"]);
  expect(kept.metadata["managedFields"]).toBeUndefined();
});

test("a heartbeat that touches none of the declared parts is no change", () => {
  const beat = {
    ...node,
    metadata: { ...node.metadata, resourceVersion: "6" },
    status: { ...node.status, conditions: [] },
  };
  const seen = (object: typeof node) => project(object, { keep: "parts", parts: [["status", "capacity"]] });
  expect(isSame(seen(node), seen(beat))).toBe(true);
  expect(isSame(node, beat)).toBe(false);
  const grown = { ...beat, status: { ...beat.status, capacity: { cpu: "8" } } };
  expect(isSame(seen(node), seen(grown))).toBe(false);
});

test("so it is where only members are kept, and what is kept of them is compared", () => {
  const members = [
    ["metadata", "name"],
    ["status", "capacity", { begins: "c" }],
  ];
  const seen = (version: string, capacity: Readonly<Record<string, string>>) =>
    project(
      { ...node, metadata: { ...node.metadata, resourceVersion: version }, status: { capacity } },
      { keep: "members", members },
    );
  expect(isSame(seen("1", { cpu: "4", memory: "1Gi" }), seen("2", { cpu: "4", memory: "2Gi" }))).toBe(true);
  expect(isSame(seen("1", { cpu: "4" }), seen("2", { cpu: "8" }))).toBe(false);
  expect(isSame(seen("1", { cpu: "4" }), seen("2", {}))).toBe(false);
});

const owning: readonly { reason: string; projection: Projection; isKept: boolean }[] = [
  { reason: "are kept with all", projection: { keep: "all" }, isKept: true },
  { reason: "are no part of the metadata that is kept", projection: { keep: "metadata" }, isKept: false },
  {
    reason: "are kept as a part",
    projection: { keep: "parts", parts: [["spec"], ["metadata", "managedFields"]] },
    isKept: true,
  },
  { reason: "are kept with a part", projection: { keep: "parts", parts: [["metadata"]] }, isKept: true },
  {
    reason: "are not kept with others",
    projection: {
      keep: "parts",
      parts: [
        ["spec", "managedFields"],
        ["metadata", "annotations"],
      ],
    },
    isKept: false,
  },
  {
    reason: "are kept by what their name is like",
    projection: { keep: "members", members: [["metadata", { begins: "managed" }]] },
    isKept: true,
  },
  {
    reason: "are not kept beside other members",
    projection: { keep: "members", members: [["metadata", "labels", { contains: "/" }]] },
    isKept: false,
  },
];

test.each(owning)("owners $reason", ({ projection, isKept }) => {
  expect(keepsOwners(projection)).toBe(isKept);
  const { metadata } = project(node, projection);
  expect(metadata?.["managedFields"] !== undefined).toBe(isKept);
});
