import { asText } from "@virt/objects";
import { expect, test } from "vitest";
import { now } from "../support/full-cluster.ts";
import { hcoPath, runCommand } from "../support/platform-cluster.ts";
import { objectPaths, sharePlatform } from "../support/running-platform.ts";
import { reportedChanges, untilWaiting } from "./reported-hardware.ts";

const { kubelet: kubeletPath, check: checkPath } = objectPaths;
const worker = "/api/v1/nodes/worker-0";
const minute = 60;
const platform = sharePlatform({ skipsTime: true, prepare: dropTopologyPolicy });

async function dropTopologyPolicy(): Promise<void> {
  await label("memory-numa", null);
  // Disables another asset that sets the topology policy.
  await platform.annotate(hcoPath, { "feature-gates": null });
}

const label = (feature: string, value: string | null) =>
  platform.edit(worker, { metadata: { labels: { [`feature.node.kubernetes.io/${feature}`]: value } } });

const topologyPolicy = () => platform.specOf(kubeletPath, "kubeletConfig", "topologyManagerPolicy");

function writesSince(start: string) {
  const requests = platform.requests(kubeletPath, start);
  return requests.filter(({ verb, requestURI }) => verb === "patch" && !requestURI.includes("dryRun"));
}

test("a label that flips 20 times causes no write", async () => {
  expect(await topologyPolicy()).toBeUndefined();
  const before = now();
  await label("memory-numa", "true");
  await untilWaiting(platform, ["numaNodesPresent"]);
  for (let flip = 0; flip < 10; flip += 1) {
    await label("memory-numa", null);
    await platform.time.skip(platform.operator, 25);
    if (flip < 9) await label("memory-numa", "true");
    await platform.time.skip(platform.operator, 25);
  }
  await label("usb-1d6b.present", "true"); // nothing depends on it
  await untilWaiting(platform, ["usbDevicesPresent"]);
  await platform.time.skip(platform.operator, 11 * minute);
  await untilWaiting(platform, []);
  await platform.untilCorrected(checkPath);
  expect(writesSince(before)).toEqual([]);
});

test("a new label causes exactly one write, after 10 minutes", async () => {
  const before = now();
  await label("memory-numa", "true");
  await untilWaiting(platform, ["numaNodesPresent"]);
  const [change] = await reportedChanges(platform);
  expect(change).toMatchObject({ counted: false, seen: true });
  await platform.time.skip(platform.operator, 9 * minute);
  await platform.untilCorrected(checkPath);
  expect(platform.requests(kubeletPath, before)).toEqual([]);
  expect(await topologyPolicy()).toBeUndefined();

  await platform.time.skip(platform.operator, minute); // nothing else happens: its own timer ends the wait
  await platform.until(async () => expect(await topologyPolicy()).toBe("best-effort"));
  await untilWaiting(platform, []);
  await platform.untilCorrected(checkPath);
  expect(writesSince(before)).toHaveLength(1);
});

test("explain reports a pending hardware change and when it takes effect", async () => {
  await label("memory-numa", null);
  await untilWaiting(platform, ["numaNodesPresent"]);
  const explain = async () =>
    (await runCommand("explain", "numa-topology", `--kubeconfig=${platform.testCluster.server.kubeconfig}`)).stdout;
  const [gone] = await reportedChanges(platform);
  expect(await explain()).toMatch(/^Status: +INCLUDED/m);
  expect(await explain()).toContain(`numaNodesPresent=false, takes effect at ${asText(gone?.["countsAt"])}`);

  await platform.time.skip(platform.operator, 10 * minute);
  await untilWaiting(platform, []);
  await label("memory-numa", "true");
  await untilWaiting(platform, ["numaNodesPresent"]);
  const [seen] = await reportedChanges(platform);
  const reason = `found detected for less than 10 minutes; takes effect at ${asText(seen?.["countsAt"])}`;
  expect(await explain()).toContain(reason);
});
