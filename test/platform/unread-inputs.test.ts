// @module-tag thorough

import type { JsonMap } from "@virt/api";
import { asList, asText, at } from "@virt/objects";
import { type FaultProxy, startFaultProxy } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operatorAccount } from "../support/account.ts";
import { type FullCluster, type ManagedTarget, startFullCluster, untilConverged } from "../support/full-cluster.ts";
import type { RunningProgram } from "../support/program.ts";

const resource = "machineconfigpools";
const kubelet = "/apis/machineconfiguration.openshift.io/v1/kubeletconfigs/virt-perf-settings";
const check = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check";
const managedBy = "platform.kubevirt.io/managed-by";
const note =
  /^Input MachineConfigPool (worker|master) is unavailable; assets keep their last state: 403: forbidden: refused by the fault proxy$/;
let fullCluster: FullCluster;
let proxy: FaultProxy;
let operator: RunningProgram;
let held: readonly ManagedTarget[];

beforeAll(async () => {
  fullCluster = await startFullCluster();
  const { server } = fullCluster.testCluster;
  proxy = await startFaultProxy({ server });
  const kubeconfig = proxy.kubeconfigFor("platform", await operatorAccount(server, "platform"));
  const start = () => fullCluster.testCluster.startOperator({ flags: ["--activation=always"], kubeconfig });
  held = fullCluster.targets.filter(({ ref }) => /perf-settings|pci-passthrough|psi-karg/.test(ref.name));
  operator = await start();
  await untilConverged(fullCluster);
  await operator.kill();
  await fullCluster.edit(kubelet, { spec: { kubeletConfig: { maxPods: 42 } } });
  refusePools(500);
  operator = await start();
});
afterAll(async () => {
  await fullCluster[Symbol.asyncDispose]();
  await proxy.stop();
});

function refusePools(status: 403 | 500): void {
  const trigger = { on: "every", matching: { verb: "watch", resource } } as const;
  proxy.arm({ name: `pools are refused with ${status}`, trigger, fault: { kind: "answer", status } });
}

const maxPods = async () => at(await fullCluster.read(kubelet), "spec", "kubeletConfig", "maxPods");
const asked = () => held.flatMap(({ path }) => fullCluster.requests(path).map(({ requestURI }) => requestURI));
const countReports = () => operator.log.filter(({ msg }) => note.test(msg ?? "")).length;

/** Returns events of the latest reason, because a slow machine can report earlier ones too. */
async function events(): Promise<readonly JsonMap[]> {
  const { body } = await fullCluster.testCluster.server.request({ path: "/apis/events.k8s.io/v1/events" });
  const all = asList(at(body as JsonMap, "items")) as readonly JsonMap[];
  return all.filter((event) => event["reason"] === "InputUnavailable" && note.test(asText(event["note"]) ?? ""));
}

async function untilCorrected(path: string): Promise<void> {
  await fullCluster.edit(path, { metadata: { labels: { [managedBy]: "nobody" } } });
  await fullCluster.until(async () =>
    expect((await fullCluster.read(path)).metadata.labels?.[managedBy]).toBe("virt-platform-operator"),
  );
}

test("after a start, blocks only the objects with an unread input", async () => {
  const before = asked();
  await untilCorrected(check);
  expect(await maxPods()).toBe(42);
  expect(asked()).toEqual(before);
});

test("reports an input unread for a minute for each waiting object", async () => {
  const before = asked();
  expect(await events()).toEqual([]);
  proxy.disarm(); // rearmed before any request arrives
  refusePools(403);
  const reports = held.map(({ ref: { kind, name } }) => ({
    type: "Warning",
    note: expect.stringMatching(note),
    related: expect.objectContaining({ kind, name }),
  }));
  await fullCluster.untilLong(async () => expect(await events()).toHaveLength(held.length));
  expect(await events()).toEqual(expect.arrayContaining(reports.map((one) => expect.objectContaining(one))));
  await untilCorrected(check);
  expect(await maxPods()).toBe(42);
  expect(asked()).toEqual(before);
});

test("reconciles everything once the input is read, without repeated reports", async () => {
  proxy.disarm();
  await fullCluster.untilLong(async () => expect(await maxPods()).toBe(500)); // the operator retries after a backoff
  for (const { path } of held) await untilCorrected(path);
  expect(countReports()).toBe(held.length);
  expect((await events()).map((event) => event["series"])).toEqual(held.map(() => undefined));
});
