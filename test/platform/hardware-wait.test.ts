import { asText, at } from "@virt/objects";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FullCluster, now, startFullCluster, untilConverged } from "../support/full-cluster.ts";
import { hcoPath, runCommand } from "../support/platform-cluster.ts";
import type { RunningProgram } from "../support/program.ts";
import { prepareSkippedTime, type SkippedTime } from "../support/skipped-time.ts";
import { reportedChanges, untilWaiting } from "./reported-hardware.ts";

const worker = "/api/v1/nodes/worker-0";
const kubeletPath = "/apis/machineconfiguration.openshift.io/v1/kubeletconfigs/virt-perf-settings";
const checkPath = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check";
const minute = 60;

let fullCluster: FullCluster;
let operator: RunningProgram;
let time: SkippedTime;
beforeAll(async () => {
  fullCluster = await startFullCluster();
  await label("memory-numa", null);
  // Disables another asset that sets the topology policy.
  await fullCluster.edit(hcoPath, { metadata: { annotations: { "platform.kubevirt.io/feature-gates": null } } });
  const { testCluster } = fullCluster;
  time = await prepareSkippedTime(testCluster.server.folder);
  operator = await testCluster.startOperator({ flags: ["--activation=always"], nodeFlags: time.nodeFlags });
  await untilConverged(fullCluster);
});
afterAll(() => fullCluster[Symbol.asyncDispose]());

const label = (feature: string, value: string | null) =>
  fullCluster.edit(worker, { metadata: { labels: { [`feature.node.kubernetes.io/${feature}`]: value } } });

const topologyPolicy = async () =>
  at(await fullCluster.read(kubeletPath), "spec", "kubeletConfig", "topologyManagerPolicy");

function writesSince(start: string) {
  const requests = fullCluster.requests(kubeletPath, start);
  return requests.filter(({ verb, requestURI }) => verb === "patch" && !requestURI.includes("dryRun"));
}

/** Another object's correction shows that the operator's earlier work is done. */
async function untilAtRest(): Promise<void> {
  const minHealthy = async () => at(await fullCluster.read(checkPath), "spec", "minHealthy");
  await fullCluster.edit(checkPath, { spec: { minHealthy: "10%" } });
  await fullCluster.until(async () => expect(await minHealthy()).toBe("51%"));
}

test("a label that flips 20 times causes no write", async () => {
  expect(await topologyPolicy()).toBeUndefined();
  const before = now();
  await label("memory-numa", "true");
  await untilWaiting(fullCluster, ["numaNodesPresent"]);
  for (let flip = 0; flip < 10; flip += 1) {
    await label("memory-numa", null);
    await time.skip(operator, 25);
    if (flip < 9) await label("memory-numa", "true");
    await time.skip(operator, 25);
  }
  await label("usb-1d6b.present", "true"); // nothing depends on it
  await untilWaiting(fullCluster, ["usbDevicesPresent"]);
  await time.skip(operator, 11 * minute);
  await untilWaiting(fullCluster, []);
  await untilAtRest();
  expect(writesSince(before)).toEqual([]);
});

test("a new label causes exactly one write, after 10 minutes", async () => {
  const before = now();
  await label("memory-numa", "true");
  await untilWaiting(fullCluster, ["numaNodesPresent"]);
  const [change] = await reportedChanges(fullCluster);
  expect(change).toMatchObject({ counted: false, seen: true });
  await time.skip(operator, 9 * minute);
  await untilAtRest();
  expect(fullCluster.requests(kubeletPath, before)).toEqual([]);
  expect(await topologyPolicy()).toBeUndefined();

  await time.skip(operator, minute); // nothing else happens: its own timer ends the wait
  await fullCluster.until(async () => expect(await topologyPolicy()).toBe("best-effort"));
  await untilWaiting(fullCluster, []);
  await untilAtRest();
  expect(writesSince(before)).toHaveLength(1);
});

test("explain reports a pending hardware change and when it takes effect", async () => {
  await label("memory-numa", null);
  await untilWaiting(fullCluster, ["numaNodesPresent"]);
  const explain = async () =>
    (await runCommand("explain", "numa-topology", `--kubeconfig=${fullCluster.testCluster.server.kubeconfig}`)).stdout;
  const [gone] = await reportedChanges(fullCluster);
  expect(await explain()).toMatch(/^Status: +INCLUDED/m);
  expect(await explain()).toContain(`numaNodesPresent=false, takes effect at ${asText(gone?.["countsAt"])}`);

  await time.skip(operator, 10 * minute);
  await untilWaiting(fullCluster, []);
  await label("memory-numa", "true");
  await untilWaiting(fullCluster, ["numaNodesPresent"]);
  const [seen] = await reportedChanges(fullCluster);
  const reason = `found detected for less than 10 minutes; takes effect at ${asText(seen?.["countsAt"])}`;
  expect(await explain()).toContain(reason);
});
