import { describe, expect, test } from "vitest";
import { EventWorld, refillMs, repeatMs, say } from "./event-world.ts";

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `n${at}`);

describe("an event", () => {
  test("that was announced once is created once", () => {
    const world = new EventWorld();
    say(world, "s", ["a"]);
    world.elapse(10 * repeatMs);
    expect(world.told.map(({ do: what }) => what)).toEqual(["create"]);
    expect(world.isAtRest).toBe(true);
  });

  test("that repeats has its series raised, a minute later, once for all repetitions of that minute", () => {
    const world = new EventWorld();
    say(world, "s", ["a", "a", "a"]);
    world.elapse(repeatMs - 1);
    expect(world.server.get("s/a")).toBe(1);
    world.elapse(1);
    expect(world.server.get("s/a")).toBe(3);
    say(world, "s", ["a"]);
    world.elapse(10 * repeatMs);
    say(world, "s", ["a"]);
    expect(world.server.get("s/a")).toBe(5);
    expect(world.told.map(({ at }) => at / repeatMs)).toEqual([0, 1, 2, 11]);
  });

  test("that an earlier process wrote is not repeated; a real repetition goes on counting where that one stopped", () => {
    const world = new EventWorld();
    say(world, "s", ["a", "a"]);
    world.elapse(repeatMs);
    world.restart();
    say(world, "s", ["a"]);
    world.elapse(10 * repeatMs);
    expect(world.server.get("s/a")).toBe(2);
    world.announce("s", "a");
    world.heal();
    expect(world.server.get("s/a")).toBe(3);
  });

  test("that the server forgot meanwhile is created anew", () => {
    const world = new EventWorld();
    say(world, "s", ["a"]);
    world.server.clear();
    world.elapse(60 * repeatMs);
    world.announce("s", "a");
    world.heal();
    expect(world.server.get("s/a")).toBe(1);
  });

  test("that is refused is lost, and tried again only when it is announced again", () => {
    const world = new EventWorld();
    world.announce("s", "a");
    world.refuse();
    expect([world.lost, world.isAtRest]).toEqual([["refused"], true]);
    say(world, "s", ["a"]);
    expect(world.server.get("s/a")).toBe(1);
  });
});

describe("of many events", () => {
  test("25 about a subject are written, then one every five minutes; the others are lost", () => {
    const world = new EventWorld();
    say(world, "s", numbered(30));
    say(world, "other", ["n0"]);
    expect(world.lost).toEqual(Array.from({ length: 5 }, () => "throttled"));
    expect(world.server.size).toBe(26);
    world.elapse(refillMs);
    say(world, "s", ["m0", "m1"]);
    expect(world.server.size).toBe(27);
  });

  test("the oldest are lost if they cannot be sent, and the newest are sent when they can", () => {
    const world = new EventWorld();
    world.isDown = true;
    for (const at of numbered(260)) world.announce(at, "note");
    expect(world.lost).toEqual(Array.from({ length: 9 }, () => "overflow")); // the first is on its way
    world.heal();
    expect([world.server.has("n0/note"), world.server.has("n9/note"), world.server.has("n259/note")]).toEqual([
      true,
      false,
      true,
    ]);
  });

  test("the longest silent are forgotten, so that memory has a bound", () => {
    const world = new EventWorld();
    for (const at of numbered(1_300)) say(world, at, ["note"]);
    expect(world.size).toBe(1_001);
    expect(world.lost).toEqual([]);
  });

  test("those not sent yet are sent while the process stops; no series is raised and nothing new is taken", () => {
    const world = new EventWorld();
    say(world, "s", ["a", "a"]);
    world.announce("s", "b");
    world.announce("s", "c");
    world.stop();
    world.announce("s", "d");
    world.heal();
    expect([...world.server]).toEqual([
      ["s/a", 1],
      ["s/b", 1],
      ["s/c", 1],
    ]);
    expect(world.lost).toEqual(["stopped"]);
  });
});

test("while the server is down there are few tries, however many events wait", () => {
  const world = new EventWorld();
  world.isDown = true;
  for (const at of numbered(100)) world.announce(at, "note");
  let tries = 0;
  for (let second = 0; second < 120; second++) {
    if (world.pending !== undefined) tries++;
    world.answer();
    world.elapse(1_000);
  }
  expect(tries).toBe(8); // after 0, 1, 3, 7, 15, 31, 61, 91 s
});

test("while a breaker is open nothing is tried at all, until somebody is woken", () => {
  const world = new EventWorld();
  world.isDown = true;
  world.isParking = true;
  world.announce("s", "a");
  world.answer();
  world.elapse(refillMs);
  expect([world.pending, world.isAtRest]).toEqual([undefined, true]);
  world.isDown = false;
  world.wake();
  world.answer();
  expect(world.server.size).toBe(1);
});
