import { VirtualClock } from "@virt/testkit";
import fc from "fast-check";
import { test } from "vitest";
import { type Journey, type Life, type Mishap, World } from "./election-world.ts";

const way = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 50 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 500 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 25_000 }) },
  { weight: 2, arbitrary: fc.constant(Number.POSITIVE_INFINITY) },
);
const journey: fc.Arbitrary<Journey> = fc.record({ there: way, back: way });
const mishap: fc.Arbitrary<Mishap> = fc.record({
  // The fence looks at the clocks once a second: two mishaps to one machine lie further apart.
  afterMs: fc.integer({ min: 1_500, max: 12_000 }),
  what: fc.constantFrom("freeze", "freeze", "suspend", "suspend", "set back", "set forward", "leave", "crash"),
  ms: fc.integer({ min: 0, max: 40_000 }),
});
// 15 s against 10 s bears clocks that differ by half; these differ by a third.
const life: fc.Arbitrary<Life> = fc.record({
  speed: fc.double({ min: 0.87, max: 1.15, noNaN: true }),
  mishaps: fc.array(mishap, { maxLength: 4 }),
});
const shortLife = life.map(({ speed, mishaps }) => ({
  speed,
  mishaps: mishaps.slice(0, 2).map((mishap) => ({ ...mishap, afterMs: mishap.afterMs / 2, ms: mishap.ms % 6_000 })),
}));
const lives = fc.array(life, { minLength: 2, maxLength: 3 });
const journeys = fc.array(journey, { minLength: 1, maxLength: 30 });

test("nobody may write but the holder of the lease, whatever happens to processes, clocks and requests", () => {
  const looks = fc.array(fc.integer({ min: 1, max: 4_000 }), { minLength: 10, maxLength: 40 });
  const law = fc.property(lives, journeys, looks, (lives, journeys, looks) => {
    const clock = new VirtualClock();
    const world = new World(clock, lives, journeys);
    const isKept = looks.every((ms) => {
      clock.elapse(ms);
      return world.writers.every((writer) => writer === world.registry.holder);
    });
    return isKept && world.sleepwalkers.length === 0;
  });
  fc.assert(law, { numRuns: 20_000 });
});

test("when all is calm again one of those that are left leads, and goes on leading", () => {
  const law = fc.property(fc.array(shortLife, { minLength: 2, maxLength: 3 }), journeys, (lives, journeys) => {
    const clock = new VirtualClock();
    const world = new World(clock, lives, journeys);
    clock.elapse(25_000);
    world.calm();
    clock.elapse(50_000); // the last late request, the whole duration, and a few tries
    const isAnybodyLeft = world.candidates.some(({ machine }) => machine.state !== "dead");
    const leaders = [1, 2].map(() => {
      clock.elapse(5_000);
      return world.writers.join();
    });
    return (leaders[0] !== "") === isAnybodyLeft && leaders[0] === leaders[1];
  });
  fc.assert(law, { numRuns: 20_000 });
});
