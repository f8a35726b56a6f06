import type { Item, Status } from "@virt/api";
import { type Server, startServer } from "@virt/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { crdFile, patchConfig, patchStatus, path, recreateConfig, type StoredConfig } from "./crd-objects.ts";

let server: Server;

beforeAll(async () => {
  server = await startServer();
  await server.installCrds([crdFile]);
});

afterAll(() => server.stop());

const now = "2026-11-15T09:00:00Z";
const hash = "0123456789abcdef".repeat(4);
const item: Required<Item> = {
  name: "enable-load-aware-descheduling",
  operation: "Apply",
  targetRef: { apiVersion: "operator.openshift.io/v1", kind: "KubeDescheduler", name: "cluster", namespace: "there" },
  impactSeverity: "Medium",
  changes: true,
  diff: "--- /dev/null\n+++ cluster (KubeDescheduler)\n",
  desiredState: { apiVersion: "operator.openshift.io/v1", kind: "KubeDescheduler", metadata: { name: "cluster" } },
  managedFields: ["spec.mode", "spec.managementState"],
  conflicts: [{ field: "spec.mode", manager: "kubectl-edit", operation: "Update", time: now }],
  warnings: ["mode Predictive only simulates evictions"],
  waitsFor: "enable-psi-metrics",
  state: "InProgress",
  message: "",
  lastTransitionTime: now,
  reviewed: { uid: "", resourceVersion: "", hash },
  sourceHash: hash,
  appliedTime: now,
  rollout: { startTime: now, before: [{ pool: "worker", configuration: "rendered-worker-1" }] },
  corrections: [now, now, now],
};
const status: Required<Status> = {
  phase: "InProgress",
  impactSeverity: "High",
  observedGeneration: 1,
  executedGeneration: 1,
  specHash: hash,
  planHash: hash,
  sourceSnapshotHash: hash,
  operatorVersion: "v0.1.31",
  appliedOptions: { loadAware: { mode: "Predictive" } },
  review: { planHash: hash, generation: 1, forced: true, reason: "PlanStale", message: "" },
  disruption: [{ pool: "worker", class: "Reboot" }],
  impact: {
    assessedAt: now,
    summary: "Reboots 12 nodes (worker pool, one at a time).",
    nodes: 12,
    held: 1,
    vms: { migrate: 214, block: 6, stop: 2, restart: 0, external: 0, starting: 0, unknown: 0 },
    pods: { block: 0, delete: 1 },
    duration: { lowSeconds: 14_760, highSeconds: 28_390, text: "4–8 hours", restart: "observed", migration: "history" },
    capacity: { fits: "No", nodes: ["w-0"], unplacedVMs: 2, unplacedMiB: 82_704 },
    pools: [
      {
        name: "worker",
        class: "Reboot",
        nodes: 12,
        held: 1,
        atOnce: 1,
        waves: 12,
        holdup: "Degraded",
        order: ["w-0"],
        lowSeconds: 14_760,
        highSeconds: 28_390,
      },
    ],
    blockers: [
      { node: "w-0", kind: "VirtualMachineInstance", namespace: "a", name: "vm", reason: "DisksNotLiveMigratable" },
    ],
    stops: [{ node: "w-0", kind: "Pod", namespace: "a", name: "bare", reason: "delete" }],
    more: { pools: 0, blockers: 5, stops: 2 },
    assumes: ["10% of each node is reserved for other pods"],
    notAssessed: [{ what: "KubeVirt", reason: "Forbidden", message: "" }],
  },
  warnings: ["VirtPlatformConfig 'virt-higher-density' also changes MachineConfigPool 'worker'"],
  rollout: {
    summary: "3 of 12 nodes of pool worker are done",
    remaining: { lowSeconds: 60, highSeconds: 600 },
    pools: [
      {
        name: "worker",
        total: 12,
        done: 3,
        inHand: 1,
        waiting: 8,
        degraded: 0,
        observed: { drainSeconds: [90], restartSeconds: [900, 1080] },
      },
    ],
    nodes: [{ name: "w-0", pool: "worker", phase: "Draining", since: now, step: "Drained" }],
    findings: [
      {
        id: "VMNotMigratable",
        severity: "blocking",
        node: "w-0",
        object: { kind: "VirtualMachineInstance", namespace: "a", name: "vm" },
        message: "VM a/vm cannot live-migrate".padEnd(1024, "."),
        command: "virtctl stop vm -n a",
        since: now,
      },
    ],
    stoppedVms: { total: 2, listed: [{ namespace: "a", name: "vm" }] },
    notAssessed: [{ what: "VirtualMachineInstance", reason: "Listing", message: "x".padEnd(160, "x") }],
    more: { pools: 0, nodes: 0, findings: 1 },
  },
  progress: "4/12 nodes",
  inputs: [{ name: "ksmConfiguration", used: "", applied: "{}" }],
  items: [item],
  rollouts: [{ machineConfig: "99-worker-psi-karg", startTime: now, before: [{ pool: "worker", configuration: "a" }] }],
  leftBehind: [
    {
      apiVersion: "operator.openshift.io/v1",
      kind: "KubeDescheduler",
      name: "cluster",
      namespace: "openshift-kube-descheduler-operator",
      appliedTime: now,
    },
    { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig", name: "psi", unread: true },
  ],
  conditions: [
    {
      type: "Ready",
      status: "False",
      reason: "InProgress",
      message: "Applying plan configuration",
      lastTransitionTime: now,
      observedGeneration: 1,
    },
    {
      type: "Stalled",
      status: "False",
      reason: "InProgress",
      message: "",
      lastTransitionTime: now,
      observedGeneration: 1,
    },
  ],
};

describe("the status", () => {
  test("stores every field unchanged, without a new generation", async () => {
    const { metadata } = await recreateConfig(server, { profile: "load-aware-rebalancing" });
    const answer = await patchStatus(server, "load-aware-rebalancing", status);
    const stored = answer.body as StoredConfig;
    expect(stored.status).toEqual(status);
    expect(stored.metadata.generation).toBe(metadata.generation);
  });

  test("is not written together with the spec", async () => {
    await recreateConfig(server, { profile: "example-profile" });
    await patchConfig(server, "example-profile", { status: { phase: "Completed" }, spec: { action: "Apply" } });
    const { body } = await server.request({ path: `${path}/example-profile` });
    expect(body).toMatchObject({ spec: { action: "Apply" }, metadata: { generation: 2 } });
    expect(body).not.toHaveProperty("status");
  });

  const bare = { name: "one", targetRef: item.targetRef };

  test("gives an item operation Apply and state Pending by default", async () => {
    await recreateConfig(server, { profile: "example-profile" });
    const answer = await patchStatus(server, "example-profile", { items: [bare] });
    expect((answer.body as StoredConfig).status?.items).toEqual([{ ...bare, operation: "Apply", state: "Pending" }]);
  });

  const wrong = [
    { reason: "an unknown phase", status: { phase: "Done" }, says: "Unsupported value" },
    { reason: "an item without a target", status: { items: [{ name: "one" }] }, says: "Required value" },
    { reason: "two items with one name", status: { items: [bare, bare] }, says: "Duplicate value" },
    {
      reason: "more than 16 items",
      status: { items: Array.from({ length: 17 }, (_, at) => ({ ...bare, name: `item-${at}` })) },
      says: "must have at most 16 items",
    },
    {
      reason: "a fourth correction",
      status: { items: [{ ...bare, corrections: [now, now, now, now] }] },
      says: "must have at most 3 items",
    },
    {
      reason: "a pool twice",
      status: { disruption: ["Reboot", "Drain"].map((disruption) => ({ pool: "worker", class: disruption })) },
      says: "Duplicate value",
    },
    {
      reason: "a summary of more than 512 characters",
      status: { impact: { assessedAt: now, summary: "x".repeat(513) } },
      says: "may not be more than 512",
    },
    {
      reason: "more than 20 findings",
      status: {
        rollout: {
          summary: "",
          findings: Array.from({ length: 21 }, () => ({ id: "DrainSlow", severity: "blocking", message: "" })),
        },
      },
      says: "must have at most 20 items",
    },
    { reason: "an invalid time", status: { items: [{ ...bare, appliedTime: "today" }] }, says: "date-time" },
  ];

  test.each(wrong)("does not accept $reason", async ({ status: said, says }) => {
    await recreateConfig(server, { profile: "example-profile" });
    const answer = await patchStatus(server, "example-profile", said);
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).toContain(says);
  });
});

describe("kubectl", () => {
  const lines = async (...args: readonly string[]) => {
    const { stdout, stderr } = await server.kubectl(...args);
    expect(stderr).toBe("");
    return stdout.trimEnd().split("\n");
  };

  test("get shows the status columns, and more of them with -o wide", async () => {
    await recreateConfig(server, { profile: "load-aware-rebalancing", action: "Apply" });
    await patchStatus(server, "load-aware-rebalancing", status);
    const [head = "", row = ""] = await lines("get", "vpconf", "load-aware-rebalancing");
    expect(head.split(/\s+/)).toEqual(["NAME", "ACTION", "IMPACT", "PHASE", "READY", "PROGRESS", "AGE"]);
    expect(row).toMatch(/^load-aware-rebalancing +Apply +High +InProgress +False +4\/12 nodes +\d+s$/);
    const [wideHead = "", wideRow = ""] = await lines("get", "vpconf", "load-aware-rebalancing", "-o", "wide");
    expect(wideHead.split(/\s+/).slice(7)).toEqual(["PLAN", "NODES", "BLOCKED", "TAKES", "VERSION", "MESSAGE"]);
    expect(wideRow).toMatch(new RegExp(` ${hash} +12 +6 +4–8 hours +v0\\.1\\.31 +Applying plan configuration$`));
  });

  test.each(["virtplatformconfig", "virtplatformconfigs", "VirtPlatformConfig", "vpconf", "kubevirt"])(
    "get finds configs as %s",
    async (name) => {
      await recreateConfig(server, { profile: "example-profile" });
      expect((await lines("get", name, "-o", "name")).join()).toContain(
        "virtplatformconfig.advisor.kubevirt.io/example-profile",
      );
    },
  );

  test("explain shows an option's description, range and default", async () => {
    const explain = async (option = "mode") =>
      (await server.kubectl("explain", `vpconf.spec.options.loadAware.${option}`)).stdout.replace(/\s+/g, " ");
    // The API server publishes the schema after a delay.
    await expect.poll(() => explain()).toContain("ENUM:");
    expect(await explain()).toContain("Predictive only simulates the evictions. Default: Automatic.");
    const interval = "Seconds between two runs of the descheduler. From 60 to 86400. Default: 60.";
    expect(await explain("deschedulingIntervalSeconds")).toContain(interval);
  });
});
