import { expect, test } from "vitest";
import { readVmFact } from "./index.ts";
import { boundPlacements } from "./placement-budget.ts";
import { vmObject } from "./testing/cluster-builder.ts";

/** A VM whose affinity no other VM has. */
function vmWithTerms(name: string, terms: number) {
  const nodeSelectorTerms = Array.from({ length: terms }, (_, at) => ({
    matchExpressions: [{ key: `${name}-${at}`, operator: "In", values: ["v"] }],
  }));
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  return readVmFact(vmObject(name, "worker-0", { spec: { affinity: { nodeAffinity } } }));
}

const vms = [vmWithTerms("cheap", 1), ...Array.from({ length: 100 }, (_, at) => vmWithTerms(`vm-${at}`, 50))];
const tooLarge = (all: ReturnType<typeof boundPlacements>) =>
  all.filter(({ placement }) => placement.isTooLarge).map(({ name }) => name);

test("affinities that take too long together make the costliest VMs unknown, and no other VM", () => {
  expect(boundPlacements(vms, 3)).toBe(vms);
  const beyond = tooLarge(boundPlacements(vms, 500));
  expect(beyond).toHaveLength(81);
  expect(beyond).not.toContain("cheap");
});

test("the order of VMs makes no difference to which are unknown", () => {
  expect(tooLarge(boundPlacements(vms.toReversed(), 500)).toSorted()).toEqual(
    tooLarge(boundPlacements(vms, 500)).toSorted(),
  );
});

test("VMs that ask the same are counted once", () => {
  const same = Array.from({ length: 1000 }, () => vmWithTerms("same", 50));
  expect(boundPlacements(same, 500)).toBe(same);
});
