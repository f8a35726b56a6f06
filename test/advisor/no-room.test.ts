// @module-tag thorough

import { mkdtemp, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { conditionOf } from "@virt/advisor";
import type { KubeObject, Status } from "@virt/api";
import { inRepository } from "@virt/testkit";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { edit, loadAware, paths, printRequestsOnFailure, readAt } from "../support/advisor.ts";
import { startProgram } from "../support/program.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";

let testCluster: TestCluster;
let file: string;
let aheadMs = 0;

beforeAll(async () => {
  const crds = ["kubevirts", "virtualmachines", "machineconfigurations", "infrastructures"];
  testCluster = await startTestCluster({ crds: Object.fromEntries(crds.map((name) => [name, name])) });
  file = join(await mkdtemp(join(testCluster.server.folder, "clock-")), "ahead");
  await writeFile(file, "0");
  const preload = `file://${inRepository("test", "support", "preloads", "jump-clock.mjs")}?file=${encodeURIComponent(file)}`;
  await testCluster.startOperator({ flags: ["--advertise-profiles=false"], nodeFlags: ["--import", preload] });
});
afterEach(printRequestsOnFailure(() => testCluster));
afterAll(() => testCluster[Symbol.asyncDispose]());

/** Advances the operator's clock and triggers a reconcile. */
async function passSeconds(seconds: number): Promise<void> {
  aheadMs += seconds * 1000;
  await writeFile(`${file}.next`, String(aheadMs));
  await rename(`${file}.next`, file); // atomic: an empty file would mean no skipped time
  await edit(testCluster.server, paths.node("worker-0"), { metadata: { labels: { "test/at": String(aheadMs) } } });
}

const found = ({ rollout }: Status) => (rollout?.findings ?? []).map(({ id, severity }) => `${severity} ${id}`);
const both = (text: string) => [text, text];

test("world 14: a drain without room for VMs is stuck until a node joins", async () => {
  const { configs, server } = testCluster;
  const unhurried = await testCluster.simulate("no-room", 20);
  await configs.create(loadAware, { action: "Apply" });
  // Runs before any wait for a status, because these migrations are replaced after 15 seconds.
  await expect.poll(() => phasesOfMigrations()).toEqual(both("Scheduling"));
  await unhurried.kill();
  // A finding about a later change shows that the operator knows the migrations. Earlier time does not count.
  const cordon = (unschedulable: boolean) => edit(server, paths.node("worker-2"), { spec: { unschedulable } });
  const isCordoned = (status: Status) => found(status).includes("warning CordonedByPerson");
  await cordon(true);
  const draining = await configs.until(loadAware, isCordoned);
  expect(draining.rollout?.nodes[0]?.phase).toBe("Draining");
  await cordon(false);
  await passSeconds(125);
  const warned = await configs.until(loadAware, (status) => found(status).length === 2 && !isCordoned(status));
  expect(found(warned)).toEqual(both("warning MigrationUnschedulable"));
  expect(warned.rollout?.findings.map(({ message }) => message)).toEqual([
    "No node has room for VM vms/large-0 (31896 MiB short)",
    "No node has room for VM vms/large-3 (31896 MiB short)",
  ]);
  expect(conditionOf(warned, "Stalled")?.status).toBe("False");
  await passSeconds(180);
  const stuck = await configs.until(loadAware, (status) => conditionOf(status, "Stalled")?.reason === "RolloutStuck");
  expect(found(stuck)).toEqual(both("blocking MigrationUnschedulable"));

  const hurried = startProgram("virt-simulator", [
    `--kubeconfig=${testCluster.server.kubeconfig}`,
    "--scenario=no-room",
    "--speed=3000",
  ]);
  onTestFinished(hurried.kill);
  await configs.until(loadAware, (status) => found(status).includes("blocking MigrationFailing"));
  await addWorker("worker-3");
  await configs.until(loadAware, (status) => conditionOf(status, "Stalled")?.status === "False");
  await configs.until(loadAware, (status) => found(status).length === 0);
  await configs.until(loadAware, "Completed");
}, 360_000);

async function phasesOfMigrations(): Promise<readonly unknown[]> {
  const { body } = await testCluster.server.request({
    path: "/apis/kubevirt.io/v1/namespaces/vms/virtualmachineinstancemigrations",
  });
  const { items } = body as { readonly items: readonly { readonly status?: { readonly phase?: string } }[] };
  return items.map(({ status }) => status?.phase);
}

async function addWorker(name: string): Promise<void> {
  const { server } = testCluster;
  const { metadata, status } = (await readAt(server, paths.node("worker-2"))) as KubeObject & { status: object };
  const labels = { ...metadata.labels, "kubernetes.io/hostname": name };
  const body = { apiVersion: "v1", kind: "Node", metadata: { name, labels } };
  const created = await server.request({ method: "POST", path: "/api/v1/nodes", body });
  expect(created.status).toBe(201);
  await edit(server, `${paths.node(name)}/status`, { status });
  await edit(server, paths.node(name), { spec: { taints: null } });
}
