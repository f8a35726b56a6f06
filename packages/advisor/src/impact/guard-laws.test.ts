// Property: a fault in the cluster may cause a guard to block a plan, but never to allow it.

import type { Guards } from "@virt/api";
import { assessImpact } from "@virt/impact";
import {
  anyFault,
  anyHealthyCluster,
  type ClusterFault,
  everyFault,
  everyLostRight,
  factsWithFaults,
  faultOfEachKind,
} from "@virt/impact/testing/any-fault";
import type { ClusterGiven } from "@virt/impact/testing/cluster-builder";
import { runsForCost } from "@virt/testkit/law-runs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { findExecutionObstacle } from "../execution-obstacle.ts";
import { observedWith, psi } from "../testing/observed-fixtures.ts";
import { findGuardObstacle } from "./guards.ts";

/** Each guard is tested alone, because one guard can hide another. */
const everyGuard: readonly Guards[] = [
  ...[0, 1, 2].map((maxBlockingVMs) => ({ maxBlockingVMs })),
  ...[1, 2, 3, 4, 5].map((maxNodes) => ({ maxNodes })),
  { requireCapacity: true },
];

const items = [psi()];
const { spec } = observedWith("ReviewRequired");

function passed(given: ClusterGiven, faults: readonly ClusterFault[]): readonly Guards[] {
  const impact = assessImpact(factsWithFaults(given, faults));
  return everyGuard.filter((guards) => findGuardObstacle({ spec: { ...spec, guards } }, impact, items) === undefined);
}

/** Returns the guards that block before the last of these faults, and allow the plan after it. */
function opened(given: ClusterGiven, faults: readonly ClusterFault[], before = passed(given, faults.slice(0, -1))) {
  return passed(given, faults)
    .filter((guards) => !before.includes(guards))
    .map((guards) => ({ guards, faults }));
}

test("no single fault opens a guard that blocks on the healthy cluster", () => {
  const law = fc.property(anyHealthyCluster, (given) => {
    const before = passed(given, []);
    expect(everyFault.flatMap((fault) => opened(given, [fault], before))).toEqual([]);
  });
  fc.assert(law, runsForCost(8));
});

test("no fault starts a plan that virt-platform-autopilot would revert", () => {
  const reverted = items.map(({ targetRef }) => targetRef);
  const law = fc.property(anyHealthyCluster, fc.constantFrom(...everyFault), (given, fault) => {
    const impact = assessImpact(factsWithFaults(given, [fault]));
    for (const guards of [{}, ...everyGuard])
      expect(findExecutionObstacle({ spec: { ...spec, guards } }, { items, reverted, impact })).toMatchObject({
        reason: "ManagedByAutopilot",
      });
  });
  fc.assert(law, runsForCost(8));
});

test("no lost right opens a guard that a fault closes", () => {
  const law = fc.property(anyHealthyCluster, (given) => {
    const found = faultOfEachKind.flatMap((fault) => {
      const before = passed(given, [fault]);
      return everyLostRight.flatMap((right) => opened(given, [fault, right], before));
    });
    expect(found).toEqual([]);
  });
  fc.assert(law, runsForCost(40));
});

test("no sequence of faults opens a guard that it closed earlier", () => {
  const law = fc.property(anyHealthyCluster, fc.array(anyFault, { minLength: 1, maxLength: 5 }), (given, faults) => {
    expect(faults.flatMap((_, at) => opened(given, faults.slice(0, at + 1)))).toEqual([]);
  });
  fc.assert(law, runsForCost(4));
});
