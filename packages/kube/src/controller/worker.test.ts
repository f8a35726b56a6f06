import { VirtualClock } from "@virt/testkit";
import { expect, test } from "vitest";
import type { BreakerScope } from "../client/request.ts";
import { WriteFence } from "../leaderelection/write-fence.ts";
import { silentBreakers, silentQueueObserver } from "../testing/silent-observers.ts";
import { WorkQueue } from "../workqueue/work-queue.ts";
import { type Reconcile, type ReconcileReport, type ReconcileResult, Worker } from "./worker.ts";

const pools: BreakerScope = { access: "write", resource: "pools" };
const done: ReconcileResult = { kind: "done" };
const unheard = new AbortController().signal;

function begin() {
  const clock = new VirtualClock();
  const fence = new WriteFence({ clock, deadlineMs: 1_000_000_000 });
  fence.renewed(fence.mark());
  const queue = new WorkQueue({ clock, chance: () => 0.5, observer: silentQueueObserver });
  const breakers = silentBreakers(clock);
  const running = new Map<string, PromiseWithResolvers<ReconcileResult> & { readonly signal: AbortSignal }>();
  const started: string[] = [];
  const reports: ReconcileReport[] = [];
  const held: Reconcile = (key, signal) => {
    started.push(key);
    const call = { ...Promise.withResolvers<ReconcileResult>(), signal };
    running.set(key, call);
    return call.promise;
  };
  const current: { reconcile: Reconcile } = { reconcile: held };
  const observer = { ended: (report: ReconcileReport) => reports.push(report) };
  const reconcile: Reconcile = (key, signal, attempt) => current.reconcile(key, signal, attempt);
  const worker = new Worker({ name: "advisor", queue, gate: fence, breakers, clock, observer, reconcile });
  const add = async (...keys: readonly string[]) => {
    for (const key of keys) queue.add(key);
    await clock.advance(0);
  };
  const end = async (key: string, result: ReconcileResult = done) => {
    running.get(key)?.resolve(result);
    await clock.advance(0);
  };
  return { clock, fence, queue, breakers, worker, running, started, reports, current, add, end };
}

const keys = ["a", "b", "c", "d", "e", "f"];

test("reconciles four keys in parallel, and the others in order", async () => {
  const { started, add, end } = begin();
  await add(...keys);
  expect(started).toEqual(["a", "b", "c", "d"]);
  await end("b");
  expect(started).toEqual(["a", "b", "c", "d", "e"]);
});

test("reconciles a key again if it changed during its reconcile", async () => {
  const { started, add, end } = begin();
  await add("a");
  await add("a");
  expect(started).toEqual(["a"]);
  await end("a");
  expect(started).toEqual(["a", "a"]);
});

test("does not start a reconcile within the call that adds its key", () => {
  const { queue, started } = begin();
  queue.add("a");
  expect(started).toEqual([]);
});

test("a requeue runs on time and resets the failures", async () => {
  const { clock, started, reports, add, end } = begin();
  await add("a");
  await end("a", { kind: "retry" });
  await clock.advance(5);
  await end("a", { kind: "requeueAt", atMs: clock.wall() + 60_000 });
  await clock.advance(59_999);
  expect(started).toHaveLength(2);
  await clock.advance(1);
  await end("a", { kind: "retry" });
  expect(clock.nextInMs, "the failures were forgotten").toBe(5);
  expect(reports.map(({ outcome }) => outcome)).toEqual(["retry", "requeueAt", "retry"]);
});

test("Retry-After takes precedence over a shorter back-off", async () => {
  const { clock, started, add, end } = begin();
  await add("a");
  await end("a", { kind: "retry", retryInMs: 7_000 });
  await clock.advance(6_999);
  expect(started).toEqual(["a"]);
  await clock.advance(1);
  expect(started).toEqual(["a", "a"]);
});

test("reports an exception and retries only that key", async () => {
  const { clock, started, reports, current, running, add, end } = begin();
  const { reconcile } = current;
  current.reconcile = (key, signal, attempt) => {
    if (key === "a") throw new TypeError("a bug");
    return reconcile(key, signal, attempt);
  };
  await add("a", "b");
  expect(reports).toEqual([{ key: "a", outcome: "threw", durationMs: 0, cause: new TypeError("a bug") }]);
  await end("b");
  current.reconcile = reconcile;
  await clock.advance(5);
  expect(started).toEqual(["b", "a"]);
  running.get("a")?.reject(new Error("another"));
  await clock.advance(0);
  expect(clock.nextInMs).toBe(10);
});

test("aborts a reconcile after 60 seconds and reports it as late", async () => {
  const { clock, running, reports, add, worker } = begin();
  await add("a");
  await clock.advance(59_999);
  expect(running.get("a")?.signal.aborted).toBe(false);
  expect(worker.oldestReconcileMs).toBe(59_999);
  await clock.advance(1);
  const { signal, reject } = running.get("a") ?? { signal: unheard, reject: () => undefined };
  expect(signal.reason).toMatchObject({ name: "TimeoutError" });
  reject(signal.reason);
  await clock.advance(0);
  expect(reports).toMatchObject([{ outcome: "late", durationMs: 60_000 }]);
  expect(worker.oldestReconcileMs).toBe(0);
});

test("aborts reconciles when the gate closes, and repeats them when it opens", async () => {
  const { clock, fence, started, running, reports, add, end } = begin();
  await add("a");
  fence.close();
  expect(running.get("a")?.signal.aborted).toBe(true);
  await add("b");
  await end("a", { kind: "retry" });
  expect(reports).toMatchObject([{ key: "a", outcome: "interrupted" }]);
  expect(started).toEqual(["a"]);
  fence.renewed(fence.mark());
  await clock.advance(0);
  expect(started).toEqual(["a", "b", "a"]);
});

test("starts no reconcile after waking without the lease", async () => {
  const { clock, queue, started } = begin();
  clock.freeze(2_000_000_000);
  queue.add("a");
  await clock.advance(0);
  expect(started).toEqual([]);
});

function asking(isDown: () => boolean, sent: string[]): Reconcile {
  return async (key, _signal, attempt) => {
    if (attempt.admit(pools) === "wait") return { kind: "retry" };
    sent.push(key);
    if (isDown()) attempt.unavailable(pools, { message: "down" });
    else attempt.answered(pools);
    return isDown() ? { kind: "retry" } : done;
  };
}

test("parks keys during an outage, and runs them all afterwards", async () => {
  const { clock, current, reports, add } = begin();
  let isDown = true;
  const sent: string[] = [];
  current.reconcile = asking(() => isDown, sent);
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
  expect(reports.filter(({ outcome }) => outcome === "done")).toHaveLength(6);
});

test("a controller that does not lead passes on its trial", async () => {
  const { clock, current, fence, breakers, add } = begin();
  current.reconcile = asking(() => true, []);
  await add("a", "b", "c");
  const other = breakers.begin("platform/a");
  other.admit(pools);
  const woken: string[] = [];
  other.park(() => woken.push("platform/a"));
  fence.close();
  await clock.advance(1_000);
  expect(woken).toEqual(["platform/a"]);
});

test("a stop waits for running reconciles and starts no others", async () => {
  const { clock, worker, started, running, add, end } = begin();
  await add(...keys);
  const stopped = worker.stop(unheard);
  await clock.advance(9_999);
  for (const key of ["a", "b", "c", "d"]) await end(key); // oxlint-disable-line no-await-in-loop -- in order
  await stopped;
  expect(started).toEqual(["a", "b", "c", "d"]);
  expect([...running.values()].map(({ signal }) => signal.aborted)).toEqual([false, false, false, false]);
});

test("a stop aborts reconciles after 10 seconds and ignores stuck ones", async () => {
  const { clock, worker, running, add } = begin();
  await add("a");
  const stopped = worker.stop(unheard);
  await clock.advance(9_999);
  expect(running.get("a")?.signal.aborted).toBe(false);
  await clock.advance(1);
  expect(running.get("a")?.signal.aborted).toBe(true);
  await clock.advance(1_000);
  await stopped;
});

test("a gate that closes during a stop aborts the reconciles", async () => {
  const { worker, fence, running, add } = begin();
  await add("a");
  void worker.stop(unheard);
  fence.close();
  expect(running.get("a")?.signal.aborted).toBe(true);
});

test("a hurried stop aborts the reconciles at once", async () => {
  const { clock, worker, running, add } = begin();
  await add("a");
  const hurry = new AbortController();
  void worker.stop(hurry.signal);
  await clock.advance(10);
  hurry.abort();
  await clock.advance(0);
  expect(running.get("a")?.signal.aborted).toBe(true);
});

test("an idle stop leaves no timers of its own", async () => {
  const { clock, worker, fence, breakers, current, add } = begin();
  current.reconcile = asking(() => true, []);
  await add("a", "b", "c");
  await worker.stop(unheard);
  fence[Symbol.dispose]();
  expect(clock.scheduled).toBe(0);
  expect(breakers.open).toMatchObject([{ waiting: 0 }]);
});
