// The gate holds whatever happens to the cluster: a fault keeps it closed, and never opens it.

import { type Assessment, assessed, assessImpact, notAssessed } from "@virt/impact";
import { anyFault, anyHealthyCluster, type ClusterFault, factsWithFaults } from "@virt/impact/testing/any-fault";
import type { ClusterGiven } from "@virt/impact/testing/cluster-builder";
import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { annotationPrefix } from "../hco-annotations.ts";
import { holdRemovalAtGate, readRebootGate } from "./reboot-gate.ts";

const gate = readRebootGate({ [`${annotationPrefix}reboot-gate`]: "no-blockers" });

function isOpen(given: ClusterGiven, faults: readonly ClusterFault[], isUnlisted: boolean): boolean {
  const facts = factsWithFaults(given, faults);
  const { disruption } = facts;
  const own: Assessment<typeof disruption> = isUnlisted ? notAssessed("Forbidden") : assessed(disruption);
  const rollout = { disruption, impact: assessImpact(facts) };
  return holdRemovalAtGate({ gate, disruption: own, rollout }) === undefined;
}

test("no fault in the cluster opens a gate that is closed on the healthy cluster", () => {
  const law = fc.property(
    anyHealthyCluster,
    fc.array(anyFault, { minLength: 1, maxLength: 5 }),
    fc.boolean(),
    (given, faults, isUnlisted) => {
      if (isOpen(given, [], false)) return;
      for (const [at] of faults.entries()) expect(isOpen(given, faults.slice(0, at + 1), isUnlisted)).toBe(false);
    },
  );
  fc.assert(law, runsForCost(4));
});
