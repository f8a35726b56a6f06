// Plans proceed when VMs cannot be counted: too many, an endless list, or no KubeVirt.

import type { Status } from "@virt/api";
import { nodeObject } from "@virt/impact/testing/cluster-builder";
import { type Server, startFaultProxy } from "@virt/testkit";
import { expect, test } from "vitest";
import { operatorAccount } from "../support/account.ts";
import { loadAware, paths, readAt } from "../support/advisor.ts";
import { PlantedCluster } from "../support/planted-cluster.ts";
import { startTestCluster } from "../support/test-cluster.ts";

const isAssessed = ({ impact }: Status) => impact !== undefined;

const crds = {
  machineconfigurations: "machineconfigurations",
  infrastructures: "infrastructures",
  virtualmachines: "virtualmachines",
};

async function plantWorkers(server: Server): Promise<PlantedCluster> {
  const planted = new PlantedCluster(server);
  await planted.plantPlatform();
  await planted.plant([0, 1, 2].map((at) => nodeObject(`worker-${at}`)));
  return planted;
}

test("runs a plan with more VMs than the cache holds, and reports the gap", {
  tags: ["thorough"],
}, async () => {
  await using testCluster = await startTestCluster({ crds });
  const { configs, server } = testCluster;
  const planted = await plantWorkers(server);
  // Just below the size limit of one VM. Each takes 100 kB in memory, and the cache holds 16 MB per kind.
  const spec = { tolerations: Array.from({ length: 2_600 }, () => ({})), domain: { devices: {} } };
  await planted.plantVms(
    Array.from({ length: 200 }, (_, at) => ({ name: `large-${at}`, node: "worker-0", owner: null, spec })),
  );
  await testCluster.startOperator({ flags: ["--advertise-profiles=false"] });
  await configs.create(loadAware);
  const { impact } = await configs.until(loadAware, isAssessed);
  expect(impact).toMatchObject({ nodes: 3, notAssessed: [{ what: "VMs", reason: "TooMany" }] });
  expect(impact?.notAssessed[0]?.message).toContain("most of it in namespace vms");
  expect(impact).not.toHaveProperty("vms");
  await configs.edit(loadAware, { action: "Apply" });
  await configs.until(loadAware, "InProgress");
  await expect.poll(() => readAt(server, paths.psi)).toBeDefined();
});

test("runs a plan while the VM list never ends, and reports the gap", {
  tags: ["thorough"],
}, async () => {
  await using testCluster = await startTestCluster({ crds });
  const { configs, server } = testCluster;
  const planted = await plantWorkers(server);
  await planted.plantVms([{ name: "first", node: "worker-0" }]);
  const proxy = await startFaultProxy({ server });
  try {
    const resource = "virtualmachineinstances";
    proxy.arm({
      name: "the list stops at its first VM",
      trigger: { on: "every", matching: { verb: "watch", resource } },
      fault: { kind: "treat-frames", of: { resource }, treatment: { do: "hold" } },
    });
    const kubeconfig = proxy.kubeconfigFor("advisor", await operatorAccount(server, "advisor"));
    await testCluster.startOperator({ flags: ["--advertise-profiles=false"], kubeconfig });
    await configs.create(loadAware);
    const { impact } = await configs.until(loadAware, isAssessed);
    expect(impact).toMatchObject({ nodes: 3, notAssessed: [{ what: "VMs", reason: "Listing" }] });
    await configs.edit(loadAware, { action: "Apply" });
    await configs.until(loadAware, "InProgress");
    await expect.poll(() => readAt(server, paths.psi)).toBeDefined();
    proxy.disarm();
    await configs.until(loadAware, ({ impact: shown }) => shown?.vms?.migrate === 1);
  } finally {
    await proxy.stop();
  }
});

test("completes a plan without KubeVirt, and reports that VMs are not assessed", async () => {
  await using testCluster = await startTestCluster({
    crds: { virtualmachineinstances: null, virtualmachineinstancemigrations: null },
  });
  const { configs } = testCluster;
  await testCluster.simulate("no-vms");
  await testCluster.startOperator({ flags: ["--advertise-profiles=false"] });
  await configs.create(loadAware);
  const { impact } = await configs.until(loadAware, isAssessed);
  expect(impact?.notAssessed).toContainEqual(expect.objectContaining({ what: "VMs", reason: "NotServed" }));
  await configs.edit(loadAware, { action: "Apply" });
  await configs.until(loadAware, "Completed");
});
