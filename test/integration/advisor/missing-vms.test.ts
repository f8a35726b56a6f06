// VMs that nobody can count: more of them than are kept, or none at all because KubeVirt is not there. Plans go on without.

import type { Status } from "@virt/api";
import { nodeObject } from "@virt/impact/testing/cluster-builder";
import { expect, test } from "vitest";
import { startTestCluster } from "../../cluster/test-cluster.ts";
import { loadAware, paths, readAt } from "./cluster.ts";
import { PlantedCluster } from "./planted-cluster.ts";

const isAssessed = ({ impact }: Status) => impact !== undefined;

test("of more VMs than are kept the plan says so, and it is approved and carried out", async () => {
  const crds = { machineconfigurations: "machineconfigurations", infrastructures: "infrastructures" };
  await using testCluster = await startTestCluster({ crds: { ...crds, virtualmachines: "virtualmachines" } });
  const { configs, server } = testCluster;
  const planted = new PlantedCluster(server);
  await planted.plantPlatform();
  await planted.plant([0, 1, 2].map((at) => nodeObject(`worker-${at}`)));
  // An object of its own may have a megabyte, and sixteen are kept of a kind.
  const spec = { nodeSelector: { "test/large": "x".repeat(1_000_000) }, domain: { devices: {} } };
  await planted.plantVms(
    Array.from({ length: 20 }, (_, at) => ({ name: `large-${at}`, node: "worker-0", owner: null, spec })),
  );
  await testCluster.startOperator({ flags: ["--advertise-profiles=false"] });
  await configs.create(loadAware);
  const { impact } = await configs.until(loadAware, isAssessed);
  expect(impact).toMatchObject({ nodes: 3, notAssessed: [{ what: "VMs", reason: "TooMany" }] });
  expect(impact).not.toHaveProperty("vms");
  await configs.edit(loadAware, { action: "Apply" });
  await configs.until(loadAware, "InProgress");
  await expect.poll(() => readAt(server, paths.psi)).toBeDefined();
});

test("without KubeVirt a plan is carried out to its end, and says what it does not know", async () => {
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
