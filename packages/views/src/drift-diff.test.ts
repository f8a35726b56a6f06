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

test("a changed field is shown as it is and as it was applied, beside foreign fields that stay", () => {
  const live = object({ mode: "Automatic", nested: { interval: 4321, foreign: true }, profiles: ["a"] });
  const diff = driftDiff(item, { kind: "found", object: live }) ?? "";
  const changed = diff.split("\n").filter((line) => /^[-+](?![-+])/.test(line));
  expect(changed).toEqual(["-    interval: 4321", "+    interval: 60"]);
});

test("a deleted object is shown as one to create, and an unreadable one not at all", () => {
  expect(driftDiff(item, { kind: "absent" })).toContain("--- /dev/null");
  expect(driftDiff(item, { kind: "unknown", message: "forbidden" })).toBeUndefined();
});
