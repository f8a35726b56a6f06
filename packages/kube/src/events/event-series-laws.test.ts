import fc from "fast-check";
import { test } from "vitest";
import { EventWorld, refillMs, repeatMs, say } from "./event-world.ts";

type Happening = (world: EventWorld) => void;

const subject = fc.constantFrom("s", "t");
const usual: readonly fc.Arbitrary<Happening>[] = [
  fc.tuple(subject, fc.constantFrom("a", "b")).map(
    ([who, note]) =>
      (world) =>
        world.announce(who, note),
  ),
  fc.tuple(subject, fc.nat(9), fc.nat(30)).map(([who, from, count]) => (world) => {
    for (let at = from; at < from + count; at++) say(world, who, [`n${at}`]);
  }),
  fc.constant<Happening>((world) => world.answer()),
  fc.constant<Happening>((world) => world.answer(true)),
  fc.constantFrom(1, 999, 30_000, repeatMs, refillMs, 10 * refillMs).map((ms) => (world) => world.elapse(ms)),
  fc.tuple(fc.boolean(), fc.boolean()).map(([isDown, isParking]) => (world) => {
    world.isDown = isDown;
    world.isParking = isParking;
  }),
  fc.constant<Happening>((world) => world.wake()),
];
const rough: readonly fc.Arbitrary<Happening>[] = [
  fc.constant<Happening>((world) => world.refuse()),
  fc.tuple(subject, fc.constantFrom("a", "b")).map(([who, note]) => (world) => {
    world.server.delete(`${who}/${note}`);
  }),
];
const restart = fc.constant<Happening>((world) => world.restart());
const historyOf = (happenings: readonly fc.Arbitrary<Happening>[]) =>
  fc.array(fc.oneof(...happenings), { size: "max", maxLength: 24 });

function live(happenings: readonly Happening[]): EventWorld {
  const world = new EventWorld();
  for (const happen of happenings) happen(world);
  world.heal();
  return world;
}

test("in whatever order things happen, each announcement is counted on the server or told to be lost", () => {
  const law = fc.property(historyOf(usual), (happenings) => {
    const { server, accepted, isAtRest } = live(happenings);
    const isTrue = [...accepted].every(([name, count]) => server.get(name) === count);
    return isAtRest && isTrue && server.size === accepted.size;
  });
  fc.assert(law, { numRuns: 20_000 });
});

test("no subject is written about more often than its bucket allows, whatever is refused, forgotten or answered late", () => {
  const law = fc.property(historyOf([...usual, ...rough]), (happenings) => {
    const { told } = live(happenings);
    return ["s", "t"].every((who) => {
      const times = told.filter(({ subject }) => subject === who).map(({ at }) => at);
      return times.every((at, before) => before < 25 + Math.floor(at / refillMs));
    });
  });
  fc.assert(law, { numRuns: 20_000 });
});

test("no series is raised twice within its time, whatever is refused, forgotten or restarted", () => {
  const law = fc.property(historyOf([...usual, ...rough, restart]), (happenings) => {
    const { told, isAtRest } = live(happenings);
    const last = new Map<string, number>();
    return (
      isAtRest &&
      told.every(({ name, at, do: what }) => {
        const isEarly = what === "raise" && at - (last.get(name) ?? Number.NEGATIVE_INFINITY) < repeatMs;
        last.set(name, at);
        return !isEarly;
      })
    );
  });
  fc.assert(law, { numRuns: 20_000 });
});
