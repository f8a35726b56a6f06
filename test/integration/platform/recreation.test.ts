import { at, isList, parseJson } from "@virt/engine";
import { objectAnnotations } from "@virt/platform";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningProgram } from "../../world/program.ts";
import { type Golden, startGolden, untilConverged } from "./golden.ts";

const check = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check";
const kubelet = "/apis/machineconfiguration.openshift.io/v1/kubeletconfigs/virt-perf-settings";
let golden: Golden;
let operator: RunningProgram;

beforeAll(async () => {
  golden = await startGolden();
  operator = await golden.start();
  await untilConverged(golden);
});
afterAll(() => golden[Symbol.asyncDispose]());

/** As the object tells it. */
async function recreations(): Promise<number> {
  const { metadata } = await golden.read(check);
  const times = at(parseJson(metadata.annotations?.[objectAnnotations.state] ?? ""), "recreated") ?? [];
  return isList(times) ? times.length : -1;
}

async function removeIt(): Promise<void> {
  expect((await golden.world.server.request({ method: "DELETE", path: check })).status).toBe(200);
}

async function untilLooked(): Promise<void> {
  await golden.edit(kubelet, { spec: { kubeletConfig: { maxPods: 7 } } });
  await golden.until(async () => expect(at(await golden.read(kubelet), "spec", "kubeletConfig", "maxPods")).toBe(500));
}

test("somebody who deletes an object again and again gets it back five times, killed operator or not", async () => {
  expect(await recreations()).toBe(0);
  for (const times of [1, 2, 3, 4, 5]) {
    await removeIt();
    await golden.until(async () => expect(await recreations()).toBe(times));
    if (times !== 3) continue;
    await operator.kill();
    operator = await golden.start();
    await untilLooked(); // it has seen the object while it was there
  }
  await removeIt();
  const isTold = () => operator.log.filter(({ reason }) => reason === "ThrashingDetected").map(({ msg }) => msg);
  await expect
    .poll(isTold)
    .toEqual([
      expect.stringContaining(
        "Edit war detected for NodeHealthCheck//virt-node-health-check: it was deleted 5 times. It is not created again for now.",
      ),
    ]);
  await untilLooked();
  expect((await golden.world.server.request({ path: check })).status).toBe(404);
});
