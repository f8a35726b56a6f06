import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inRepository } from "@virt/testkit";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { edit, loadAware, paths, printRequestsOnFailure, removeAt, untilPoolRests } from "../support/advisor.ts";
import { itemOf } from "../support/config-client.ts";
import type { RunningProgram } from "../support/program.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";

const psi = "enable-psi-metrics";
const worker = paths.pool("worker");
const tenMinutes = 600_000;
let testCluster: TestCluster;
let operator: RunningProgram;
let file: string;

const setClock = (byMs: number) => writeFile(file, String(byMs));
const restart = async () => {
  const preload = `file://${inRepository("test", "support", "preloads", "set-clock.mjs")}?file=${encodeURIComponent(file)}`;
  operator = await testCluster.startOperator({
    flags: ["--advertise-profiles=false"],
    nodeFlags: ["--import", preload],
  });
};

beforeAll(async () => {
  testCluster = await startTestCluster();
  file = join(await mkdtemp(join(testCluster.server.folder, "clock-")), "off-by");
  await setClock(0);
  await testCluster.simulate("no-vms");
  await restart();
});
afterEach(printRequestsOnFailure(() => testCluster));
afterEach(async () => {
  await setClock(0);
  await testCluster.configs.remove(loadAware);
  await edit(testCluster.server, worker, { spec: { paused: false } });
  await removeAt(testCluster.server, paths.psi);
  await removeAt(testCluster.server, paths.descheduler);
  await untilPoolRests(testCluster.server, "99-worker-psi-karg", false);
});
afterAll(() => testCluster[Symbol.asyncDispose]());

async function startAndWait(waitTimeout: string) {
  await edit(testCluster.server, worker, { spec: { paused: true } });
  await testCluster.configs.create(loadAware, { action: "Apply", waitTimeout });
  return testCluster.configs.until(
    loadAware,
    ({ items = [] }) => items.some(({ message }) => /is paused/.test(message)) && items[1]?.state === "Completed",
  );
}

const startTime = (status: Awaited<ReturnType<typeof startAndWait>>) =>
  Date.parse(itemOf(status, psi).rollout?.startTime ?? "");

test("a clock that jumps forward does not end a wait, even after a restart", async () => {
  const { configs, server } = testCluster;
  const started = startTime(await startAndWait("5m"));
  await setClock(tenMinutes);
  await edit(server, worker, { metadata: { labels: { "reconcile-me": "once" } } });
  const later = await configs.until(loadAware, (status) => startTime(status) !== started);
  expect(later.phase).toBe("InProgress");
  expect(Math.abs(startTime(later) - started - tenMinutes)).toBeLessThan(60_000);

  await operator.kill();
  await restart();
  await edit(server, worker, { spec: { paused: false } });
  const ended = await configs.until(loadAware, ({ phase }) => phase === "Completed" || phase === "Failed");
  expect(ended.phase).toBe("Completed");
});

test("a clock that jumps back does not extend a wait by the difference", { tags: ["thorough"] }, async () => {
  await startAndWait("20s");
  await setClock(-tenMinutes);
  const failed = await testCluster.configs.until(loadAware, "Failed");
  expect(itemOf(failed, psi).message).toMatch(
    /^Timeout waiting for resource to become healthy \(waited \d+s, timeout 20s\)/,
  );
});
