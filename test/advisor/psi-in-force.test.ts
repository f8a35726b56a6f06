import { afterEach, expect, test } from "vitest";
import {
  loadAware,
  paths,
  printRequestsOnFailure,
  readAt,
  removeAt,
  untilPoolRests,
  writesOf,
} from "../support/advisor.ts";
import { itemOf } from "../support/config-client.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";

const psi = "enable-psi-metrics";
const inForce = "PSI metrics already effective in MachineConfigPool 'worker'";
let shown: TestCluster;
afterEach(printRequestsOnFailure(() => shown));

test("creates no MachineConfig if PSI is already effective, and reports its end as drift", async () => {
  await using testCluster = await startTestCluster();
  shown = testCluster;
  const { configs, server } = testCluster;
  await testCluster.simulate("no-vms");
  const machineConfigs = paths.psi.replace(/\/[^/]+$/, "");
  const metadata = { name: "98-somebody-psi", labels: { "machineconfiguration.openshift.io/role": "worker" } };
  const spec = { kernelArguments: ["psi=0", "psi=1"] };
  const body = { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig", metadata, spec };
  expect((await server.request({ method: "POST", path: machineConfigs, body })).status).toBe(201);
  await untilPoolRests(server, metadata.name, true);
  await testCluster.startOperator({ flags: ["--advertise-profiles=false"] });

  await configs.create(loadAware, { action: "DryRun" });
  const reviewed = await configs.until(loadAware, "ReviewRequired");
  expect(itemOf(reviewed, psi)).toMatchObject({
    message: inForce,
    impactSeverity: "Low",
    diff: "--- 99-worker-psi-karg (MachineConfig)\n+++ 99-worker-psi-karg (MachineConfig)\n(no changes)\n",
  });
  await configs.edit(loadAware, { action: "Apply" });
  const completed = await configs.until(loadAware, "Completed");
  expect(itemOf(completed, psi)).toMatchObject({ state: "Completed", message: inForce });
  expect(writesOf(server)).toEqual(["patch kubedeschedulers/cluster"]);
  expect(await readAt(server, paths.psi)).toBeUndefined();

  await removeAt(server, `${machineConfigs}/${metadata.name}`);
  const drifted = await configs.until(loadAware, "Drifted");
  expect(itemOf(drifted, psi).message).toContain("spec.kernelArguments");
  await configs.edit(loadAware, { action: "DryRun" });
  await configs.edit(loadAware, { action: "Apply" });
  const applied = await configs.until(loadAware, "Completed");
  expect(itemOf(applied, psi).message).toBe("MachineConfigPool 'worker' is ready (all 3 nodes updated)");
});
