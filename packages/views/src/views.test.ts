import {
  fieldManagers,
  type Impact,
  type Item,
  type KubeObject,
  type RolloutStatus,
  type Status,
  type VirtPlatformConfig,
} from "@virt/api";
import { creationDiff, deletionDiff, equalDiff } from "@virt/objects";
import { expect, test } from "vitest";
import { readDiff } from "./diff-lines.ts";
import { driftedTargets, driftRows, type LiveTarget, movedInputs } from "./drift-rows.ts";
import { phaseWord, profileRow, profileRows, progressCount } from "./profile-rows.ts";
import { ageText, expectedRollout, unrenderedPools } from "./rollout-progress.ts";

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

test("shows a changed field with both values and its manager, not equivalents", () => {
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
  { reason: "a deleted object", of: item, live: { kind: "absent" }, row: { wanted: "exists", found: "absent" } },
  {
    reason: "a re-created object",
    of: { ...item, operation: "Delete" },
    live: { kind: "found", object: desired },
    row: { wanted: "absent", found: "exists" },
  },
  {
    reason: "an unreadable object with the advisor's message",
    of: item,
    live: { kind: "unknown", message: "forbidden" },
    row: { wanted: "?", found: "?", message: "has drifted (forbidden)" },
  },
  {
    reason: "no item that was not applied",
    of: { ...item, state: "Pending" },
    live: { kind: "absent" },
    row: undefined,
  },
];

test.each(whole)("drift shows $reason", ({ of, live, row }) => {
  const rows = driftRows(drifted([of]), () => live);
  expect(rows).toMatchObject(row === undefined ? [] : [{ field: "", ...row }]);
});

test("reports drift only if the advisor does", () => {
  const calm = drifted([item], { phase: "Completed", conditions: [] });
  expect(driftRows(calm, () => ({ kind: "found", object: edited }))).toEqual([]);
  expect(driftedTargets(calm)).toEqual([]);
  expect(driftedTargets(drifted())).toEqual([item.targetRef]);
});

test.each(["InProgress", "Failed"] as const)("drift of an applied item is listed in phase %s", (phase) => {
  const config = drifted([item, { ...item, name: "later", state: "Pending" }], { phase });
  expect(driftRows(config, () => ({ kind: "found", object: edited })).map((row) => row.item)).toEqual(["descheduling"]);
  expect(profileRows([config], Date.parse(since))).toMatchObject([{ phase, isDrifted: true }]);
});

test("a blocked plan is stuck, with the counts of the progress column", () => {
  const stalled = {
    type: "Stalled",
    status: "True" as const,
    reason: "RolloutStuck",
    message: "",
    lastTransitionTime: since,
  };
  const rowIn = (status: Status) => profileRow(drifted([], { conditions: [stalled], ...status }), 0);
  const stuck = rowIn({ phase: "InProgress", progress: "stuck: 0/12 nodes" });
  expect([phaseWord(stuck), progressCount(stuck)]).toEqual(["Stuck", "0/12 nodes"]);
  const running = rowIn({ phase: "InProgress", progress: "4/12 nodes", conditions: [] });
  expect([phaseWord(running), progressCount(running)]).toEqual(["InProgress", "4/12 nodes"]);
  const failed = rowIn({ phase: "Failed" });
  expect([phaseWord(failed), progressCount(failed)]).toEqual(["Failed", undefined]);
});

const assessedPool = {
  name: "worker",
  class: "Reboot",
  nodes: 12,
  held: 0,
  atOnce: 1,
  waves: 12,
  order: ["w-0", "w-1"],
} as const;
const done = { name: "worker", total: 12, done: 12, inHand: 0, waiting: 0, degraded: 0 };
const earlier: RolloutStatus = {
  summary: "",
  pools: [done],
  nodes: [],
  findings: [],
  more: { pools: 0, nodes: 0, findings: 0 },
};

test("shows the expected order until a plan has written something", () => {
  const impact = { pools: [assessedPool] } as unknown as Impact;
  const waiting = (status: Status) =>
    expectedRollout({ status: { items: [{ ...item, state: "Pending" }], impact, ...status } });
  const order = [{ name: "worker", nodes: 12, held: 0, atOnce: 1, order: ["w-0", "w-1"], more: 10 }];
  expect(waiting({ phase: "ReviewRequired" })).toEqual(order);
  expect(waiting({ phase: "ReviewRequired", rollout: earlier })).toEqual(order);
  expect(waiting({ phase: "Drafting", items: [item] })).toEqual(order);
  const rollouts = [{ machineConfig: "x", startTime: since, before: [] }];
  expect(waiting({ phase: "ReviewRequired", rollouts })).toBeUndefined();
  expect(waiting({ phase: "InProgress", items: [{ ...item, state: "InProgress" }] })).toBeUndefined();
  expect(waiting({ phase: "Completed", items: [item] })).toBeUndefined();
});

const poolWith = (...sources: readonly string[]): KubeObject => ({
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "MachineConfigPool",
  metadata: { name: "worker" },
  spec: { configuration: { name: "rendered-1", source: sources.map((name) => ({ name })) } },
});

test("does not count nodes without the plan's MachineConfig as updated", () => {
  const targetRef = { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig", name: "99-psi" };
  const labels = { "machineconfiguration.openshift.io/role": "worker" };
  const applied = { ...item, targetRef, desiredState: { ...targetRef, metadata: { name: "99-psi", labels } } };
  const unrendered = (status: Status, pool = poolWith("00-worker")) => [...unrenderedPools({ status }, [pool])];
  for (const phase of ["InProgress", "CompletedWithErrors", "Drifted"] as const) {
    expect(unrendered({ phase, items: [applied] })).toEqual(["worker"]);
    expect(unrendered({ phase, items: [applied] }, poolWith("00-worker", "99-psi"))).toEqual([]);
  }
  expect(unrendered({ phase: "ReviewRequired", items: [applied] })).toEqual([]);
  expect(unrendered({ phase: "InProgress", items: [{ ...applied, state: "Pending" }] })).toEqual([]);
  expect(unrendered({ phase: "Completed", items: [{ ...applied, operation: "Delete" }] })).toEqual([]);
});

test("lists changed inputs apart from changed targets", () => {
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

test("reads diffs of creations, deletions and equal objects", () => {
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

test("reads the file of a hunk and the number of omitted lines", () => {
  const text =
    "--- a (K)\n+++ a (K)\n@@ -9,1 +9,1 @@ ~ file /etc/x\n-old\n+new\n… 12 more lines: kubectl virt-advisor diff\n";
  expect(readDiff(text)).toMatchObject({ hunks: [{ heading: "~ file /etc/x" }], added: 1, removed: 1, leftOut: 12 });
});

test.each([
  ["https://example.com/LOADAWARE_PROFILE.md", true],
  ["http://docs.example.com/x?y=%s", true],
  ["javascript:alert(1)", false],
  ["https://example.com/\u202emoc", false],
  ["https://example.com/ then something else", false],
])("links the documentation only if it is a web address: %s", (url, isLinked) => {
  const config = drifted();
  const annotations = { "advisor.kubevirt.io/documentation-url": url };
  const row = profileRow({ ...config, metadata: { ...config.metadata, annotations } }, 0);
  expect(row.documentation).toBe(isLinked ? url : undefined);
});

test("sorts profiles by name, with and without a status", () => {
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

test.each(ages)("an age of %i seconds is written as %s", (seconds, text) => {
  expect(ageText(seconds)).toBe(text);
});
