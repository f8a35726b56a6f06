import { writeTime } from "@virt/objects";
import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { threeWorkers } from "./standard-scenarios.ts";
import { simulateInMemory } from "./testing/in-memory-simulation.ts";
import { psi } from "./testing/planted-faults.ts";

function historyOf(seed: number, created?: () => string): readonly string[] {
  const simulation = simulateInMemory(threeWorkers, seed, created);
  simulation.runUntilIdle();
  simulation.addObject(psi);
  simulation.runUntilIdle();
  return simulation.history;
}

test("the same seed gives the same history, another seed a different one", () => {
  expect(historyOf(7)).toEqual(historyOf(7));
  expect(historyOf(7)).not.toEqual(historyOf(8));
});

// Each run simulates two rollouts. This test would fail if migrations were ordered by the server's clock.
test("the latency of the server does not change the history", { timeout: 180_000 }, () => {
  const law = fc.property(fc.nat(1000), fc.infiniteStream(fc.nat(2)), (seed, seconds) => {
    let wall = Date.parse("2030-01-01T00:00:00Z");
    const created = () => {
      wall += (seconds.next().value ?? 0) * 1000;
      return writeTime(wall);
    };
    expect(historyOf(seed, created)).toEqual(historyOf(seed));
  });
  fc.assert(law, runsForCost(4000));
});
