// What the advisor says about a VirtPlatformConfig, as the API server keeps it and kubectl shows it.

import type { Item, Status } from "@virt/api";
import { type Server, startServer } from "@virt/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { change, crdFile, path, type Stored, say, store } from "./crd-objects.ts";

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
  review: { planHash: hash, generation: 1, forced: true, reason: "PlanStale" },
  inputs: [{ name: "ksmConfiguration", used: "", applied: "{}" }],
  items: [item],
  conditions: [
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
  test("keeps all that the advisor has to say, to the letter, and is no new generation", async () => {
    const { metadata } = await store(server, { profile: "load-aware-rebalancing" });
    const answer = await say(server, "load-aware-rebalancing", status);
    const stored = answer.body as Stored;
    expect(stored.status).toEqual(status);
    expect(stored.metadata.generation).toBe(metadata.generation);
  });

  test("is not written together with the spec", async () => {
    await store(server, { profile: "example-profile" });
    await change(server, "example-profile", { status: { phase: "Completed" }, spec: { action: "Apply" } });
    const { body } = await server.request({ path: `${path}/example-profile` });
    expect(body).toMatchObject({ spec: { action: "Apply" }, metadata: { generation: 2 } });
    expect(body).not.toHaveProperty("status");
  });

  const bare = { name: "one", targetRef: item.targetRef };

  test("fills in that an item is applied, and that it waits", async () => {
    await store(server, { profile: "example-profile" });
    const answer = await say(server, "example-profile", { items: [bare] });
    expect((answer.body as Stored).status?.items).toEqual([{ ...bare, operation: "Apply", state: "Pending" }]);
  });

  const wrong = [
    { reason: "a phase that there is not", status: { phase: "Done" }, says: "Unsupported value" },
    { reason: "an item without target", status: { items: [{ name: "one" }] }, says: "Required value" },
    { reason: "two items of one name", status: { items: [bare, bare] }, says: "Duplicate value" },
    {
      reason: "more items than a plan can have",
      status: { items: Array.from({ length: 17 }, (_, at) => ({ ...bare, name: `item-${at}` })) },
      says: "must have at most 16 items",
    },
    {
      reason: "a fourth correction",
      status: { items: [{ ...bare, corrections: [now, now, now, now] }] },
      says: "must have at most 3 items",
    },
    { reason: "a time that is none", status: { items: [{ ...bare, appliedTime: "today" }] }, says: "date-time" },
  ];

  test.each(wrong)("does not take $reason", async ({ status: said, says }) => {
    await store(server, { profile: "example-profile" });
    const answer = await say(server, "example-profile", said);
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

  test("shows action, impact, phase and age, and on demand plan and version", async () => {
    await store(server, { profile: "load-aware-rebalancing", action: "Apply" });
    await say(server, "load-aware-rebalancing", status);
    const [head = "", row = ""] = await lines("get", "vpconf", "load-aware-rebalancing");
    expect(head.split(/\s+/)).toEqual(["NAME", "ACTION", "IMPACT", "PHASE", "AGE"]);
    expect(row).toMatch(/^load-aware-rebalancing +Apply +High +InProgress +\d+s$/);
    const [wideHead = "", wideRow = ""] = await lines("get", "vpconf", "load-aware-rebalancing", "-o", "wide");
    expect(wideHead.split(/\s+/).slice(5)).toEqual(["PLAN", "VERSION"]);
    expect(wideRow.split(/\s+/).slice(5)).toEqual([hash, "v0.1.31"]);
  });

  test.each(["virtplatformconfig", "virtplatformconfigs", "VirtPlatformConfig", "vpconf", "kubevirt"])(
    "finds them as %s",
    async (name) => {
      await store(server, { profile: "example-profile" });
      expect((await lines("get", name, "-o", "name")).join()).toContain(
        "virtplatformconfig.advisor.kubevirt.io/example-profile",
      );
    },
  );

  test("explains an option in the words of its profile", async () => {
    const explain = async () => (await server.kubectl("explain", "vpconf.spec.options.loadAware.mode")).stdout;
    // The server publishes the schema some time after it serves the kind.
    await expect.poll(explain).toContain("ENUM:");
    expect((await explain()).replace(/\s+/g, " ")).toContain("Predictive only simulates the evictions.");
  });
});
