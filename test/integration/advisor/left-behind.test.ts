import { conditionOf } from "@virt/advisor";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "../../cluster/test-cluster.ts";
import { runPlugin } from "../cli/plugin.ts";
import { edit, loadAware, paths, printRequestsOnFailure } from "./cluster.ts";

let testCluster: TestCluster;

beforeAll(async () => {
  testCluster = await startTestCluster();
  await testCluster.simulate("no-vms");
  await testCluster.startOperator();
  await testCluster.configs.until(loadAware, "Ignored");
});
afterEach(printRequestsOnFailure(() => testCluster));
afterAll(() => testCluster[Symbol.asyncDispose]());

test("a config deleted in the middle of a rollout comes back with what it left behind and what still rolls", async () => {
  const { configs, server } = testCluster;
  expect((await configs.status(loadAware)).leftBehind).toBeUndefined();
  // Paused, the pool stays in the state that is asserted.
  await edit(server, paths.pool("worker"), { spec: { paused: true } });
  await configs.edit(loadAware, { action: "Apply" });
  await configs.until(loadAware, ({ items = [] }) => items.some(({ message }) => /is paused/.test(message)));
  await configs.remove(loadAware);
  const status = await configs.until(loadAware, ({ leftBehind = [] }) => leftBehind.length > 0);
  expect(status.phase).toBe("Ignored");
  expect(status.leftBehind).toMatchObject([
    { kind: "MachineConfig", name: "99-worker-psi-karg" },
    { kind: "KubeDescheduler", namespace: "openshift-kube-descheduler-operator", name: "cluster" },
  ]);
  expect(conditionOf(status, "Ready")?.message).toContain("left in place: MachineConfig '99-worker-psi-karg', ");

  const shown = await runPlugin(["status"], server);
  expect(shown.out).toMatch(
    /Pool worker is paused with a pending update: .*Cause: MachineConfig 99-worker-psi-karg, left behind by a plan of load-aware-rebalancing/,
  );
  expect(shown.out).toContain("Left in place by an earlier plan: MachineConfig '99-worker-psi-karg', KubeDescheduler");
  expect((await runPlugin(["profiles"], server)).out).toContain("Ignored (2 objects left in place)");
});
