import { fieldManagers, type Item, type KubeObject, type Status, type VirtPlatformConfig } from "@virt/api";
import { creationDiff, deletionDiff, equalDiff } from "@virt/engine";
import { expect, test } from "vitest";
import { readDiff } from "./diff-lines.ts";
import { driftedTargets, driftRows, type LiveTarget, movedInputs } from "./drift-rows.ts";
import { profileRows } from "./profile-rows.ts";
import { ageText } from "./rollout-view.ts";

const since = "2026-01-01T00:00:00Z";
const desired: KubeObject = {
  apiVersion: "operator.openshift.io/v1",
  kind: "KubeDescheduler",
  metadata: { name: "cluster", namespace: "ns" },
  spec: { mode: "Automatic", interval: "60s" },
};
const item: Item = {
  name: "descheduling",
  operation: "Apply",
  targetRef: { apiVersion: desired.apiVersion, kind: desired.kind, name: "cluster", namespace: "ns" },
  impactSeverity: "Low",
  changes: true,
  diff: "",
  desiredState: desired,
  state: "Completed",
  message: "has drifted",
};
const drifted = (items: readonly Item[] = [item], status: Status = {}): VirtPlatformConfig => ({
  apiVersion: "advisor.kubevirt.io/v1alpha1",
  kind: "VirtPlatformConfig",
  metadata: { name: "x" },
  spec: { profile: "x", action: "Apply", failurePolicy: "Abort", bypassOptimisticLock: false },
  status: {
    phase: "Drifted",
    items,
    conditions: [{ type: "Drifted", status: "True", reason: "", message: "", lastTransitionTime: since }],
    ...status,
  },
});
const owner = (manager: string, operation: string, field: string) => ({
  manager,
  operation,
  apiVersion: desired.apiVersion,
  fieldsV1: { "f:spec": { [`f:${field}`]: {} } },
});
const edited: KubeObject = {
  ...desired,
  metadata: {
    ...desired.metadata,
    managedFields: [owner(fieldManagers.advisor, "Apply", "interval"), owner("kubectl-edit", "Update", "mode")],
  },
  spec: { mode: "Predictive", interval: "1m0s", extra: true },
};

test("a changed field is shown with both values and who changed it; another form of a value is no drift", () => {
  const rows = driftRows(drifted(), () => ({ kind: "found", object: edited }));
  expect(rows).toEqual([
    {
      config: "x",
      item: "descheduling",
      target: item.targetRef,
      since,
      field: "spec.mode",
      wanted: '"Automatic"',
      found: '"Predictive"',
      manager: "kubectl-edit",
      operation: "Update",
    },
  ]);
});

const whole: readonly { reason: string; of: Item; live: LiveTarget; row: object | undefined }[] = [
  { reason: "an object that is gone", of: item, live: { kind: "absent" }, row: { wanted: "exists", found: "absent" } },
  {
    reason: "an object that is back",
    of: { ...item, operation: "Delete" },
    live: { kind: "found", object: desired },
    row: { wanted: "absent", found: "exists" },
  },
  {
    reason: "an object that may not be read, with what the advisor says of it",
    of: item,
    live: { kind: "unknown", message: "forbidden" },
    row: { wanted: "?", found: "?", message: "has drifted (forbidden)" },
  },
  {
    reason: "nothing of an item that was not applied",
    of: { ...item, state: "Pending" },
    live: { kind: "absent" },
    row: undefined,
  },
];

test.each(whole)("drift shows $reason", ({ of, live, row }) => {
  const rows = driftRows(drifted([of]), () => live);
  expect(rows).toMatchObject(row === undefined ? [] : [{ field: "", ...row }]);
});

test("whether there is drift is the advisor's word", () => {
  const calm = drifted([item], { phase: "Completed" });
  expect(driftRows(calm, () => ({ kind: "found", object: edited }))).toEqual([]);
  expect(driftedTargets(calm)).toEqual([]);
  expect(driftedTargets(drifted())).toEqual([item.targetRef]);
});

test("a moved input stands apart from changed targets", () => {
  const conditions = [
    {
      type: "InputDependencyDrift",
      status: "True" as const,
      reason: "InputChanged",
      message: "",
      lastTransitionTime: since,
    },
  ];
  const inputs = [
    { name: "parallelMigrationsPerCluster", used: "10", applied: "5" },
    { name: "other", used: "1", applied: "1" },
  ];
  expect(movedInputs(drifted([], { conditions, inputs }))).toEqual([
    { config: "x", name: "parallelMigrationsPerCluster", applied: "5", now: "10" },
  ]);
  expect(movedInputs(drifted([], { inputs }))).toEqual([]);
});

test("creations, deletions and equal objects read as what they are", () => {
  const [made, gone, equal] = [creationDiff(desired), deletionDiff(desired), equalDiff(desired.metadata as never)].map(
    readDiff,
  );
  expect(made).toMatchObject({
    oldTitle: "/dev/null",
    freshTitle: "cluster (KubeDescheduler)",
    removed: 0,
    leftOut: 0,
  });
  expect(made?.hunks[0]?.lines[0]).toEqual({ kind: "added", text: "apiVersion: operator.openshift.io/v1", fresh: 1 });
  expect(gone).toMatchObject({ freshTitle: "/dev/null", added: 0 });
  expect(gone?.removed).toBe(made?.added);
  expect(equal).toMatchObject({ hunks: [], added: 0, removed: 0 });
});

test("a hunk inside a file says which, and a cut diff says how much is left out", () => {
  const text =
    "--- a (K)\n+++ a (K)\n@@ -9,1 +9,1 @@ ~ file /etc/x\n-old\n+new\n… 12 more lines: kubectl virt-advisor diff\n";
  expect(readDiff(text)).toMatchObject({ hunks: [{ heading: "~ file /etc/x" }], added: 1, removed: 1, leftOut: 12 });
});

test("profiles come in the order of their names, before and after the advisor has seen them", () => {
  const { status: _, ...unseen } = drifted();
  const rows = profileRows([drifted(), { ...unseen, metadata: { name: "a" } }], Date.parse(since));
  expect(rows.map(({ name, isDrifted, next }) => [name, isDrifted, next.kind])).toEqual([
    ["a", false, "wait"],
    ["x", true, "replan"],
  ]);
});

const ages: readonly (readonly [number, string])[] = [
  [0, "0s"],
  [48, "48s"],
  [119, "119s"],
  [150, "2m30s"],
  [630, "10m"],
  [3600, "1h"],
  [12_000, "3h20m"],
  [90_000, "1d1h"],
];

test.each(ages)("an age of %i seconds reads %s", (seconds, text) => {
  expect(ageText(seconds)).toBe(text);
});
