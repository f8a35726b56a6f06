import { type Assessment, assessed, assessImpact, notAssessed } from "@virt/impact";
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
import { annotationPrefix } from "../hco-annotations.ts";
import { holdRemovalAtGate, readRebootGate } from "./reboot-gate.ts";

const gate = readRebootGate({ [`${annotationPrefix}reboot-gate`]: "no-blockers" });

function isOpen(given: ClusterGiven, faults: readonly ClusterFault[]): boolean {
  const facts = factsWithFaults(given, faults);
  const { disruption } = facts;
  const isUnlisted = faults.some((fault) => fault.kind === "right" && fault.fact === "pools");
  const own: Assessment<typeof disruption> = isUnlisted ? notAssessed("Forbidden") : assessed(disruption);
  const rollout = { disruption, impact: assessImpact(facts) };
  return holdRemovalAtGate({ gate, disruption: own, rollout }) === undefined;
}

test("no single fault opens a closed gate", () => {
  const law = fc.property(anyHealthyCluster, (given) => {
    if (isOpen(given, [])) return;
    expect(everyFault.filter((fault) => isOpen(given, [fault]))).toEqual([]);
  });
  fc.assert(law, runsForCost(8));
});

test("no lost permission opens a closed gate", () => {
  const law = fc.property(anyHealthyCluster, (given) => {
    const closing = faultOfEachKind.filter((fault) => !isOpen(given, [fault]));
    const pairs = closing.flatMap((fault) => everyLostRight.map((right) => [fault, right]));
    expect(pairs.filter((faults) => isOpen(given, faults))).toEqual([]);
  });
  fc.assert(law, runsForCost(40));
});

test("no sequence of faults opens a closed gate", () => {
  const law = fc.property(anyHealthyCluster, fc.array(anyFault, { minLength: 1, maxLength: 5 }), (given, faults) => {
    const sequences = faults.map((_, at) => faults.slice(0, at + 1));
    expect(sequences.filter((each) => isOpen(given, each) && !isOpen(given, each.slice(0, -1)))).toEqual([]);
  });
  fc.assert(law, runsForCost(4));
});
