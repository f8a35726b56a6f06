import { VirtualClock } from "@virt/testkit";
import fc from "fast-check";
import { test } from "vitest";
import { ElectionHarness, type Journey, type Life, type MachineFault } from "../testing/election-harness.ts";

const way = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 50 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 500 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 25_000 }) },
  { weight: 2, arbitrary: fc.constant(Number.POSITIVE_INFINITY) },
);
const journey: fc.Arbitrary<Journey> = fc.record({ there: way, back: way });
const fault: fc.Arbitrary<MachineFault> = fc.record({
  // Faults on a machine must be more than a second apart, because the fence reads the clocks once a second.
  afterMs: fc.integer({ min: 1_500, max: 12_000 }),
  what: fc.constantFrom("freeze", "freeze", "suspend", "suspend", "set back", "set forward", "leave", "crash"),
  ms: fc.integer({ min: 0, max: 40_000 }),
});
// Clock speeds differ by up to a third. A lease of 15 s with a deadline of 10 s tolerates up to a half.
const life: fc.Arbitrary<Life> = fc.record({
  speed: fc.double({ min: 0.87, max: 1.15, noNaN: true }),
  faults: fc.array(fault, { maxLength: 4 }),
});
const shortLife = life.map(({ speed, faults }) => ({
  speed,
  faults: faults.slice(0, 2).map((fault) => ({ ...fault, afterMs: fault.afterMs / 2, ms: fault.ms % 6_000 })),
}));
const lives = fc.array(life, { minLength: 2, maxLength: 3 });
const journeys = fc.array(journey, { minLength: 1, maxLength: 30 });

test("only the holder of the lease may write", () => {
  const delays = fc.array(fc.integer({ min: 1, max: 4_000 }), { minLength: 10, maxLength: 40 });
  const law = fc.property(lives, journeys, delays, (lives, journeys, delays) => {
    const clock = new VirtualClock();
    const harness = new ElectionHarness(clock, lives, journeys);
    const isKept = delays.every((ms) => {
      clock.elapse(ms);
      return harness.writers.every((writer) => writer === harness.registry.holder);
    });
    return isKept && harness.sleepwalkers.length === 0;
  });
  fc.assert(law);
});

test("one of the remaining candidates leads when faults end", () => {
  const law = fc.property(fc.array(shortLife, { minLength: 2, maxLength: 3 }), journeys, (lives, journeys) => {
    const clock = new VirtualClock();
    const harness = new ElectionHarness(clock, lives, journeys);
    clock.elapse(25_000);
    harness.calm();
    clock.elapse(50_000); // the last late request, the full lease duration, and a few retries
    const isAnybodyLeft = harness.candidates.some(({ machine }) => machine.state !== "dead");
    const leaders = [1, 2].map(() => {
      clock.elapse(5_000);
      return harness.writers.join();
    });
    return (leaders[0] !== "") === isAnybodyLeft && leaders[0] === leaders[1];
  });
  fc.assert(law);
});
