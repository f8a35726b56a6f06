// Plans proceed when VMs cannot be counted: too many, an endless list, or no KubeVirt.

import { workers } from "@virt/impact/testing/cluster-builder";
import { type Server, startFaultProxy } from "@virt/testkit";
import { expect, test } from "vitest";
import { openAccount } from "../support/account.ts";
import { loadAware } from "../support/advisor.ts";
import { startAdvisor } from "../support/advisor-suite.ts";
import { createAssessed, PlantedCluster, untilWritten } from "../support/planted-cluster.ts";

const moreCrds = ["machineconfigurations", "infrastructures", "virtualmachines"];

async function plantWorkers(server: Server): Promise<PlantedCluster> {
  const planted = new PlantedCluster(server);
  await planted.plantPlatform();
  await planted.plant(workers(3));
  return planted;
}

test("runs a plan with more VMs than the cache holds, and reports the gap", {
  tags: ["thorough"],
}, async () => {
  await using advisor = await startAdvisor({ moreCrds, startsLater: true });
  const { configs, server } = advisor;
  const planted = await plantWorkers(server);
  // Just below the size limit of one VM. Each takes 100 kB in memory, and the cache holds 16 MB per kind.
  const spec = { tolerations: Array.from({ length: 2_600 }, () => ({})), domain: { devices: {} } };
  await planted.plantVms(
    Array.from({ length: 200 }, (_, at) => ({ name: `large-${at}`, node: "worker-0", owner: null, spec })),
  );
  await advisor.start();
  const { impact } = await createAssessed(advisor, loadAware);
  expect(impact).toMatchObject({ nodes: 3, notAssessed: [{ what: "VMs", reason: "TooMany" }] });
  expect(impact?.notAssessed[0]?.message).toContain("most of it in namespace vms");
  expect(impact).not.toHaveProperty("vms");
  await configs.edit(loadAware, { action: "Apply" });
  await untilWritten(advisor);
});

test("runs a plan while the VM list never ends, and reports the gap", {
  tags: ["thorough"],
}, async () => {
  await using advisor = await startAdvisor({ moreCrds, startsLater: true });
  const { configs, server } = advisor;
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
    const kubeconfig = proxy.kubeconfigFor("advisor", await openAccount(server, "advisor"));
    await advisor.startOperator({ flags: ["--advertise-profiles=false"], kubeconfig });
    const { impact } = await createAssessed(advisor, loadAware);
    expect(impact).toMatchObject({ nodes: 3, notAssessed: [{ what: "VMs", reason: "Listing" }] });
    await configs.edit(loadAware, { action: "Apply" });
    await untilWritten(advisor);
    proxy.disarm();
    await configs.until(loadAware, ({ impact: shown }) => shown?.vms?.migrate === 1);
  } finally {
    await proxy.stop();
  }
});

test("completes a plan without KubeVirt, and reports that VMs are not assessed", async () => {
  await using advisor = await startAdvisor({
    crds: { virtualmachineinstances: null, virtualmachineinstancemigrations: null },
    scenario: "no-vms",
  });
  const { configs } = advisor;
  const { impact } = await createAssessed(advisor, loadAware);
  expect(impact?.notAssessed).toContainEqual(expect.objectContaining({ what: "VMs", reason: "NotServed" }));
  await configs.approve(loadAware);
});
