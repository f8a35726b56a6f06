import { expect, test } from "vitest";
import { isSame, project } from "./projection.ts";

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

test("of the labels only those are kept that begin as declared", () => {
  const labels = { "role/worker": "", "role/infra": "", "cpu-feature/avx": "true", "other-role/worker": "" };
  const labelled = { ...node, metadata: { ...node.metadata, labels } };
  const kept = project(labelled, { keep: "parts", parts: [], labels: ["role/", "cpu-feature/avx"] });
  expect(kept.metadata.labels).toEqual({ "role/worker": "", "role/infra": "", "cpu-feature/avx": "true" });
});

test("an object without labels stays without", () => {
  const { labels: _none, ...metadata } = node.metadata;
  const kept = project({ ...node, metadata }, { keep: "parts", parts: [], labels: ["role/"] });
  expect(kept.metadata.labels).toBeUndefined();
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
