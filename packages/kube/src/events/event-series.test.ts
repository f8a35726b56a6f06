import { describe, expect, test } from "vitest";
import { EventHarness, eventAbout, importantRefillMs, refillMs, repeatMs } from "../testing/event-harness.ts";

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `n${at}`);

describe("an event", () => {
  test("is created once", () => {
    const harness = new EventHarness();
    eventAbout(harness, "s", ["a"]);
    harness.elapse(10 * repeatMs);
    expect(harness.written.map(({ do: what }) => what)).toEqual(["create"]);
    expect(harness.isAtRest).toBe(true);
  });

  test("updates its series once a minute", () => {
    const harness = new EventHarness();
    eventAbout(harness, "s", ["a", "a", "a"]);
    harness.elapse(repeatMs - 1);
    expect(harness.server.get("s/a")).toBe(1);
    harness.elapse(1);
    expect(harness.server.get("s/a")).toBe(3);
    eventAbout(harness, "s", ["a"]);
    harness.elapse(10 * repeatMs);
    eventAbout(harness, "s", ["a"]);
    expect(harness.server.get("s/a")).toBe(5);
    expect(harness.written.map(({ at }) => at / repeatMs)).toEqual([0, 1, 2, 11]);
  });

  test("of an earlier process continues its count", () => {
    const harness = new EventHarness();
    eventAbout(harness, "s", ["a", "a"]);
    harness.elapse(repeatMs);
    harness.restart();
    eventAbout(harness, "s", ["a"]);
    harness.elapse(10 * repeatMs);
    expect(harness.server.get("s/a")).toBe(2);
    harness.announce("s", "a");
    harness.heal();
    expect(harness.server.get("s/a")).toBe(3);
  });

  test("that the server forgot is created again", () => {
    const harness = new EventHarness();
    eventAbout(harness, "s", ["a"]);
    harness.server.clear();
    harness.elapse(60 * repeatMs);
    harness.announce("s", "a");
    harness.heal();
    expect(harness.server.get("s/a")).toBe(1);
  });

  test("that is rejected is retried only when it is recorded again", () => {
    const harness = new EventHarness();
    harness.announce("s", "a");
    harness.refuse();
    expect([harness.lost, harness.isAtRest]).toEqual([["refused"], true]);
    eventAbout(harness, "s", ["a"]);
    expect(harness.server.get("s/a")).toBe(1);
  });
});

describe("many events", () => {
  test("of a subject are limited to 25, then one per five minutes", () => {
    const harness = new EventHarness();
    eventAbout(harness, "s", numbered(30));
    eventAbout(harness, "other", ["n0"]);
    expect(harness.lost).toEqual(Array.from({ length: 5 }, () => "throttled"));
    expect(harness.server.size).toBe(26);
    harness.elapse(refillMs);
    eventAbout(harness, "s", ["m0", "m1"]);
    expect(harness.server.size).toBe(27);
  });

  test("lose the oldest ones while the server is down", () => {
    const harness = new EventHarness();
    harness.isDown = true;
    for (const at of numbered(260)) harness.announce(at, "note");
    expect(harness.lost).toEqual(Array.from({ length: 9 }, () => "overflow")); // the first is in flight
    harness.heal();
    expect([harness.server.has("n0/note"), harness.server.has("n9/note"), harness.server.has("n259/note")]).toEqual([
      true,
      false,
      true,
    ]);
  });

  test("forget the oldest subjects, so that memory is bounded", () => {
    const harness = new EventHarness();
    for (const at of numbered(1_300)) eventAbout(harness, at, ["note"]);
    expect(harness.size).toBe(1_001);
    expect(harness.lost).toEqual([]);
  });

  test("are sent during a stop, without updates of series", () => {
    const harness = new EventHarness();
    eventAbout(harness, "s", ["a", "a"]);
    harness.announce("s", "b");
    harness.announce("s", "c");
    harness.stop();
    harness.announce("s", "d");
    harness.heal();
    expect([...harness.server]).toEqual([
      ["s/a", 1],
      ["s/b", 1],
      ["s/c", 1],
    ]);
    expect(harness.lost).toEqual(["stopped"]);
  });
});

describe("important events", () => {
  test("are not limited by routine events", () => {
    const harness = new EventHarness();
    eventAbout(harness, "s", numbered(1_000));
    eventAbout(harness, "s", ["!drift", "!approval"]);
    expect([harness.server.has("s/!drift"), harness.server.has("s/!approval")]).toEqual([true, true]);
  });

  test("are not limited like routine events", () => {
    const harness = new EventHarness();
    eventAbout(
      harness,
      "s",
      numbered(150).map((note) => `!${note}`),
    );
    expect([harness.server.size, harness.lost]).toEqual([150, []]);
  });

  test("beyond 200 per reason are combined into one counted event", () => {
    const harness = new EventHarness();
    eventAbout(
      harness,
      "s",
      numbered(260).map((note) => `!drift: ${note}`),
    );
    eventAbout(harness, "s", ["!approval: yes"]);
    harness.elapse(repeatMs);
    expect(harness.lost).toEqual([]);
    expect(harness.server.get("s/!drift combined")).toBe(60);
    expect(harness.server.get("s/!approval: yes")).toBe(1);
    harness.elapse(importantRefillMs);
    eventAbout(harness, "s", ["!drift: later"]);
    expect(harness.server.get("s/!drift: later")).toBe(1);
  });

  test("are kept during an outage and sent before routine ones", () => {
    const harness = new EventHarness();
    harness.isDown = true;
    harness.announce("first", "routine");
    for (const at of numbered(100)) harness.announce(at, "!important");
    for (const at of numbered(400)) harness.announce(at, "routine");
    harness.answer();
    harness.heal();
    expect(harness.written.slice(0, 100).every(({ name }) => name.endsWith("/!important"))).toBe(true);
    expect(harness.lost.every((why) => why === "overflow")).toBe(true);
  });

  test("beyond 4,000 pending ones are combined without loss", () => {
    const harness = new EventHarness();
    harness.isDown = true;
    for (const at of numbered(5_000)) harness.announce(`s${Number(at.slice(1)) % 50}`, `!drift: ${at}`);
    expect([harness.size, harness.lost]).toEqual([4_050, []]);
    harness.heal();
    const combined = [...harness.server].filter(([name]) => name.endsWith("combined"));
    expect(combined.reduce((sum, [, count]) => sum + count, 0)).toBe(1_000);
  });
});

test("retries rarely during an outage", () => {
  const harness = new EventHarness();
  harness.isDown = true;
  for (const at of numbered(100)) harness.announce(at, "note");
  let tries = 0;
  for (let second = 0; second < 120; second++) {
    if (harness.pending !== undefined) tries++;
    harness.answer();
    harness.elapse(1_000);
  }
  expect(tries).toBe(8); // after 0, 1, 3, 7, 15, 31, 61, 91 s
});

test("does not retry behind an open breaker until it is woken", () => {
  const harness = new EventHarness();
  harness.isDown = true;
  harness.isParking = true;
  harness.announce("s", "a");
  harness.answer();
  harness.elapse(refillMs);
  expect([harness.pending, harness.isAtRest]).toEqual([undefined, true]);
  harness.isDown = false;
  harness.wake();
  harness.answer();
  expect(harness.server.size).toBe(1);
});
