// Histories of faults, played against the decisions of a reflector and its store.

import fc from "fast-check";
import { expect, test } from "vitest";
import { ReflectorHarness } from "../testing/reflector-harness.ts";

/** Each number is one thing that happens: to the server's objects, to the network, or to nobody. */
const history = fc.array(fc.nat(999), { maxLength: 60, size: "max" });

test("after any sequence of faults the store equals the server", () => {
  const law = fc.property(history, fc.boolean(), (steps, canStream) => {
    const harness = new ReflectorHarness(canStream);
    for (const step of steps) harness.runStep(step);
    harness.heal();
    expect(harness.storeContents()).toEqual(harness.serverContents());
  });
  fc.assert(law);
});

test("handlers never see an older version of a key after a newer one", () => {
  const law = fc.property(history, (steps) => {
    const harness = new ReflectorHarness(true);
    for (const step of steps) harness.runStep(step);
    harness.heal();
    expect(harness.regressions).toEqual([]);
  });
  fc.assert(law);
});

test("there is at most one connection, one wait or one page under way, and never none", () => {
  const law = fc.property(history, fc.boolean(), (steps, canStream) => {
    const harness = new ReflectorHarness(canStream);
    return steps.every((step) => {
      harness.runStep(step);
      return harness.efforts() === 1;
    });
  });
  fc.assert(law);
});
