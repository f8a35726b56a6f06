import { VirtualClock } from "@virt/testkit";
import { expect, test } from "vitest";
import { Breakers } from "../breaker/breaker.ts";
import { Fence } from "../lease/fence.ts";
import type { Scope } from "../wire/request.ts";
import { Loop } from "./loop.ts";
import type { Ending, Pass, PassReport } from "./pass.ts";
import { Queue } from "./queue.ts";

const pools: Scope = { access: "write", resource: "pools" };
const done: Ending = { kind: "done" };
const unheard = new AbortController().signal;

/** A loop whose passes end when the test says so. */
function begin() {
  const clock = new VirtualClock();
  const fence = new Fence({ clock, deadlineMs: 1_000_000_000 });
  fence.renewed(fence.mark());
  const silent = { added: () => undefined, retried: () => undefined, taken: () => undefined, worked: () => undefined };
  const queue = new Queue({ clock, chance: () => 0.5, observer: silent });
  const breakers = new Breakers({ clock, observer: { opened: () => undefined, closed: () => undefined } });
  const running = new Map<string, PromiseWithResolvers<Ending> & { readonly signal: AbortSignal }>();
  const started: string[] = [];
  const reports: PassReport[] = [];
  const held: Pass = (key, signal) => {
    started.push(key);
    const pass = { ...Promise.withResolvers<Ending>(), signal };
    running.set(key, pass);
    return pass.promise;
  };
  const how: { pass: Pass } = { pass: held };
  const observer = { ended: (report: PassReport) => reports.push(report) };
  const pass: Pass = (key, signal, attempt) => how.pass(key, signal, attempt);
  const loop = new Loop({ name: "advisor", queue, gate: fence, breakers, clock, observer, pass });
  const add = async (...keys: readonly string[]) => {
    for (const key of keys) queue.add(key);
    await clock.advance(0);
  };
  const end = async (key: string, ending: Ending = done) => {
    running.get(key)?.resolve(ending);
    await clock.advance(0);
  };
  return { clock, fence, queue, breakers, loop, running, started, reports, how, add, end };
}

const keys = ["a", "b", "c", "d", "e", "f"];

test("four keys are worked on at once, the others in order as soon as one is done", async () => {
  const { started, add, end } = begin();
  await add(...keys);
  expect(started).toEqual(["a", "b", "c", "d"]);
  await end("b");
  expect(started).toEqual(["a", "b", "c", "d", "e"]);
});

test("a key that changes during its pass gets another one afterwards", async () => {
  const { started, add, end } = begin();
  await add("a");
  await add("a");
  expect(started).toEqual(["a"]);
  await end("a");
  expect(started).toEqual(["a", "a"]);
});

test("a pass does not start in the middle of whatever adds its key", () => {
  const { queue, started } = begin();
  queue.add("a");
  expect(started).toEqual([]);
});

test("a pass that wants to come again does so at its time, and that is no failure", async () => {
  const { clock, started, reports, add, end } = begin();
  await add("a");
  await end("a", { kind: "failed" });
  await clock.advance(5);
  await end("a", { kind: "again", atMs: clock.wall() + 60_000 });
  await clock.advance(59_999);
  expect(started).toHaveLength(2);
  await clock.advance(1);
  await end("a", { kind: "failed" });
  expect(clock.nextInMs, "the failures were forgotten").toBe(5);
  expect(reports.map(({ how }) => how)).toEqual(["failed", "again", "failed"]);
});

test("Retry-After is obeyed when it is longer than the backoff", async () => {
  const { clock, started, add, end } = begin();
  await add("a");
  await end("a", { kind: "failed", retryInMs: 7_000 });
  await clock.advance(6_999);
  expect(started).toEqual(["a"]);
  await clock.advance(1);
  expect(started).toEqual(["a", "a"]);
});

test("a throw is a bug: told with its cause, backoff for that key, and the others go on", async () => {
  const { clock, started, reports, how, running, add, end } = begin();
  const { pass } = how;
  how.pass = (key, signal, attempt) => {
    if (key === "a") throw new TypeError("a bug");
    return pass(key, signal, attempt);
  };
  await add("a", "b");
  expect(reports).toEqual([{ key: "a", how: "threw", durationMs: 0, cause: new TypeError("a bug") }]);
  await end("b");
  how.pass = pass;
  await clock.advance(5);
  expect(started).toEqual(["b", "a"]);
  running.get("a")?.reject(new Error("another"));
  await clock.advance(0);
  expect(clock.nextInMs).toBe(10);
});

test("a pass gets its signal after 60 s; when it throws then, it is late and not a bug", async () => {
  const { clock, running, reports, add, loop } = begin();
  await add("a");
  await clock.advance(59_999);
  expect(running.get("a")?.signal.aborted).toBe(false);
  expect(loop.oldestPassMs).toBe(59_999);
  await clock.advance(1);
  const { signal, reject } = running.get("a") ?? { signal: unheard, reject: () => undefined };
  expect(signal.reason).toMatchObject({ name: "TimeoutError" });
  reject(signal.reason);
  await clock.advance(0);
  expect(reports).toMatchObject([{ how: "late", durationMs: 60_000 }]);
  expect(loop.oldestPassMs).toBe(0);
});

test("when the gate closes running passes get their signal and none starts; the keys are seen to when it opens", async () => {
  const { clock, fence, started, running, reports, add, end } = begin();
  await add("a");
  fence.close();
  expect(running.get("a")?.signal.aborted).toBe(true);
  await add("b");
  await end("a", { kind: "failed" });
  expect(reports).toMatchObject([{ key: "a", how: "interrupted" }]);
  expect(started).toEqual(["a"]);
  fence.renewed(fence.mark());
  await clock.advance(0);
  expect(started).toEqual(["a", "b", "a"]);
});

test("a process that wakes after its lease starts no pass", async () => {
  const { clock, queue, started } = begin();
  clock.freeze(2_000_000_000);
  queue.add("a");
  await clock.advance(0);
  expect(started).toEqual([]);
});

/** Asks for the pools and fails while they are down. */
function asking(isDown: () => boolean, sent: string[]): Pass {
  return async (key, _signal, attempt) => {
    if (attempt.admit(pools) === "wait") return { kind: "failed" };
    sent.push(key);
    if (isDown()) attempt.unavailable(pools, { message: "down" });
    else attempt.answered(pools);
    return isDown() ? { kind: "failed" } : done;
  };
}

test("keys that need what is down are parked: one request a second, and all run when it is back", async () => {
  const { clock, how, reports, add } = begin();
  let isDown = true;
  const sent: string[] = [];
  how.pass = asking(() => isDown, sent);
  await add(...keys);
  await clock.advance(0);
  expect(sent, "three answers opened the breaker").toEqual(["a", "b", "c"]);
  sent.length = 0;
  await clock.advance(60_000);
  expect(sent).toHaveLength(60);
  isDown = false;
  sent.length = 0;
  await clock.advance(1_000);
  expect(new Set(sent)).toEqual(new Set(keys));
  expect(reports.filter(({ how }) => how === "done")).toHaveLength(6);
});

test("a controller that does not lead holds no trial that another could use", async () => {
  const { clock, how, fence, breakers, add } = begin();
  how.pass = asking(() => true, []);
  await add("a", "b", "c");
  const other = breakers.begin("platform/a");
  other.admit(pools);
  const woken: string[] = [];
  other.park(() => woken.push("platform/a"));
  fence.close();
  await clock.advance(1_000);
  expect(woken).toEqual(["platform/a"]);
});

test("a stop lets running passes end by themselves and starts no others", async () => {
  const { clock, loop, started, running, add, end } = begin();
  await add(...keys);
  const stopped = loop.stop(unheard);
  await clock.advance(9_999);
  for (const key of ["a", "b", "c", "d"]) await end(key); // oxlint-disable-line no-await-in-loop -- in order
  await stopped;
  expect(started).toEqual(["a", "b", "c", "d"]);
  expect([...running.values()].map(({ signal }) => signal.aborted)).toEqual([false, false, false, false]);
});

test("a stop gives passes their signal after 10 s, and does not wait for one that does not listen", async () => {
  const { clock, loop, running, add } = begin();
  await add("a");
  const stopped = loop.stop(unheard);
  await clock.advance(9_999);
  expect(running.get("a")?.signal.aborted).toBe(false);
  await clock.advance(1);
  expect(running.get("a")?.signal.aborted).toBe(true);
  await clock.advance(1_000);
  await stopped;
});

test("a gate that closes during a stop still ends the passes", async () => {
  const { loop, fence, running, add } = begin();
  await add("a");
  void loop.stop(unheard);
  fence.close();
  expect(running.get("a")?.signal.aborted).toBe(true);
});

test("who is in a hurry gets the passes their signal at once", async () => {
  const { clock, loop, running, add } = begin();
  await add("a");
  const hurry = new AbortController();
  void loop.stop(hurry.signal);
  await clock.advance(10);
  hurry.abort();
  await clock.advance(0);
  expect(running.get("a")?.signal.aborted).toBe(true);
});

test("a stop with nothing to do is done, and leaves no timer but those of others", async () => {
  const { clock, loop, fence, breakers, how, add } = begin();
  how.pass = asking(() => true, []);
  await add("a", "b", "c");
  await loop.stop(unheard);
  fence[Symbol.dispose]();
  expect(clock.scheduled).toBe(0);
  expect(breakers.open).toMatchObject([{ waiting: 0 }]);
});
