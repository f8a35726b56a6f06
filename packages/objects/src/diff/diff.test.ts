import type { KubeObject } from "@virt/api";
import { applyPatch } from "diff";
import fc from "fast-check";
import { expect, test } from "vitest";
import { writeYaml } from "../encoding/yaml.ts";
import { equalJson, type Json } from "../json/json.ts";
import { changeDiff, creationDiff, deletionDiff, equalDiff, wholeDiff } from "./diff.ts";

const psi: KubeObject = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfig",
  metadata: { name: "99-worker-psi-karg", labels: { "machineconfiguration.openshift.io/role": "worker" } },
  spec: { kernelArguments: ["psi=1"] },
};

test("the creation of the PSI MachineConfig has the specified diff", () => {
  expect(creationDiff(psi)).toBe(`--- /dev/null
+++ 99-worker-psi-karg (MachineConfig)
@@ -0,0 +1,9 @@
+apiVersion: machineconfiguration.openshift.io/v1
+kind: MachineConfig
+metadata:
+  labels:
+    machineconfiguration.openshift.io/role: worker
+  name: 99-worker-psi-karg
+spec:
+  kernelArguments:
+  - psi=1
`);
});

test("a deletion shows every removed line", () => {
  const text = deletionDiff(psi);
  expect(text).toMatch(/^--- 99-worker-psi-karg \(MachineConfig\)\n\+\+\+ \/dev\/null\n@@ -1,9 \+0,0 @@\n-apiVersion/);
  expect(text.split("\n")).toHaveLength(13);
});

const descheduler = (spec: Json, rest: Record<string, Json> = {}): KubeObject => ({
  apiVersion: "operator.openshift.io/v1",
  kind: "KubeDescheduler",
  metadata: { name: "cluster", namespace: "openshift-kube-descheduler-operator" },
  spec,
  ...rest,
});

const noChanges = "--- cluster (KubeDescheduler)\n+++ cluster (KubeDescheduler)\n(no changes)\n";

test("an unchanged object has the specified diff", () => {
  expect(changeDiff(descheduler({ mode: "Automatic" }), descheduler({ mode: "Automatic" }))).toBe(noChanges);
  expect(equalDiff({ kind: "KubeDescheduler", name: "cluster" })).toBe(noChanges);
});

test("fields that the server sets are not a change", () => {
  const metadata = {
    ...descheduler({}).metadata,
    managedFields: [{ manager: "x" }],
    resourceVersion: "7",
    generation: 3,
    creationTimestamp: "2025-12-18T21:13:17Z",
    uid: "893b77f0",
    selfLink: "/x",
  };
  const live = descheduler({ mode: "Automatic" }, { metadata, status: { ready: true } });
  expect(changeDiff(live, descheduler({ mode: "Automatic" }))).toBe(noChanges);
});

test("a change has the specified diff", () => {
  const spec = (interval: number, node: number, total: number): Json => ({
    deschedulingIntervalSeconds: interval,
    evictionLimits: { node, total },
    logLevel: "Normal",
    managementState: "Managed",
    mode: "Automatic",
    operatorLogLevel: "Normal",
  });
  expect(changeDiff(descheduler(spec(180, 2, 5)), descheduler(spec(60, 4, 10)))).toBe(`--- cluster (KubeDescheduler)
+++ cluster (KubeDescheduler)
@@ -4,10 +4,10 @@
   name: cluster
   namespace: openshift-kube-descheduler-operator
 spec:
-  deschedulingIntervalSeconds: 180
+  deschedulingIntervalSeconds: 60
   evictionLimits:
-    node: 2
-    total: 5
+    node: 4
+    total: 10
   logLevel: Normal
   managementState: Managed
   mode: Automatic
`);
});

test("shows blank lines of a text, and none after its end", () => {
  expect(creationDiff(descheduler({ text: "a\n\n\n" }))).toMatch(
    /@@ -0,0 \+1,10 @@\n[^]*\n\+ {2}text: \|\+\n\+ {4}a\n\+\n\+\n$/,
  );
});

const leaf = fc.constantFrom<Json>(1, 2, "a", "- b", "x\ny\n", "x\n\n", "", {}, "--- a", "+++ b");
const anySpec = fc.dictionary(fc.constantFrom("a", "b", "-- c"), fc.oneof(leaf, fc.array(leaf, { maxLength: 3 })));

test("patching one side with a diff gives the other", () => {
  const law = fc.property(anySpec, anySpec, (before, after) => {
    const [live, predicted] = [descheduler(before), descheduler(after)];
    const [old, fresh] = [writeYaml(live), writeYaml(predicted)];
    if (equalJson(before, after)) return changeDiff(live, predicted) === noChanges;
    return [
      applyPatch(old, changeDiff(live, predicted)) === fresh,
      applyPatch("", creationDiff(predicted)) === fresh,
      applyPatch(old, deletionDiff(live)) === "",
    ].every(Boolean);
  });
  fc.assert(law);
});

test("a whole diff equals the reviewed one, and a raw one shows stored data", () => {
  const [live, fresh] = [descheduler({ mode: "Automatic" }), descheduler({ mode: "Predictive" })];
  const decoded = { isRaw: false };
  expect(wholeDiff(live, fresh, decoded)).toBe(changeDiff(live, fresh));
  expect(wholeDiff(live, live, decoded)).toBe(noChanges);
  expect(wholeDiff(undefined, psi, decoded)).toBe(creationDiff(psi));
  expect(wholeDiff(psi, undefined, decoded)).toBe(deletionDiff(psi));
  const source = "data:,hello";
  const config = { storage: { files: [{ path: "/etc/x", contents: { source } }] } };
  const machineConfig = { ...psi, spec: { config } };
  expect(wholeDiff(undefined, machineConfig, decoded)).not.toContain(source);
  expect(wholeDiff(undefined, machineConfig, { isRaw: true })).toContain(source);
  const long = descheduler({ text: "line\n".repeat(9_000) });
  expect(creationDiff(long)).toContain("more lines");
  expect(wholeDiff(undefined, long, decoded)).not.toContain("more lines");
});
