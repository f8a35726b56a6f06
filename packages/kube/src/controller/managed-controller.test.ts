import { VirtualClock } from "@virt/testkit";
import { expect, test } from "vitest";
import { Store } from "../cache/store.ts";
import type { ApiWriter } from "../client/api-client.ts";
import { createObject } from "../client/request.ts";
import { OwnWrites, type ReconcileTrace, ReconcileTracer } from "./managed-controller.ts";

const never = new AbortController().signal;

function watched() {
  const store = new Store<string>({ isEqual: (a, b) => a === b, bytesOf: () => 1, onHandlerError: () => undefined });
  const calls: string[] = [];
  return { store, calls, doubt: () => calls.push("doubt"), relist: () => calls.push("relist") };
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol("open");
  await new Promise((resolve) => setImmediate(resolve));
  return (await Promise.race([promise, Promise.resolve(open)])) !== open;
}

test("a reconcile waits for its write as an event, bookmark or list", async () => {
  const item = { type: "put", key: "a", item: "" } as const;
  const arrivals = [
    (store: Store<string>) => store.change({ ...item, version: "7" }),
    (store: Store<string>) => store.advance("8"),
    (store: Store<string>) => store.swap("10"),
  ];
  for (const arrive of arrivals) {
    const writes = new OwnWrites(new VirtualClock());
    const place = watched();
    place.store.advance("6");
    writes.note("a", { object: "one", informer: place, version: "7" });
    const waiting = writes.caughtUp("a", never);
    expect(await isSettled(waiting)).toBe(false);
    arrive(place.store);
    expect(await isSettled(waiting)).toBe(true);
    expect(await isSettled(writes.caughtUp("a", never))).toBe(true);
  }
});

test("does not wait for a write that changed nothing", async () => {
  const writes = new OwnWrites(new VirtualClock());
  const place = watched();
  place.store.advance("9");
  writes.note("a", { object: "one", informer: place, version: "9" });
  expect(await isSettled(writes.caughtUp("a", never))).toBe(true);
});

test("a missing write causes a probe, then a new list", async () => {
  const clock = new VirtualClock();
  const writes = new OwnWrites(clock);
  const place = watched();
  writes.note("a", { object: "one", informer: place, version: "7" });
  const waiting = writes.caughtUp("a", never);
  await clock.advance(4_999);
  expect(place.calls).toEqual([]);
  await clock.advance(1);
  expect(place.calls).toEqual(["doubt"]);
  await clock.advance(5_000);
  expect(place.calls).toEqual(["doubt", "relist"]);
  place.store.swap("7");
  expect(await isSettled(waiting)).toBe(true);
  expect(clock.scheduled).toBe(0);
});

test("an aborted reconcile leaves the wait to the next one", async () => {
  const writes = new OwnWrites(new VirtualClock());
  const place = watched();
  const aborted = new AbortController();
  writes.note("a", { object: "one", informer: place, version: "7" });
  const waiting = writes.caughtUp("a", aborted.signal);
  aborted.abort();
  expect(await isSettled(waiting)).toBe(true);
  expect(await isSettled(writes.caughtUp("a", never))).toBe(false);
});

test("waits for the second of two writes to an object", async () => {
  const writes = new OwnWrites(new VirtualClock());
  const place = watched();
  writes.note("a", { object: "one", informer: place, version: "7" });
  writes.note("a", { object: "one", informer: place, version: "9" });
  const waiting = writes.caughtUp("a", never);
  place.store.advance("7");
  expect(await isSettled(waiting)).toBe(false);
  place.store.advance("9");
  expect(await isSettled(waiting)).toBe(true);
});

test("waits for all writes to a key, not for those to others", async () => {
  const writes = new OwnWrites(new VirtualClock());
  const [first, second] = [watched(), watched()];
  writes.note("a", { object: "one", informer: first, version: "7" });
  writes.note("a", { object: "two", informer: second, version: "8" });
  const waiting = writes.caughtUp("a", never);
  first.store.advance("7");
  expect(await isSettled(waiting)).toBe(false);
  expect(await isSettled(writes.caughtUp("b", never))).toBe(true);
  second.store.advance("8");
  expect(await isSettled(waiting)).toBe(true);
});

test("stops waiting for a write to a removed kind", async () => {
  const clock = new VirtualClock();
  const writes = new OwnWrites(clock);
  writes.note("a", { object: "one", informer: watched(), version: "7" });
  const waiting = writes.caughtUp("a", never);
  await clock.advance(30_000);
  expect(await isSettled(waiting)).toBe(true);
});

const secrets = { group: "", version: "v1", plural: "secrets", isNamespaced: true } as const;
const created = createObject(secrets, { namespace: "n" }, { data: { password: "c4nary" } });
const request = { ...created, path: `${created.path}?dryRun=All` };
const client = {
  write: () => Promise.resolve({ kind: "answered", status: 201, body: { data: "c4nary" } }),
} as unknown as ApiWriter;

test("traces key, triggers, decisions, requests and duration, but no content", async () => {
  const traces: ReconcileTrace[] = [];
  const tracer = new ReconcileTracer((trace) => traces.push(trace));
  for (const _ of [1, 2]) tracer.triggered("one", "Node worker-0 changed");
  const reconcile = tracer.begin("one", client);
  await reconcile.client.write(request, { signal: new AbortController().signal });
  reconcile.explain("in sync");
  tracer.ended({ key: "one", outcome: "done", durationMs: 12 });
  expect(traces).toEqual([
    {
      key: "one",
      triggers: ["Node worker-0 changed"],
      decisions: ["in sync"],
      requests: ["create /api/v1/namespaces/n/secrets (201, dry run)"],
      outcome: "done",
      durationMs: 12,
    },
  ]);
  expect(JSON.stringify(traces)).not.toContain("c4nary");
});

test("a change during a reconcile triggers the next one", () => {
  const traces: ReconcileTrace[] = [];
  const tracer = new ReconcileTracer((trace) => traces.push(trace));
  const reconcileOnce = () => tracer.ended({ key: "one", outcome: "done", durationMs: 0 });
  tracer.begin("one", client);
  tracer.triggered("one", "Node worker-1 changed");
  reconcileOnce();
  for (const _ of [1, 2]) {
    tracer.begin("one", client);
    reconcileOnce();
  }
  expect(traces.map(({ triggers }) => triggers)).toEqual([["requeue"], ["Node worker-1 changed"], ["requeue"]]);
});

test("bounds the triggers of a trace", () => {
  const traces: ReconcileTrace[] = [];
  const tracer = new ReconcileTracer((trace) => traces.push(trace));
  for (let at = 0; at < 1000; at++) tracer.triggered("one", `Node worker-${at} changed`);
  tracer.begin("one", client);
  tracer.ended({ key: "one", outcome: "done", durationMs: 0 });
  expect(traces[0]?.triggers).toHaveLength(10);
});
