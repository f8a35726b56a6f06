import type { ApiReader } from "@virt/kube";
import { expect, test } from "vitest";
import { DrainedPods } from "./drained-pods.ts";

const listed = { kind: "answered", status: 200, body: { items: [] }, text: "{}", headers: {} };
const sender = { send: () => Promise.resolve(listed) } as unknown as ApiReader;
const context = (seconds: number) => ({ sender, signal: new AbortController().signal, now: seconds * 1000 });
const nodes = Array.from({ length: 50 }, (_, at) => `node-${at}`);
const gap = { reason: "TooMany", message: "pods are listed for at most 20 nodes per minute" };

test("nodes with unlisted pods are a gap after a minute", async () => {
  const pods = new DrainedPods();
  for (const seconds of [0, 59, 60, 119, 120]) {
    const lists = await pods.load(nodes, context(seconds));
    const isGap = lists.size < nodes.length && seconds >= 60;
    expect(pods.refusalFor(nodes, seconds * 1000)).toEqual(isGap ? gap : undefined);
  }
});

test("an impatient reader reports unlisted nodes at once", async () => {
  const pods = new DrainedPods({ isPatient: false });
  await pods.load(nodes, context(0));
  expect(pods.refusalFor(nodes, 0)).toEqual(gap);
});

test("a node that drains again gets a new minute", async () => {
  const pods = new DrainedPods();
  await pods.load(nodes, context(0));
  await pods.load([], context(50));
  await pods.load(nodes, context(55));
  expect(pods.refusalFor(nodes, 110_000)).toBeUndefined();
});
