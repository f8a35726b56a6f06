// The last checks before a plan's writes: it reads the config, the target and its field owners again.

import { conditionOf } from "@virt/advisor";
import { at } from "@virt/objects";
import { type FaultProxy, startFaultProxy } from "@virt/testkit";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { openAccount } from "../support/account.ts";
import { eventsAbout, loadAware, paths, readAt, reasonsAbout, removeAt, writesOf } from "../support/advisor.ts";
import { applyDescheduler } from "../support/advisor-objects.ts";
import { deschedulerItem, useAdvisor, withoutPsi } from "../support/advisor-suite.ts";
import { itemOf } from "../support/config-client.ts";

let proxy: FaultProxy;

const advisor = useAdvisor({
  startsLater: true,
  prepare: async ({ server }) => {
    proxy = await startFaultProxy({ server });
    return { kubeconfig: proxy.kubeconfigFor("advisor", await openAccount(server, "advisor")) };
  },
});
beforeEach(() => advisor().start());
afterEach(async () => {
  proxy.disarm();
  await advisor().stop();
  await advisor().configs.remove(loadAware);
  await removeAt(advisor().server, paths.descheduler);
  await removeAt(advisor().server, paths.psi);
});
afterAll(() => proxy.stop());

/** Answers writes to the descheduler with 503 until the proxy is disarmed. Dry runs pass. */
const holdWrites = () =>
  proxy.arm({
    name: "no write",
    trigger: { on: "every", matching: { verb: "apply", resource: "kubedeschedulers", isDryRun: false } },
    fault: { kind: "answer", status: 503 },
  });

const takeOvers = async () =>
  (await reasonsAbout(advisor().server, loadAware)).filter((reason) => reason === "FieldsTakenOver").length;

/** The fields that the plan changes. */
const alices = { mode: "Predictive", deschedulingIntervalSeconds: 3600, profiles: ["LifecycleAndUtilization"] };

test("an edit that the watch has not delivered yet stops the pending write", async () => {
  const { configs, server } = advisor();
  const writes = writesOf(server).length;
  const isHeld = holdWrites();
  const isSilent = proxy.arm({
    name: "silent watch",
    trigger: { on: "request", number: 1, matching: { verb: "get", resource: "virtplatformconfigs", name: loadAware } },
    fault: { kind: "silence-watches" },
  });
  await configs.create(loadAware, { action: "Apply", options: withoutPsi });
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
  const { configs, server } = advisor();
  const taken = await takeOvers();
  await applyDescheduler(server, "alice", alices);
  const reviewed = await configs.draft(loadAware, { options: withoutPsi });
  const shown = itemOf(reviewed, deschedulerItem).conflicts?.map(({ field, manager }) => `${field} ${manager}`);
  expect(shown).toEqual(["spec.deschedulingIntervalSeconds alice", "spec.mode alice", "spec.profiles alice"]);

  await advisor().stop();
  await applyDescheduler(server, "bob", { mode: "Predictive" });
  await configs.edit(loadAware, { action: "Apply" });
  const writes = writesOf(server).length;
  await advisor().start();
  const waiting = await configs.until(
    loadAware,
    ({ phase, review }) => phase === "ReviewRequired" && review?.forced === true,
  );
  expect(itemOf(waiting, deschedulerItem).conflicts?.map(({ field, manager }) => `${field} ${manager}`)).toContain(
    "spec.mode bob",
  );
  expect(writesOf(server).slice(writes)).toEqual([]);
  expect(at(await readAt(server, paths.descheduler), "spec", "mode")).toBe("Predictive");
  expect(await takeOvers()).toBe(taken);

  await configs.reapprove(loadAware);
  expect(at(await readAt(server, paths.descheduler), "spec", "mode")).toBe("Automatic");
  await expect.poll(() => reasonsAbout(server, loadAware)).toContain("FieldsTakenOver");
  const reports = (await eventsAbout(server, loadAware)).find(({ reason }) => reason === "FieldsTakenOver");
  expect(reports?.note).toContain("spec.mode (bob)");
});

test("does not force a conflict that appears after the last read of the target", async () => {
  const { configs, server } = advisor();
  const taken = await takeOvers();
  await applyDescheduler(server, "alice", alices);
  const isHeld = holdWrites();
  await configs.create(loadAware, { action: "Apply", options: withoutPsi });
  await expect.poll(isHeld).toBe(true);
  const begun = await configs.until(loadAware, "InProgress");
  expect(itemOf(begun, deschedulerItem).conflicts).toHaveLength(3);
  await applyDescheduler(server, "bob", { mode: "Predictive" });
  const writes = writesOf(server).length;
  proxy.disarm();
  const waiting = await configs.until(loadAware, "ReviewRequired");
  expect(conditionOf(waiting, "PlanStale")?.status).toBe("True");
  expect(writesOf(server).slice(writes)).toEqual([]);
  expect(at(await readAt(server, paths.descheduler), "spec", "mode")).toBe("Predictive");
  expect(await takeOvers()).toBe(taken);
});

test("a failed plan leaves no item in progress, and takes over no field", async () => {
  const { configs, server } = advisor();
  const taken = await takeOvers();
  await applyDescheduler(server, "alice", alices);
  holdWrites();
  await configs.create(loadAware, { action: "Apply", waitTimeout: "1s" });
  const failed = await configs.until(loadAware, "Failed");
  expect(failed.items?.map(({ name, state }) => [name, state])).toEqual([
    ["enable-psi-metrics", "Failed"],
    [deschedulerItem, "Pending"],
  ]);
  expect(itemOf(failed, deschedulerItem).message).toBe("Not applied: item 'enable-psi-metrics' failed");
  await expect.poll(() => reasonsAbout(server, loadAware)).toContain("PlanFailed");
  expect(await takeOvers()).toBe(taken);
  expect(at(await readAt(server, paths.descheduler), "spec", "mode")).toBe("Predictive");
});
