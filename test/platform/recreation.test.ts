import { at, isList, parseJson } from "@virt/objects";
import { objectAnnotations } from "@virt/platform";
import { expect, test } from "vitest";
import { objectPaths, sharePlatform } from "../support/running-platform.ts";

const { check, kubelet } = objectPaths;
const platform = sharePlatform();

async function recreations(): Promise<number> {
  const { metadata } = await platform.read(check);
  const times = at(parseJson(metadata.annotations?.[objectAnnotations.state] ?? ""), "recreated") ?? [];
  return isList(times) ? times.length : -1;
}

async function removeIt(): Promise<void> {
  expect((await platform.testCluster.server.request({ method: "DELETE", path: check })).status).toBe(200);
}

test("re-creates a deleted object five times, also across a restart", async () => {
  expect(await recreations()).toBe(0);
  for (const times of [1, 2, 3, 4, 5]) {
    await removeIt();
    await platform.until(async () => expect(await recreations()).toBe(times));
    if (times !== 3) continue;
    await platform.operator.kill();
    await platform.start();
    await platform.untilCorrected(check); // the operator has seen the object
  }
  await removeIt();
  await expect
    .poll(() => platform.reports("ThrashingDetected"))
    .toEqual([
      expect.stringContaining(
        "Edit war detected for NodeHealthCheck virt-node-health-check: it was deleted 5 times within an hour and will not be re-created for now.",
      ),
    ]);
  await platform.untilCorrected(kubelet);
  expect((await platform.testCluster.server.request({ path: check })).status).toBe(404);
});
