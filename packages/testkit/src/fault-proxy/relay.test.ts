import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import type { Matcher } from "./plan.ts";
import { openSite, ProxyWorld, type Site } from "./proxy-world.ts";

let site: Site;
let world: ProxyWorld;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.api.stop());
beforeEach(async () => {
  world = await ProxyWorld.start(site);
  onTestFinished(() => world.stop());
});

const uniqueName = () => `map-${crypto.randomUUID()}`;

const only = (name: string) => `&fieldSelector=metadata.name%3D${name}`;
const watches: Matcher = { verb: "watch", resource: "configmaps" };

test("kubectl can watch through the proxy", async () => {
  const name = uniqueName();
  await world.applyMap(name);
  const waited = world.kubectl("wait", "configmap", name, "--for=jsonpath={.data.a}=b", "--timeout=60s");
  await expect.poll(() => world.proxy.trace().some(({ verb, told }) => verb === "watch" && told === 200)).toBe(true);
  await world.applyMap(name, { a: "b" });
  expect(await waited).toMatchObject({ code: 0 });
});

test("frames of one object come twice when told, those of others once", async () => {
  const [one, other] = [uniqueName(), uniqueName()];
  const { frames } = world.follow();
  await expect.poll(() => world.proxy.trace()[0]?.told).toBe(200);
  const treatment = { do: "duplicate", count: 1 } as const;
  world.arm({ kind: "treat-frames", of: { resource: "configmaps", name: one }, treatment });
  for (const name of [other, one, other]) await world.applyMap(name, { at: crypto.randomUUID() });
  await world.applyMap(one, { at: "last" });
  const ours = () => frames.filter((frame) => frame.includes(one) || frame.includes(other));
  await expect
    .poll(ours)
    .toEqual([`ADDED ${other}`, `ADDED ${one}`, `ADDED ${one}`, `MODIFIED ${other}`, `MODIFIED ${one}`]);
});

test("a dropped frame never comes, the next one does", async () => {
  const name = uniqueName();
  const { frames } = world.follow(only(name));
  await expect.poll(() => world.proxy.trace()[0]?.told).toBe(200);
  world.arm({ kind: "treat-frames", of: { resource: "configmaps", name }, treatment: { do: "drop", count: 1 } });
  await world.applyMap(name);
  await world.applyMap(name, { a: "b" });
  await expect.poll(() => frames).toEqual([`MODIFIED ${name}`]);
});

test("held frames hold up those behind them, in the streams that are open and in new ones, until they are let go", async () => {
  const [held, behind] = [uniqueName(), uniqueName()];
  const old = world.follow();
  await expect.poll(() => world.proxy.trace()[0]?.told).toBe(200);
  world.arm({ kind: "treat-frames", of: { resource: "configmaps", name: held }, treatment: { do: "hold" } });
  await world.applyMap(held);
  const late = world.follow(only(held));
  await world.applyMap(behind);
  const witness = world.follow(only(behind));
  await expect.poll(() => witness.frames).toEqual([`ADDED ${behind}`]);
  const ours = (frames: readonly string[]) => frames.filter((frame) => frame.includes(held) || frame.includes(behind));
  expect([ours(old.frames), late.frames]).toEqual([[], []]);
  world.proxy.disarm();
  await expect.poll(() => ours(old.frames)).toEqual([`ADDED ${held}`, `ADDED ${behind}`]);
  await expect.poll(() => late.frames).toEqual([`ADDED ${held}`]);
});

test.each([{ do: "hold", forMs: 20 } as const, { do: "delay", ms: 20 } as const])(
  "frames come late and in order with $do",
  async (treatment) => {
    const name = uniqueName();
    world.arm({ kind: "treat-frames", of: { resource: "configmaps", name }, treatment });
    await world.applyMap(name);
    const { frames } = world.follow(only(name));
    await expect.poll(() => world.proxy.trace().at(-1)?.told).toBe(200);
    await world.applyMap(name, { a: "b" });
    await expect.poll(() => frames).toEqual([`ADDED ${name}`, `MODIFIED ${name}`]);
  },
);

test("a silent watch says nothing more and stays open; a new one speaks", async () => {
  const name = uniqueName();
  const silent = world.follow(only(name));
  await expect.poll(() => world.proxy.trace()[0]?.told).toBe(200);
  world.arm({ kind: "silence-watches" });
  await world.applyMap(name);
  const fresh = world.follow(only(name));
  await expect.poll(() => fresh.frames).toEqual([`ADDED ${name}`]);
  expect([silent.frames, silent.ending()]).toEqual([[], "open"]);
});

test("a watch can be silent from its first byte, and others are not", async () => {
  const name = uniqueName();
  await world.applyMap(name);
  world.arm({ kind: "silence-watches" }, { on: "request", number: 1, matching: watches });
  const silent = world.follow(only(name));
  await expect.poll(() => world.proxy.trace().at(-1)?.told).toBe(200);
  const fresh = world.follow(only(name));
  await expect.poll(() => fresh.frames).toEqual([`ADDED ${name}`]);
  expect([silent.frames, silent.ending()]).toEqual([[], "open"]);
});

test("a cut watch breaks in the middle of a frame", async () => {
  const name = uniqueName();
  await world.applyMap(name);
  world.arm({ kind: "cut-answer" }, { on: "request", number: 1, matching: watches });
  const cut = world.follow(only(name));
  await expect.poll(() => cut.ending()).toBe("broken");
  expect(cut.frames.every((frame) => frame === "half a frame")).toBe(true);
});

test("a streaming list is refused with an ERROR frame, a plain watch is not", async () => {
  const name = uniqueName();
  await world.applyMap(name);
  world.arm({ kind: "refuse-streaming-list" }, { on: "every", matching: watches });
  const streaming = "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  const refused = world.follow(`${only(name)}${streaming}`);
  await expect.poll(() => refused.ending()).toBe("ended");
  expect(refused.frames).toEqual([expect.stringMatching(/^ERROR a streaming list is not possible/)]);
  const plain = world.follow(only(name));
  await expect.poll(() => plain.frames).toEqual([`ADDED ${name}`]);
  world.proxy.disarm();
  const accepted = world.follow(`${only(name)}${streaming}`);
  await expect.poll(() => accepted.frames[0]).toBe(`ADDED ${name}`);
});

test("a server that ends a watch ends it for the client", async () => {
  const { ending } = world.follow("&timeoutSeconds=1");
  await expect.poll(() => ending()).toBe("ended");
});
