import { reply, type ScriptedReply, VirtualClock } from "@virt/testkit";
import { expect, test } from "vitest";
import { noLease, type WriteGate } from "../leaderelection/write-fence.ts";
import { ManualWriteGate } from "../testing/manual-write-gate.ts";
import { startScripted } from "../testing/scripted-client.ts";
import { silentBreakers } from "../testing/silent-observers.ts";
import type { EventInput } from "./event-correlator.ts";
import { EventRecorder } from "./event-recorder.ts";

const event: EventInput = {
  priority: "routine",
  regarding: { apiVersion: "v1", kind: "Node", name: "one", uid: "u1" },
  type: "Normal",
  reason: "Tested",
  action: "Tested Node//one",
  note: "all is well",
};
const patience = { timeout: 120_000 };
const never = new AbortController().signal;
const created = reply.json(201, { kind: "Event" });
const patched = reply.json(200, { kind: "Event" });
const exists = reply.json(409, { kind: "Status", reason: "AlreadyExists" });

async function begin(script: readonly ScriptedReply[], gate: WriteGate = noLease) {
  const { server, client } = await startScripted(script);
  const clock = new VirtualClock();
  const reported: string[] = [];
  const observer = {
    written: () => reported.push("written"),
    lost: (why: string, { note }: EventInput, message: string) => reported.push(`lost ${note}: ${why}, ${message}`),
  };
  const reporter = { controller: "virt-test", instance: "pod-1", namePrefix: "virt-test." };
  const breakers = silentBreakers(clock);
  const recorder = new EventRecorder({
    client: client.under(gate),
    breakers,
    caller: "events",
    clock,
    reporter,
    observer,
    repeatMs: 60_000,
  });
  return { server, clock, reported, recorder, breakers };
}

test("sends an event in the background, and repetitions as a series", async () => {
  const { server, clock, reported, recorder } = await begin([created, patched]);
  for (let times = 0; times < 3; times++) recorder.recordEvent(event);
  await expect.poll(() => reported, patience).toEqual(["written"]);
  await clock.advance(60_000);
  await expect.poll(() => reported, patience).toEqual(["written", "written"]);
  const [first, second] = server.seen;
  expect(JSON.parse(first?.body ?? "")).toMatchObject({
    eventTime: "2030-01-01T00:00:00.000000Z",
    note: "all is well",
  });
  expect(JSON.parse(second?.body ?? "")).toEqual({
    series: { count: 3, lastObservedTime: "2030-01-01T00:00:00.000000Z" },
  });
  expect(second?.path).toMatch(/^\/apis\/events.k8s.io\/v1\/namespaces\/default\/events\/virt-test\.[0-9a-f]{16}$/);
  await recorder.stop(never);
  expect(clock.scheduled).toBe(0);
});

test("after a restart, continues the series of the server", async () => {
  const known = reply.json(200, { kind: "Event", series: { count: 7 } });
  const { server, clock, reported, recorder } = await begin([exists, created, known, patched]);
  recorder.recordEvent(event);
  recorder.recordEvent({ ...event, note: "sent after the first was answered" });
  await expect.poll(() => reported, patience).toEqual(["written"]);
  await clock.advance(60_000);
  expect(server.seen).toHaveLength(2);
  recorder.recordEvent(event);
  await expect.poll(() => reported, patience).toEqual(["written", "written"]);
  expect(server.seen.map(({ method, body }) => [method, body.slice(0, 20)]).slice(2)).toEqual([
    ["PATCH", "{}"],
    ["PATCH", '{"series":{"count":8'],
  ]);
});

test("sends an event after the server's Retry-After", async () => {
  const busy = reply.json(429, { kind: "Status" }, { "retry-after": "7" });
  const { server, clock, reported, recorder } = await begin([busy, created]);
  recorder.recordEvent(event);
  await expect.poll(() => clock.nextInMs, patience).toBe(7_000);
  await clock.advance(6_999);
  expect(server.seen).toHaveLength(1);
  await clock.advance(1);
  await expect.poll(() => reported, patience).toEqual(["written"]);
});

test("waits for the breaker in an outage and uses its trials", async () => {
  const down = reply.json(503, { kind: "Status" });
  const { server, clock, reported, recorder, breakers } = await begin([down, down, down, down, created, patched]);
  recorder.recordEvent(event);
  recorder.recordEvent(event);
  for (const pause of [1_000, 2_000]) {
    await expect.poll(() => clock.nextInMs, patience).toBe(pause);
    await clock.advance(pause);
  }
  await expect.poll(() => breakers.open.map(({ waiting }) => waiting), patience).toEqual([1]);
  await clock.advance(1_000);
  await expect.poll(() => server.seen.length, patience).toBe(4);
  await expect.poll(() => breakers.open.map(({ waiting }) => waiting), patience).toEqual([1]);
  await clock.advance(1_000);
  await expect.poll(() => reported, patience).toEqual(["written"]);
  expect(breakers.open).toEqual([]);
  await recorder.stop(never);
  expect(clock.scheduled).toBe(0);
});

test("sends events after the fence opens", async () => {
  const gate = new ManualWriteGate(false);
  const { server, clock, reported, recorder } = await begin([created], gate);
  recorder.recordEvent(event);
  await expect.poll(() => clock.nextInMs, patience).toBe(1_000);
  expect(server.seen).toEqual([]);
  gate.turn(true);
  await clock.advance(1_000);
  await expect.poll(() => reported, patience).toEqual(["written"]);
});

test("reports a rejected event and continues", async () => {
  const { reported, recorder } = await begin([reply.json(403, { kind: "Status", message: "you may not" }), created]);
  recorder.recordEvent(event);
  recorder.recordEvent({ ...event, note: "next" });
  await expect.poll(() => reported, patience).toEqual(["lost all is well: refused, you may not", "written"]);
});

test("a stop waits for pending events", async () => {
  const { reported, recorder, clock } = await begin([created, created]);
  recorder.recordEvent(event);
  recorder.recordEvent({ ...event, note: "second" });
  await recorder.stop(never);
  expect(reported).toEqual(["written", "written"]);
  expect(clock.scheduled).toBe(0);
});

test.each(["after two seconds", "at once when asked to"])(
  "a stop gives up %s and reports lost events",
  async (when) => {
    const { reported, recorder, clock, server } = await begin([reply.stall]);
    recorder.recordEvent(event);
    recorder.recordEvent({ ...event, note: "second" });
    await expect.poll(() => server.seen.length, patience).toBe(1);
    const hurry = new AbortController();
    const stopped = recorder.stop(hurry.signal);
    if (when === "after two seconds") await clock.advance(2_000);
    else hurry.abort();
    await stopped;
    recorder.recordEvent({ ...event, note: "too late" });
    const lost = (note: string) => `lost ${note}: stopped, shutdown ended before it was sent`;
    expect(reported).toEqual([lost("all is well"), lost("second"), "lost too late: stopped, process is shutting down"]);
    expect(clock.scheduled).toBe(0);
  },
);
