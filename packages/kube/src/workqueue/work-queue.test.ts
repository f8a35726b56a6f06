import { VirtualClock } from "@virt/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { silentQueueObserver } from "../testing/silent-observers.ts";
import { backoffMs, WorkQueue } from "./work-queue.ts";

function begin(observer = silentQueueObserver) {
  const clock = new VirtualClock();
  return { clock, queue: new WorkQueue({ clock, chance: () => 0.5, observer }) };
}

function takeAll(queue: WorkQueue): readonly string[] {
  const keys: string[] = [];
  for (let key = queue.take(); key !== undefined; key = queue.take()) keys.push(key);
  return keys;
}

test("queues a key once", () => {
  const { queue } = begin();
  for (const key of ["a", "b", "a", "a"]) queue.add(key);
  expect(takeAll(queue)).toEqual(["a", "b"]);
});

test("queues a key again that is added while it is processed", () => {
  const { queue } = begin();
  queue.add("a");
  queue.take();
  queue.add("a");
  expect(queue.take()).toBeUndefined();
  queue.done("a");
  expect(takeAll(queue)).toEqual(["a"]);
});

test("a delayed key keeps its earliest time", () => {
  const { queue, clock } = begin();
  queue.addAfter("a", 100);
  queue.addAfter("a", 50);
  queue.addAfter("a", 80);
  clock.elapse(49);
  expect(queue.take()).toBeUndefined();
  clock.elapse(1);
  expect(takeAll(queue)).toEqual(["a"]);
  queue.done("a");
  clock.elapse(1_000);
  expect(queue.take()).toBeUndefined();
});

test("the back-off grows with failures, respects Retry-After, and resets", () => {
  const { queue, clock } = begin();
  const rest = (retryInMs?: number) => {
    queue.fail("a", retryInMs);
    return clock.nextInMs;
  };
  const next = () => {
    clock.elapse(60_000);
    takeAll(queue);
    queue.done("a");
  };
  expect(rest()).toBe(5);
  next();
  expect(rest(7)).toBe(10);
  next();
  expect(rest(45_000)).toBe(45_000);
  next();
  queue.forget("a");
  expect(rest()).toBe(5);
});

test("after a shutdown, adds nothing and leaves no timer", () => {
  const { queue, clock } = begin();
  queue.add("a");
  queue.add("b");
  queue.addAfter("later", 10);
  expect(queue.take()).toBe("a");
  queue.add("a");
  queue.shutDown();
  for (const refused of [() => queue.add("c"), () => queue.addAfter("c", 1), () => queue.fail("c")]) refused();
  queue.done("a");
  expect(takeAll(queue)).toEqual(["b", "a"]);
  expect(clock.scheduled).toBe(0);
});

test("notifies listeners of each available key", () => {
  const { queue, clock } = begin();
  const heard: (string | undefined)[] = [];
  queue.listen(() => heard.push(queue.take()));
  queue.add("a");
  queue.add("a");
  queue.done("a");
  queue.addAfter("b", 5);
  clock.elapse(5);
  expect(heard).toEqual(["a", "a", "b"]);
});

test("reports the numbers of the workqueue metrics", () => {
  const seen: Record<string, number[]> = { added: [], retried: [], taken: [], worked: [] };
  const { queue, clock } = begin({
    added: () => void seen["added"]?.push(1),
    retried: () => void seen["retried"]?.push(1),
    taken: (seconds) => void seen["taken"]?.push(seconds),
    worked: (seconds) => void seen["worked"]?.push(seconds),
  });
  queue.add("a");
  queue.add("a");
  queue.add("b");
  clock.elapse(500);
  queue.take();
  clock.elapse(250);
  queue.take();
  queue.add("a"); // queued now, for its second run
  clock.elapse(1_000);
  expect(queue.state).toEqual({ depth: 1, unfinishedSeconds: 2.25, longestRunningSeconds: 1.25 });
  queue.done("a");
  queue.fail("b");
  queue.done("b");
  queue.take();
  expect(seen).toEqual({ added: [1, 1, 1], retried: [1], taken: [0.5, 0.75, 1], worked: [1.25, 1] });
});

const usual = ["add", "add", "addAfter", "fail", "forget", "take", "take", "done", "done", "elapse"] as const;
const step = fc.record({
  what: fc.oneof(
    { weight: 60, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constant("shutDown" as const) },
  ),
  key: fc.constantFrom("a", "b", "c", "d"),
  ms: fc.constantFrom(0, 1, 3, 5, 7, 10, 20, 50, 40_000),
});

/** A model without timers that computes the due keys on each call. */
class Model {
  now = 0;
  readonly ready: string[] = [];
  readonly again = new Set<string>();
  readonly inWork = new Set<string>();
  delayed: { readonly key: string; readonly at: number }[] = [];
  readonly failures = new Map<string, number>();
  isShutDown = false;

  add(key: string): void {
    if (this.isShutDown || this.ready.includes(key)) return;
    if (this.inWork.has(key)) this.again.add(key);
    else this.ready.push(key);
  }

  addAfter(key: string, ms: number): void {
    if (this.isShutDown) return;
    if (ms <= 0) return this.add(key);
    const at = this.now + ms;
    if (this.delayed.some((entry) => entry.key === key && entry.at <= at)) return;
    this.delayed = [...this.delayed.filter((entry) => entry.key !== key), { key, at }];
  }

  fail(key: string, retryInMs: number): void {
    if (this.isShutDown) return;
    const failures = (this.failures.get(key) ?? 0) + 1;
    this.failures.set(key, failures);
    this.addAfter(key, Math.max(retryInMs, Math.min(30_000, 5 * 2 ** (failures - 1))));
  }

  forget(key: string): void {
    this.failures.delete(key);
  }

  take(): string | undefined {
    const key = this.ready.shift();
    if (key !== undefined) this.inWork.add(key);
    return key;
  }

  done(key: string): void {
    if (this.inWork.delete(key) && this.again.delete(key)) this.ready.push(key);
  }

  elapse(ms: number): void {
    this.now += ms;
    const due = this.delayed.filter(({ at }) => at <= this.now).toSorted((a, b) => a.at - b.at);
    this.delayed = this.delayed.filter(({ at }) => at > this.now);
    for (const { key } of due) this.add(key);
  }

  shutDown(): void {
    this.isShutDown = true;
    this.delayed = [];
  }
}

test("behaves like a simple model in any order of calls", () => {
  const law = fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
    const { queue, clock } = begin();
    const model = new Model();
    const inWork = new Set<string>();
    const take = () => {
      const taken = queue.take();
      if (taken !== undefined && inWork.has(taken)) throw new Error(`${taken} is in work twice`);
      if (taken !== undefined) inWork.add(taken);
      expect(taken).toBe(model.take());
      return taken;
    };
    const done = (key: string) => {
      for (const side of [queue, model]) side.done(key);
      inWork.delete(key);
    };
    const elapse = (ms: number) => {
      clock.elapse(ms);
      model.elapse(ms);
    };
    for (const { what, key, ms } of steps) {
      if (what === "take") take();
      else if (what === "done") done(key);
      else if (what === "elapse") elapse(ms);
      else for (const side of [queue, model]) side[what](key, ms);
    }
    for (const key of inWork) done(key);
    for (let left = 3; left > 0; left--) {
      elapse(40_000);
      for (let taken = take(); taken !== undefined; taken = take()) done(taken);
    }
    return queue.state.depth === 0 && clock.scheduled === 0;
  });
  fc.assert(law);
});

test("the back-off doubles from 5 milliseconds to 30 seconds", () => {
  const rests = [1, 2, 3, 4, 12, 13, 14, 40, 2_000].map((failures) => backoffMs(failures, 0.5));
  expect(rests).toEqual([5, 10, 20, 40, 10_240, 20_480, 30_000, 30_000, 30_000]);
});

test("jitter changes the back-off by at most a fifth, up to 30 seconds", () => {
  const law = fc.property(
    fc.integer({ min: 1, max: 100 }),
    fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    (failures, chance) => {
      const [rest, planned] = [backoffMs(failures, chance), backoffMs(failures, 0.5)];
      return rest >= planned * 0.8 - 1e-6 && rest <= planned * 1.2 && rest <= 30_000;
    },
  );
  fc.assert(law);
});
