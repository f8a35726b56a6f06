// @module-tag thorough

import { conditionOf } from "@virt/advisor";
import type { KubeObject, Status } from "@virt/api";
import { expect, onTestFinished, test } from "vitest";
import { edit, loadAware, paths, readAt } from "../support/advisor.ts";
import { useAdvisorWithClock } from "../support/advisor-clock.ts";
import { create } from "../support/advisor-objects.ts";
import { startProgram } from "../support/program.ts";

const { advisor, passSeconds } = useAdvisorWithClock({
  moreCrds: ["kubevirts", "virtualmachines", "machineconfigurations", "infrastructures"],
});

const found = ({ rollout }: Status) => (rollout?.findings ?? []).map(({ id, severity }) => `${severity} ${id}`);
const both = (text: string) => [text, text];

test("world 14: a drain without room for VMs is stuck until a node joins", async () => {
  const { configs, server } = advisor();
  const unhurried = await advisor().simulate("no-room", 20);
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
    `--kubeconfig=${advisor().server.kubeconfig}`,
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
  const { body } = await advisor().server.request({
    path: "/apis/kubevirt.io/v1/namespaces/vms/virtualmachineinstancemigrations",
  });
  const { items } = body as { readonly items: readonly { readonly status?: { readonly phase?: string } }[] };
  return items.map(({ status }) => status?.phase);
}

async function addWorker(name: string): Promise<void> {
  const { server } = advisor();
  const { metadata, status } = (await readAt(server, paths.node("worker-2"))) as KubeObject & { status: object };
  const labels = { ...metadata.labels, "kubernetes.io/hostname": name };
  await create(server, "/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name, labels } });
  await edit(server, `${paths.node(name)}/status`, { status });
  await edit(server, paths.node(name), { spec: { taints: null } });
}
