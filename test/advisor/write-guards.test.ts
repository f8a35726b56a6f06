// The last checks before a plan's writes: it reads the config, the target and its field owners again.

import { conditionOf } from "@virt/advisor";
import { at } from "@virt/objects";
import { type FaultProxy, startFaultProxy } from "@virt/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import {
  eventsAbout,
  loadAware,
  paths,
  printRequestsOnFailure,
  readAt,
  reasonsAbout,
  removeAt,
  writesOf,
} from "../support/advisor.ts";
import { itemOf } from "../support/config-client.ts";
import type { RunningProgram } from "../support/program.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";

const item = "enable-load-aware-descheduling";
const options = { loadAware: { enablePSIMetrics: false } };
const place = ["virt-advisor-operator-system", "virt-advisor-operator-controller-manager"] as const;
let testCluster: TestCluster;
let proxy: FaultProxy;
let operator: RunningProgram;

const restart = async () => {
  const kubeconfig = proxy.kubeconfigFor("advisor", await testCluster.server.serviceAccount(...place));
  operator = await testCluster.startOperator({ kubeconfig, flags: ["--advertise-profiles=false"] });
};

beforeAll(async () => {
  testCluster = await startTestCluster();
  proxy = await startFaultProxy({ server: testCluster.server });
});
beforeEach(restart);
afterEach(printRequestsOnFailure(() => testCluster));
afterEach(async () => {
  proxy.disarm();
  await operator.kill();
  await testCluster.configs.remove(loadAware);
  await removeAt(testCluster.server, paths.descheduler);
  await removeAt(testCluster.server, paths.psi);
});
afterAll(async () => {
  await testCluster[Symbol.asyncDispose]();
  await proxy.stop();
});

/** Answers writes to the descheduler with 503 until the proxy is disarmed. Dry runs pass. */
const holdWrites = () =>
  proxy.arm({
    name: "no write",
    trigger: { on: "every", matching: { verb: "apply", resource: "kubedeschedulers", isDryRun: false } },
    fault: { kind: "answer", status: 503 },
  });

const takeOvers = async () =>
  (await reasonsAbout(testCluster.server, loadAware)).filter((reason) => reason === "FieldsTakenOver").length;

async function applyAs(manager: string, spec: object): Promise<void> {
  const body = { apiVersion: "operator.openshift.io/v1", kind: "KubeDescheduler", metadata: { name: "cluster" }, spec };
  const path = `${paths.descheduler}?fieldManager=${manager}`;
  const answer = await testCluster.server.request({
    method: "PATCH",
    path,
    contentType: "application/apply-patch+yaml",
    body,
  });
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
}

test("an edit that the watch has not delivered yet stops the pending write", async () => {
  const { configs, server } = testCluster;
  const writes = writesOf(server).length;
  const isHeld = holdWrites();
  const isSilent = proxy.arm({
    name: "silent watch",
    trigger: { on: "request", number: 1, matching: { verb: "get", resource: "virtplatformconfigs", name: loadAware } },
    fault: { kind: "silence-watches" },
  });
  await configs.create(loadAware, { action: "Apply", options });
  await expect.poll(() => isSilent() && isHeld()).toBe(true);
  await configs.edit(loadAware, { action: "DryRun" });
  const reads = () =>
    proxy.trace().filter(({ verb, resource }) => verb === "get" && resource === "virtplatformconfigs");
  /** The first of these requests may already be pending. */
  const untilReadTwice = async () => {
    const before = reads().length;
    await expect.poll(() => reads().length).toBeGreaterThan(before + 1);
  };
  await untilReadTwice();
  proxy.disarm();
  await untilReadTwice();
  expect(writesOf(server).slice(writes)).toEqual([]);
  expect(await readAt(server, paths.descheduler)).toBeUndefined();
});

test("forces only the reviewed conflicts: a new one makes the plan stale", async () => {
  const { configs, server } = testCluster;
  const taken = await takeOvers();
  const spec = { mode: "Predictive", deschedulingIntervalSeconds: 3600, profiles: ["LifecycleAndUtilization"] };
  await applyAs("alice", spec);
  await configs.create(loadAware, { action: "DryRun", options });
  const reviewed = await configs.until(loadAware, "ReviewRequired");
  const shown = itemOf(reviewed, item).conflicts?.map(({ field, manager }) => `${field} ${manager}`);
  expect(shown).toEqual(["spec.deschedulingIntervalSeconds alice", "spec.mode alice", "spec.profiles alice"]);

  await operator.kill();
  await applyAs("bob", { mode: "Predictive" });
  await configs.edit(loadAware, { action: "Apply" });
  const writes = writesOf(server).length;
  await restart();
  const waiting = await configs.until(
    loadAware,
    ({ phase, review }) => phase === "ReviewRequired" && review?.forced === true,
  );
  expect(itemOf(waiting, item).conflicts?.map(({ field, manager }) => `${field} ${manager}`)).toContain(
    "spec.mode bob",
  );
  expect(writesOf(server).slice(writes)).toEqual([]);
  expect(at(await readAt(server, paths.descheduler), "spec", "mode")).toBe("Predictive");
  expect(await takeOvers()).toBe(taken);

  await configs.edit(loadAware, { action: "DryRun" });
  await configs.edit(loadAware, { action: "Apply" });
  await configs.until(loadAware, "Completed");
  expect(at(await readAt(server, paths.descheduler), "spec", "mode")).toBe("Automatic");
  await expect.poll(() => reasonsAbout(server, loadAware)).toContain("FieldsTakenOver");
  const reports = (await eventsAbout(server, loadAware)).find(({ reason }) => reason === "FieldsTakenOver");
  expect(reports?.note).toContain("spec.mode (bob)");
});

test("does not force a conflict that appears after the last read of the target", async () => {
  const { configs, server } = testCluster;
  const taken = await takeOvers();
  await applyAs("alice", {
    mode: "Predictive",
    deschedulingIntervalSeconds: 3600,
    profiles: ["LifecycleAndUtilization"],
  });
  const isHeld = holdWrites();
  await configs.create(loadAware, { action: "Apply", options });
  await expect.poll(isHeld).toBe(true);
  const begun = await configs.until(loadAware, "InProgress");
  expect(itemOf(begun, item).conflicts).toHaveLength(3);
  await applyAs("bob", { mode: "Predictive" });
  const writes = writesOf(server).length;
  proxy.disarm();
  const waiting = await configs.until(loadAware, "ReviewRequired");
  expect(conditionOf(waiting, "PlanStale")?.status).toBe("True");
  expect(writesOf(server).slice(writes)).toEqual([]);
  expect(at(await readAt(server, paths.descheduler), "spec", "mode")).toBe("Predictive");
  expect(await takeOvers()).toBe(taken);
});

test("a failed plan leaves no item in progress, and takes over no field", async () => {
  const { configs, server } = testCluster;
  const taken = await takeOvers();
  await applyAs("alice", {
    mode: "Predictive",
    deschedulingIntervalSeconds: 3600,
    profiles: ["LifecycleAndUtilization"],
  });
  holdWrites();
  await configs.create(loadAware, { action: "Apply", waitTimeout: "1s" });
  const failed = await configs.until(loadAware, "Failed");
  expect(failed.items?.map(({ name, state }) => [name, state])).toEqual([
    ["enable-psi-metrics", "Failed"],
    [item, "Pending"],
  ]);
  expect(itemOf(failed, item).message).toBe("Not applied: item 'enable-psi-metrics' failed");
  await expect.poll(() => reasonsAbout(server, loadAware)).toContain("PlanFailed");
  expect(await takeOvers()).toBe(taken);
  expect(at(await readAt(server, paths.descheduler), "spec", "mode")).toBe("Predictive");
});
