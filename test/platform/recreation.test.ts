import { at, isList, parseJson } from "@virt/objects";
import { objectAnnotations } from "@virt/platform";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FullCluster, startFullCluster, untilConverged } from "../support/full-cluster.ts";
import type { RunningProgram } from "../support/program.ts";

const check = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check";
const kubelet = "/apis/machineconfiguration.openshift.io/v1/kubeletconfigs/virt-perf-settings";
let fullCluster: FullCluster;
let operator: RunningProgram;

beforeAll(async () => {
  fullCluster = await startFullCluster();
  operator = await fullCluster.start();
  await untilConverged(fullCluster);
});
afterAll(() => fullCluster[Symbol.asyncDispose]());

async function recreations(): Promise<number> {
  const { metadata } = await fullCluster.read(check);
  const times = at(parseJson(metadata.annotations?.[objectAnnotations.state] ?? ""), "recreated") ?? [];
  return isList(times) ? times.length : -1;
}

async function removeIt(): Promise<void> {
  expect((await fullCluster.testCluster.server.request({ method: "DELETE", path: check })).status).toBe(200);
}

async function untilCorrected(): Promise<void> {
  await fullCluster.edit(check, { spec: { minHealthy: "10%" } });
  await fullCluster.until(async () => expect(at(await fullCluster.read(check), "spec", "minHealthy")).toBe("51%"));
}

async function untilReconciledElsewhere(): Promise<void> {
  await fullCluster.edit(kubelet, { spec: { kubeletConfig: { maxPods: 7 } } });
  await fullCluster.until(async () =>
    expect(at(await fullCluster.read(kubelet), "spec", "kubeletConfig", "maxPods")).toBe(500),
  );
}

test("re-creates a deleted object five times, also across a restart", async () => {
  expect(await recreations()).toBe(0);
  for (const times of [1, 2, 3, 4, 5]) {
    await removeIt();
    await fullCluster.until(async () => expect(await recreations()).toBe(times));
    if (times !== 3) continue;
    await operator.kill();
    operator = await fullCluster.start();
    await untilCorrected(); // the operator has seen the object
  }
  await removeIt();
  const isReported = () => operator.log.filter(({ reason }) => reason === "ThrashingDetected").map(({ msg }) => msg);
  await expect
    .poll(isReported)
    .toEqual([
      expect.stringContaining(
        "Edit war detected for NodeHealthCheck virt-node-health-check: it was deleted 5 times within an hour and will not be re-created for now.",
      ),
    ]);
  await untilReconciledElsewhere();
  expect((await fullCluster.testCluster.server.request({ path: check })).status).toBe(404);
});
