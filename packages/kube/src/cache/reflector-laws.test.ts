// Property-based test: after any sequence of faults, a reflector's store equals the server.

import fc from "fast-check";
import { expect, test } from "vitest";
import { ReflectorHarness } from "../testing/reflector-harness.ts";

/** Each number selects a step of the harness. */
const history = fc.array(fc.nat(999), { maxLength: 60, size: "max" });

test("after any sequence of faults, the store equals the server", () => {
  const law = fc.property(history, fc.boolean(), (steps, canStream) => {
    const harness = new ReflectorHarness(canStream);
    for (const step of steps) harness.runStep(step);
    harness.heal();
    expect(harness.storeContents()).toEqual(harness.serverContents());
  });
  fc.assert(law);
});

test("handlers never see an older version after a newer one", () => {
  const law = fc.property(history, (steps) => {
    const harness = new ReflectorHarness(true);
    for (const step of steps) harness.runStep(step);
    harness.heal();
    expect(harness.regressions).toEqual([]);
  });
  fc.assert(law);
});

test("exactly one connection, wait or page is in progress", () => {
  const law = fc.property(history, fc.boolean(), (steps, canStream) => {
    const harness = new ReflectorHarness(canStream);
    return steps.every((step) => {
      harness.runStep(step);
      return harness.efforts() === 1;
    });
  });
  fc.assert(law);
});
