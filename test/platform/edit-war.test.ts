import type { KubeObject } from "@virt/api";
import { at, type Json, parseJson } from "@virt/objects";
import { objectAnnotations } from "@virt/platform";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FullCluster, now, startFullCluster, untilConverged } from "../support/full-cluster.ts";
import type { RunningProgram } from "../support/program.ts";

const check = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check";
const kubelet = "/apis/machineconfiguration.openshift.io/v1/kubeletconfigs/virt-perf-settings";
const descheduler =
  "/apis/operator.openshift.io/v1/namespaces/openshift-kube-descheduler-operator/kubedeschedulers/cluster";
let fullCluster: FullCluster;
let operator: RunningProgram;

beforeAll(async () => {
  fullCluster = await startFullCluster();
  operator = await fullCluster.start();
  await untilConverged(fullCluster);
});
afterAll(() => fullCluster[Symbol.asyncDispose]());

const writes = (path: string, since = "") =>
  fullCluster
    .requests(path, since)
    .filter(({ requestURI, responseStatus }) => !requestURI.includes("dryRun=All") && responseStatus?.code === 200);
const isPaused = (object: KubeObject) => object.metadata.annotations?.[objectAnnotations.paused] === "true";
const stateOf = (object: KubeObject): Json | undefined =>
  parseJson(object.metadata.annotations?.[objectAnnotations.state] ?? "");
const cooldown = async () => at(await fullCluster.read(check), "spec", "stormCooldownDuration");
const insist = () => fullCluster.edit(check, { spec: { stormCooldownDuration: "9m" } }, "stubborn");

/** Reverts every correction immediately, until one side gives up. */
async function fight(until: () => Promise<boolean>): Promise<void> {
  await fullCluster.untilLong(async () => {
    if ((await cooldown()) !== "9m") await insist();
    expect(await until()).toBe(true);
  });
}

test("corrects an opponent five times across a restart, then pauses and names it", {
  timeout: 300_000,
}, async () => {
  const from = now();
  await insist();
  await fight(() => Promise.resolve(writes(check, from).length >= 3));
  await operator.kill();
  if ((await cooldown()) !== "9m") await insist(); // the object is not reconciled meanwhile
  operator = await fullCluster.start();
  await fight(async () => isPaused(await fullCluster.read(check)));

  const paused = await fullCluster.read(check);
  await expect.poll(() => writes(check, from).length).toBe(6); // the audit log can be late
  expect(at(paused, "spec", "stormCooldownDuration")).toBe("9m");
  expect(at(stateOf(paused), "paused")).toMatchObject({
    field: "/spec/stormCooldownDuration",
    by: '"stubborn" (Update)',
    count: 5,
  });
  await fullCluster.until(async () => {
    const { body } = await fullCluster.testCluster.server.request({ path: "/apis/events.k8s.io/v1/events" });
    const events = (body as { readonly items: readonly { readonly reason: string; readonly note: string }[] }).items;
    const [event, ...more] = events.filter(({ reason }) => reason === "ThrashingDetected");
    expect(more).toEqual([]);
    expect(event?.note).toContain(
      'Edit war detected for NodeHealthCheck virt-node-health-check: /spec/stormCooldownDuration was changed 5 times by "stubborn" (Update). Reconciliation paused.',
    );
  });
});

test("sends no requests for a paused object, even after a restart", async () => {
  const before = now();
  const edits = Array.from({ length: 20 }, (_, minutes) => `${minutes + 10}m`);
  for (const stormCooldownDuration of edits)
    await fullCluster.edit(check, { spec: { stormCooldownDuration } }, "stubborn");
  await operator.kill();
  operator = await fullCluster.start();
  await fullCluster.edit(kubelet, { spec: { kubeletConfig: { maxPods: 7 } } }, "somebody");
  await fullCluster.until(async () =>
    expect(at(await fullCluster.read(kubelet), "spec", "kubeletConfig", "maxPods")).toBe(500),
  );
  expect(fullCluster.requests(check, before)).toEqual([]);
});

test("corrects at once and restarts the count after the marker is removed", async () => {
  await fullCluster.edit(check, { metadata: { annotations: { [objectAnnotations.paused]: null } } }, "person");
  await fullCluster.until(async () => expect(await cooldown()).toBe("5m"));
  const state = stateOf(await fullCluster.read(check));
  expect(at(state, "paused")).toBeUndefined();
  expect(Object.values((at(state, "fights") ?? {}) as Record<string, unknown[]>).flat().length).toBeLessThanOrEqual(1);
});

test("an opponent who removes our state gets no additional corrections", {
  timeout: 300_000,
}, async () => {
  const replaced = async () => {
    const live = await fullCluster.read(check);
    const { annotations: _gone, ...metadata } = live.metadata;
    const { stormCooldownDuration: _field, ...spec } = live["spec"] as Record<string, Json>;
    const body = { ...live, metadata, spec };
    await fullCluster.testCluster.server.request({ method: "PUT", path: `${check}?fieldManager=replacer`, body });
  };
  const from = now();
  await fullCluster.untilLong(async () => {
    if ((await cooldown()) !== undefined) await replaced();
    expect(isPaused(await fullCluster.read(check))).toBe(true);
  });
  expect(writes(check, from).length).toBeLessThanOrEqual(6);
});

test("corrects once if the marker and our state are removed together", async () => {
  const from = now();
  const annotations = { [objectAnnotations.paused]: null, [objectAnnotations.state]: null };
  await fullCluster.edit(check, { metadata: { annotations } }, "person");
  await fullCluster.until(async () => expect(await cooldown()).toBe("5m"));
  expect(isPaused(await fullCluster.read(check))).toBe(false);
  await expect.poll(() => writes(check, from).length).toBe(1);
});

test("does not pause for many fields at once or for many opponents", async () => {
  const names = Array.from({ length: 20 }, (_, at) => `label-${at}`);
  const patch = names.map((name) => ({ op: "add", path: `/metadata/labels/${name}`, value: "ours" }));
  const labels = (value: string) => Object.fromEntries(names.map((name) => [name, value]));
  const isBack = async () => {
    const live = await fullCluster.read(descheduler);
    expect(live.metadata.labels).toMatchObject(labels("ours"));
    expect(at(live, "spec", "mode")).toBe("Automatic");
  };
  const start = writes(descheduler).length;
  await fullCluster.edit(descheduler, {
    metadata: { annotations: { [objectAnnotations.patch]: JSON.stringify(patch) } },
  });
  await fullCluster.until(isBack);
  await expect.poll(() => writes(descheduler).length).toBeGreaterThan(start);
  const from = now();
  await fullCluster.edit(descheduler, { metadata: { labels: labels("theirs") } }, "burst");
  await fullCluster.until(isBack);
  await expect.poll(() => writes(descheduler, from).length).toBe(1);
  for (const name of ["a", "b", "c", "d", "e", "f", "g"]) {
    await fullCluster.edit(descheduler, { spec: { mode: "Predictive" } }, `manager-${name}`);
    await fullCluster.until(isBack);
  }
  const live = await fullCluster.read(descheduler);
  expect(isPaused(live)).toBe(false);
  expect(at(stateOf(live), "paused")).toBeUndefined();
  await expect.poll(() => writes(descheduler, from).length).toBe(8);
});
