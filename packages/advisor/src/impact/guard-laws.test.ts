// Guards hold whatever happens to the cluster: a fault makes a plan wait, and never makes it pass.

import type { Guards } from "@virt/api";
import { assessImpact, type ImpactFacts } from "@virt/impact";
import { anyFault, anyHealthyCluster, factsWithFaults } from "@virt/impact/testing/any-fault";
import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { observedWith, psi } from "../testing/observed-fixtures.ts";
import { findGuardObstacle } from "./guards.ts";

const anyGuards: fc.Arbitrary<Guards> = fc
  .record(
    { maxBlockingVMs: fc.nat(2), maxNodes: fc.integer({ min: 1, max: 5 }), requireCapacity: fc.constant(true) },
    { requiredKeys: [] },
  )
  .filter((guards) => Object.keys(guards).length > 0);

const passes = (guards: Guards, facts: ImpactFacts) =>
  findGuardObstacle({ spec: { ...observedWith("ReviewRequired").spec, guards } }, assessImpact(facts), [psi()]) ===
  undefined;

test("no fault in the cluster lets a plan pass a guard that holds it on the healthy cluster", () => {
  const law = fc.property(
    anyHealthyCluster,
    anyGuards,
    fc.array(anyFault, { minLength: 1, maxLength: 5 }),
    (given, guards, faults) => {
      if (passes(guards, factsWithFaults(given, []))) return;
      for (const [at] of faults.entries())
        expect(passes(guards, factsWithFaults(given, faults.slice(0, at + 1)))).toBe(false);
    },
  );
  fc.assert(law, runsForCost(4));
});
