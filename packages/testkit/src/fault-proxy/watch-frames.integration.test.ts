import { expect, test } from "vitest";
import { type ProxyHarness, uniqueName, useProxyHarness } from "../testing/proxy-harness.ts";
import type { RequestMatcher } from "./fault-plan.ts";

let harness: ProxyHarness;
useProxyHarness((started) => ({ harness } = started));

const only = (name: string) => `&fieldSelector=metadata.name%3D${name}`;
const watches: RequestMatcher = { verb: "watch", resource: "configmaps" };

test("kubectl can watch through the proxy", async () => {
  const name = uniqueName();
  await harness.applyConfigMap(name);
  const waited = harness.kubectl("wait", "configmap", name, "--for=jsonpath={.data.a}=b", "--timeout=60s");
  await expect
    .poll(() => harness.proxy.trace().some(({ verb, clientStatus }) => verb === "watch" && clientStatus === 200))
    .toBe(true);
  await harness.applyConfigMap(name, { a: "b" });
  expect(await waited).toMatchObject({ code: 0 });
});

test("duplicates frames of the matching object only", async () => {
  const [one, other] = [uniqueName(), uniqueName()];
  const { frames } = harness.watchConfigMaps();
  await expect.poll(() => harness.proxy.trace()[0]?.clientStatus).toBe(200);
  const treatment = { do: "duplicate", count: 1 } as const;
  harness.arm({ kind: "treat-frames", of: { resource: "configmaps", name: one }, treatment });
  for (const name of [other, one, other]) await harness.applyConfigMap(name, { at: crypto.randomUUID() });
  await harness.applyConfigMap(one, { at: "last" });
  const ours = () => frames.filter((frame) => frame.includes(one) || frame.includes(other));
  await expect
    .poll(ours)
    .toEqual([`ADDED ${other}`, `ADDED ${one}`, `ADDED ${one}`, `MODIFIED ${other}`, `MODIFIED ${one}`]);
});

test("drops one frame and delivers the next", async () => {
  const name = uniqueName();
  const { frames } = harness.watchConfigMaps(only(name));
  await expect.poll(() => harness.proxy.trace()[0]?.clientStatus).toBe(200);
  harness.arm({ kind: "treat-frames", of: { resource: "configmaps", name }, treatment: { do: "drop", count: 1 } });
  await harness.applyConfigMap(name);
  await harness.applyConfigMap(name, { a: "b" });
  await expect.poll(() => frames).toEqual([`MODIFIED ${name}`]);
});

test("holds frames and later ones in all streams until they are released", async () => {
  const [held, behind] = [uniqueName(), uniqueName()];
  const old = harness.watchConfigMaps();
  await expect.poll(() => harness.proxy.trace()[0]?.clientStatus).toBe(200);
  harness.arm({ kind: "treat-frames", of: { resource: "configmaps", name: held }, treatment: { do: "hold" } });
  await harness.applyConfigMap(held);
  const late = harness.watchConfigMaps(only(held));
  await harness.applyConfigMap(behind);
  const witness = harness.watchConfigMaps(only(behind));
  await expect.poll(() => witness.frames).toEqual([`ADDED ${behind}`]);
  const ours = (frames: readonly string[]) => frames.filter((frame) => frame.includes(held) || frame.includes(behind));
  expect([ours(old.frames), late.frames]).toEqual([[], []]);
  harness.proxy.disarm();
  await expect.poll(() => ours(old.frames)).toEqual([`ADDED ${held}`, `ADDED ${behind}`]);
  await expect.poll(() => late.frames).toEqual([`ADDED ${held}`]);
});

test.each([{ do: "hold", forMs: 20 } as const, { do: "delay", ms: 20 } as const])(
  "delays frames in order with $do",
  async (treatment) => {
    const name = uniqueName();
    harness.arm({ kind: "treat-frames", of: { resource: "configmaps", name }, treatment });
    await harness.applyConfigMap(name);
    const { frames } = harness.watchConfigMaps(only(name));
    await expect.poll(() => harness.proxy.trace().at(-1)?.clientStatus).toBe(200);
    await harness.applyConfigMap(name, { a: "b" });
    await expect.poll(() => frames).toEqual([`ADDED ${name}`, `MODIFIED ${name}`]);
  },
);

test("a silenced watch stays open, and a new one gets frames", async () => {
  const name = uniqueName();
  const silent = harness.watchConfigMaps(only(name));
  await expect.poll(() => harness.proxy.trace()[0]?.clientStatus).toBe(200);
  harness.arm({ kind: "silence-watches" });
  await harness.applyConfigMap(name);
  const fresh = harness.watchConfigMaps(only(name));
  await expect.poll(() => fresh.frames).toEqual([`ADDED ${name}`]);
  expect([silent.frames, silent.ending()]).toEqual([[], "open"]);
});

test("silences a watch from its first byte, but no others", async () => {
  const name = uniqueName();
  await harness.applyConfigMap(name);
  harness.arm({ kind: "silence-watches" }, { on: "request", number: 1, matching: watches });
  const silent = harness.watchConfigMaps(only(name));
  await expect.poll(() => harness.proxy.trace().at(-1)?.clientStatus).toBe(200);
  const fresh = harness.watchConfigMaps(only(name));
  await expect.poll(() => fresh.frames).toEqual([`ADDED ${name}`]);
  expect([silent.frames, silent.ending()]).toEqual([[], "open"]);
});

test("cuts a watch in the middle of a frame", async () => {
  const name = uniqueName();
  await harness.applyConfigMap(name);
  harness.arm({ kind: "cut-answer" }, { on: "request", number: 1, matching: watches });
  const cut = harness.watchConfigMaps(only(name));
  await expect.poll(() => cut.ending()).toBe("broken");
  expect(cut.frames.every((frame) => frame === "half a frame")).toBe(true);
});

test("rejects a streaming list with an ERROR frame, but not a plain watch", async () => {
  const name = uniqueName();
  await harness.applyConfigMap(name);
  harness.arm({ kind: "refuse-streaming-list" }, { on: "every", matching: watches });
  const streaming = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  const refused = harness.watchConfigMaps(`${only(name)}${streaming}`);
  await expect.poll(() => refused.ending()).toBe("ended");
  expect(refused.frames).toEqual([expect.stringMatching(/^ERROR a streaming list is not possible/)]);
  const plain = harness.watchConfigMaps(only(name));
  await expect.poll(() => plain.frames).toEqual([`ADDED ${name}`]);
  harness.proxy.disarm();
  const accepted = harness.watchConfigMaps(`${only(name)}${streaming}`);
  await expect.poll(() => accepted.frames[0]).toBe(`ADDED ${name}`);
});

test("the end of a watch reaches the client", async () => {
  const { ending } = harness.watchConfigMaps("&timeoutSeconds=1");
  await expect.poll(() => ending()).toBe("ended");
});
