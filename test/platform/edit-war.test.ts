import type { KubeObject } from "@virt/api";
import { at, type Json, parseJson } from "@virt/objects";
import { objectAnnotations } from "@virt/platform";
import { expect, test } from "vitest";
import { now } from "../support/full-cluster.ts";
import { objectPaths, sharePlatform } from "../support/running-platform.ts";

const { check, kubelet, descheduler } = objectPaths;
const platform = sharePlatform();

const writes = (path: string, since = "") =>
  platform
    .requests(path, since)
    .filter(({ requestURI, responseStatus }) => !requestURI.includes("dryRun=All") && responseStatus?.code === 200);
const isPaused = (object: KubeObject) => object.metadata.annotations?.[objectAnnotations.paused] === "true";
const stateOf = (object: KubeObject): Json | undefined =>
  parseJson(object.metadata.annotations?.[objectAnnotations.state] ?? "");
const cooldown = () => platform.specOf(check, "stormCooldownDuration");
const insist = () => platform.edit(check, { spec: { stormCooldownDuration: "9m" } }, "stubborn");

/** Reverts every correction immediately, until one side gives up. */
async function fight(until: () => Promise<boolean>): Promise<void> {
  await platform.untilLong(async () => {
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
  await platform.operator.kill();
  if ((await cooldown()) !== "9m") await insist(); // the object is not reconciled meanwhile
  await platform.start();
  await fight(async () => isPaused(await platform.read(check)));

  const paused = await platform.read(check);
  await expect.poll(() => writes(check, from).length).toBe(6); // the audit log can be late
  expect(at(paused, "spec", "stormCooldownDuration")).toBe("9m");
  expect(at(stateOf(paused), "paused")).toMatchObject({
    field: "/spec/stormCooldownDuration",
    by: '"stubborn" (Update)',
    count: 5,
  });
  await platform.until(async () => {
    const [event, ...more] = (await platform.outputs.events()).filter(({ reason }) => reason === "ThrashingDetected");
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
    await platform.edit(check, { spec: { stormCooldownDuration } }, "stubborn");
  await platform.restart();
  await platform.untilCorrected(kubelet);
  expect(platform.requests(check, before)).toEqual([]);
});

test("corrects at once and restarts the count after the marker is removed", async () => {
  await platform.annotate(check, { "reconcile-paused": null });
  await platform.until(async () => expect(await cooldown()).toBe("5m"));
  const state = stateOf(await platform.read(check));
  expect(at(state, "paused")).toBeUndefined();
  expect(Object.values((at(state, "fights") ?? {}) as Record<string, unknown[]>).flat().length).toBeLessThanOrEqual(1);
});

test("an opponent who removes our state gets no additional corrections", {
  timeout: 300_000,
}, async () => {
  const replaced = async () => {
    const live = await platform.read(check);
    const { annotations: _gone, ...metadata } = live.metadata;
    const { stormCooldownDuration: _field, ...spec } = live["spec"] as Record<string, Json>;
    const body = { ...live, metadata, spec };
    await platform.testCluster.server.request({ method: "PUT", path: `${check}?fieldManager=replacer`, body });
  };
  const from = now();
  await platform.untilLong(async () => {
    if ((await cooldown()) !== undefined) await replaced();
    expect(isPaused(await platform.read(check))).toBe(true);
  });
  expect(writes(check, from).length).toBeLessThanOrEqual(6);
});

test("corrects once if the marker and our state are removed together", async () => {
  const from = now();
  await platform.annotate(check, { "reconcile-paused": null, state: null });
  await platform.until(async () => expect(await cooldown()).toBe("5m"));
  expect(isPaused(await platform.read(check))).toBe(false);
  await expect.poll(() => writes(check, from).length).toBe(1);
});

test("does not pause for many fields at once or for many opponents", async () => {
  const names = Array.from({ length: 20 }, (_, at) => `label-${at}`);
  const patch = names.map((name) => ({ op: "add", path: `/metadata/labels/${name}`, value: "ours" }));
  const labels = (value: string) => Object.fromEntries(names.map((name) => [name, value]));
  const isBack = async () => {
    const live = await platform.read(descheduler);
    expect(live.metadata.labels).toMatchObject(labels("ours"));
    expect(at(live, "spec", "mode")).toBe("Automatic");
  };
  const start = writes(descheduler).length;
  await platform.annotate(descheduler, { patch: JSON.stringify(patch) });
  await platform.until(isBack);
  await expect.poll(() => writes(descheduler).length).toBeGreaterThan(start);
  const from = now();
  await platform.edit(descheduler, { metadata: { labels: labels("theirs") } }, "burst");
  await platform.until(isBack);
  await expect.poll(() => writes(descheduler, from).length).toBe(1);
  for (const name of ["a", "b", "c", "d", "e", "f", "g"]) {
    await platform.edit(descheduler, { spec: { mode: "Predictive" } }, `manager-${name}`);
    await platform.until(isBack);
  }
  const live = await platform.read(descheduler);
  expect(isPaused(live)).toBe(false);
  expect(at(stateOf(live), "paused")).toBeUndefined();
  await expect.poll(() => writes(descheduler, from).length).toBe(8);
});
