import type { KubeObject } from "@virt/api";
import { at, type Json, parseJson } from "@virt/engine";
import { objectAnnotations } from "@virt/platform";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningProgram } from "../../world/program.ts";
import { type Golden, startGolden, untilConverged } from "./golden.ts";

const check = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check";
const kubelet = "/apis/machineconfiguration.openshift.io/v1/kubeletconfigs/virt-perf-settings";
const descheduler =
  "/apis/operator.openshift.io/v1/namespaces/openshift-kube-descheduler-operator/kubedeschedulers/cluster";
let golden: Golden;
let operator: RunningProgram;

beforeAll(async () => {
  golden = await startGolden();
  operator = await golden.start();
  await untilConverged(golden);
});
afterAll(() => golden[Symbol.asyncDispose]());

const writes = (path: string, from = 0) =>
  golden
    .requests(path)
    .slice(from)
    .filter(({ requestURI, responseStatus }) => !requestURI.includes("dryRun=All") && responseStatus?.code === 200);
const isPaused = (object: KubeObject) => object.metadata.annotations?.[objectAnnotations.paused] === "true";
const stateOf = (object: KubeObject): Json | undefined =>
  parseJson(object.metadata.annotations?.[objectAnnotations.state] ?? "");
const cooldown = async () => at(await golden.read(check), "spec", "stormCooldownDuration");
const insist = () => golden.edit(check, { spec: { stormCooldownDuration: "9m" } }, "stubborn");

/** Edits at once whenever we have corrected, until somebody gives in. */
async function fight(until: () => Promise<boolean>): Promise<void> {
  await golden.untilLong(async () => {
    if ((await cooldown()) !== "9m") await insist();
    expect(await until()).toBe(true);
  });
}

test("an opponent who never gives in gets five corrections, killed operator or not, and then a pause that names them", {
  timeout: 120_000,
}, async () => {
  const from = golden.requests(check).length;
  await insist();
  await fight(() => Promise.resolve(writes(check, from).length >= 3));
  await operator.kill();
  if ((await cooldown()) !== "9m") await insist(); // while nobody looks
  operator = await golden.start();
  await fight(async () => isPaused(await golden.read(check)));

  const paused = await golden.read(check);
  await expect.poll(() => writes(check, from).length).toBe(6); // the audit log may be a moment behind
  expect(at(paused, "spec", "stormCooldownDuration")).toBe("9m");
  expect(at(stateOf(paused), "paused")).toMatchObject({
    field: "/spec/stormCooldownDuration",
    by: '"stubborn" (Update)',
    count: 5,
  });
  await golden.until(async () => {
    const { body } = await golden.world.server.request({ path: "/apis/events.k8s.io/v1/events" });
    const events = (body as { readonly items: readonly { readonly reason: string; readonly note: string }[] }).items;
    const [news, ...more] = events.filter(({ reason }) => reason === "ThrashingDetected");
    expect(more).toEqual([]);
    expect(news?.note).toContain(
      'Edit war detected for NodeHealthCheck//virt-node-health-check: /spec/stormCooldownDuration was changed 5 times by "stubborn" (Update). Reconciliation paused.',
    );
  });
});

test("while it is paused nothing is asked for, not even by an operator that has just started", async () => {
  const before = golden.requests(check).length;
  const edits = Array.from({ length: 20 }, (_, minutes) => `${minutes + 10}m`);
  for (const stormCooldownDuration of edits) await golden.edit(check, { spec: { stormCooldownDuration } }, "stubborn");
  await operator.kill();
  operator = await golden.start();
  await golden.edit(kubelet, { spec: { kubeletConfig: { maxPods: 7 } } }, "somebody");
  await golden.until(async () => expect(at(await golden.read(kubelet), "spec", "kubeletConfig", "maxPods")).toBe(500));
  expect(golden.requests(check).slice(before)).toEqual([]);
});

test("a person who removes the marker has it corrected at once, and the count begins anew", async () => {
  await golden.edit(check, { metadata: { annotations: { [objectAnnotations.paused]: null } } }, "person");
  await golden.until(async () => expect(await cooldown()).toBe("5m"));
  const state = stateOf(await golden.read(check));
  expect(at(state, "paused")).toBeUndefined();
  expect(Object.values((at(state, "fights") ?? {}) as Record<string, unknown[]>).flat().length).toBeLessThanOrEqual(1);
});

test("an opponent who also takes our memory away gets no more corrections than any other", {
  timeout: 120_000,
}, async () => {
  const replaced = async () => {
    const live = await golden.read(check);
    const { annotations: _gone, ...metadata } = live.metadata;
    const { stormCooldownDuration: _field, ...spec } = live["spec"] as Record<string, Json>;
    const body = { ...live, metadata, spec };
    await golden.world.server.request({ method: "PUT", path: `${check}?fieldManager=replacer`, body });
  };
  const from = golden.requests(check).length;
  await golden.untilLong(async () => {
    if ((await cooldown()) !== undefined) await replaced();
    expect(isPaused(await golden.read(check))).toBe(true);
  });
  expect(writes(check, from).length).toBeLessThanOrEqual(6);
});

test("twenty fields changed at once, and one field changed by many, pause nothing", async () => {
  const names = Array.from({ length: 20 }, (_, at) => `label-${at}`);
  const patch = names.map((name) => ({ op: "add", path: `/metadata/labels/${name}`, value: "ours" }));
  const labels = (value: string) => Object.fromEntries(names.map((name) => [name, value]));
  const isBack = async () => {
    const live = await golden.read(descheduler);
    expect(live.metadata.labels).toMatchObject(labels("ours"));
    expect(at(live, "spec", "mode")).toBe("Automatic");
  };
  const start = writes(descheduler).length;
  await golden.edit(descheduler, { metadata: { annotations: { [objectAnnotations.patch]: JSON.stringify(patch) } } });
  await golden.until(isBack);
  await expect.poll(() => writes(descheduler).length).toBeGreaterThan(start);
  const from = golden.requests(descheduler).length;
  await golden.edit(descheduler, { metadata: { labels: labels("theirs") } }, "burst");
  await golden.until(isBack);
  await expect.poll(() => writes(descheduler, from).length).toBe(1);
  for (const name of ["a", "b", "c", "d", "e", "f", "g"]) {
    await golden.edit(descheduler, { spec: { mode: "Predictive" } }, `manager-${name}`);
    await golden.until(isBack);
  }
  const live = await golden.read(descheduler);
  expect(isPaused(live)).toBe(false);
  expect(at(stateOf(live), "paused")).toBeUndefined();
  await expect.poll(() => writes(descheduler, from).length).toBe(8);
});
