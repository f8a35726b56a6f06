import type { KubeObject } from "@virt/api";
import { expect, test } from "vitest";
import { driftDiff } from "./drift-diff.ts";

const object = (spec: KubeObject["spec"]): KubeObject => ({
  apiVersion: "operator.openshift.io/v1",
  kind: "KubeDescheduler",
  metadata: { name: "cluster" },
  spec,
});
const item = { operation: "Apply", desiredState: object({ mode: "Automatic", nested: { interval: 60 } }) } as const;

test("shows a changed field and the applied value, without foreign fields", () => {
  const live = object({ mode: "Automatic", nested: { interval: 4321, foreign: true }, profiles: ["a"] });
  const diff = driftDiff(item, { kind: "found", object: live }) ?? "";
  const changed = diff.split("\n").filter((line) => /^[-+](?![-+])/.test(line));
  expect(changed).toEqual(["-    interval: 4321", "+    interval: 60"]);
});

test("shows a deleted object as a creation, and an unreadable one not at all", () => {
  expect(driftDiff(item, { kind: "absent" })).toContain("--- /dev/null");
  expect(driftDiff(item, { kind: "unknown", message: "forbidden" })).toBeUndefined();
});
