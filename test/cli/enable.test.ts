import { afterAll, beforeAll, expect, test } from "vitest";
import { loadAware } from "../support/advisor.ts";
import { hcoPath } from "../support/platform-cluster.ts";
import { type PluginRun, runAtTerminal, runPlugin } from "../support/plugin.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";
import { userWithRules } from "./user-with-rules.ts";

let testCluster: TestCluster;

beforeAll(async () => {
  testCluster = await startTestCluster({ controller: "platform" });
  await testCluster.simulate("three-workers");
});
afterAll(() => testCluster[Symbol.asyncDispose]());

const run = (...args: readonly string[]): Promise<PluginRun> => runPlugin(["enable", ...args], testCluster.server);

async function activation(): Promise<string | undefined> {
  const { body } = await testCluster.server.request({ path: hcoPath });
  const { metadata } = body as { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } };
  return metadata.annotations?.["platform.kubevirt.io/virt-platform-operator"];
}

const reboots = /Impact: Reboots 3 nodes \(worker pool, one at a time\)\./u;

test("without a terminal it shows the combined impact, asks for --yes and changes nothing", async () => {
  const { code, out, err } = await run();
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(/Assets: .*kubelet-perf-settings, .*swap-enable/u);
  expect(err).toMatch(reboots);
  expect(err).toContain("Cannot prompt for confirmation: stdin is not a terminal. Pass --yes.");
  expect(await activation()).toBeUndefined();
});

test("any answer but yes changes nothing", async () => {
  const { code, out } = await runAtTerminal(["enable"], { ...testCluster.server, typed: "no" }).ended;
  expect(code).toBe(1);
  expect(out).toMatch(reboots);
  expect(out).toContain("Nothing was changed.");
  expect(await activation()).toBeUndefined();
});

test("adds assets to those already enabled, each after its impact", async () => {
  const harmless = await run("node-health-check", "--yes");
  expect(harmless).toMatchObject({ code: 0 });
  expect(harmless.err).toContain("Impact: no nodes change.");
  expect(await activation()).toBe("node-health-check");
  const swap = await run("swap-enable", "--yes");
  expect(swap).toMatchObject({ code: 0 });
  expect(swap.err).toMatch(reboots);
  expect(await activation()).toBe("node-health-check,swap-enable");
  const again = await run("swap-enable");
  expect(again).toMatchObject({ code: 0, err: "" });
  expect(again.out).toContain("The platform controller is already enabled for swap-enable. Nothing was changed.");
});

test("names an unknown or excluded asset and changes nothing", async () => {
  const before = await activation();
  expect(await run("swap-enabl", "--yes")).toMatchObject({
    code: 1,
    out: "",
    err: "error: Asset not found: swap-enabl; did you mean swap-enable?\n",
  });
  expect((await run("aaq-operator")).err).toContain("! aaq-operator would not be applied: SwitchedOff");
  expect(await activation()).toBe(before);
});

test("at a terminal it prompts after the impact, and yes enables everything", async () => {
  const { code, out } = await runAtTerminal(["enable"], { ...testCluster.server, typed: "yes" }).ended;
  expect(code).toBe(0);
  const question = out.indexOf("Enable the platform controller for all assets? Type yes to confirm:");
  expect(out.search(reboots)).toBeGreaterThan(-1);
  expect(question).toBeGreaterThan(out.search(reboots));
  expect(out).toContain(
    "The platform controller is enabled for all assets (platform.kubevirt.io/virt-platform-operator=true)",
  );
  expect(await activation()).toBe("true");
});

test("a user without the patch verb gets an error and changes nothing", async () => {
  const { server } = testCluster;
  await server.request({ method: "PATCH", path: hcoPath, body: noActivation });
  const readsAll = { apiGroups: ["*"], resources: ["*"], verbs: ["get", "list"] };
  const reader = await userWithRules(server, "reader", [readsAll]);
  await expect
    .poll(async () => (await runPlugin(["enable", "--yes"], reader)).err)
    .toMatch(/cannot patch hyperconvergeds\.hco\.kubevirt\.io /u);
  expect(await activation()).toBeUndefined();
});

test("predicts the duration with restart times that a plan observed", async () => {
  await testCluster.configs.create(loadAware, { action: "Ignore" });
  const observed = { drainSeconds: [], restartSeconds: [100, 110, 120] };
  const pool = { name: "worker", total: 3, done: 3, inHand: 0, waiting: 0, degraded: 0, observed };
  const more = { pools: 0, nodes: 0, findings: 0 };
  const rollout = { summary: "", pools: [pool], nodes: [], findings: [], more };
  await testCluster.configs.record(loadAware, { phase: "Ignored", rollout });
  const { code, out } = await run("swap-enable", "--yes", "-o", "json");
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ impact: { duration: { restart: "observed" } } });
});

const noActivation = { metadata: { annotations: { "platform.kubevirt.io/virt-platform-operator": null } } };
