import type { PlannedItem } from "@virt/advisor";
import type { JsonMap } from "@virt/api";
import { at, targetKey } from "@virt/objects";
import fc from "fast-check";
import { test } from "vitest";
import type { DensityFacts } from "./facts.ts";
import profile from "./profile.ts";
import { factsWith, type HcoVersion, hcoWith, noHco } from "./testing/facts.ts";

const live = {
  higherWorkloadDensity: { memoryOvercommitPercentage: 130 },
  ksmConfiguration: { nodeLabelSelector: {} },
};
const anyOptions: fc.Arbitrary<JsonMap | undefined> = fc.option(
  fc.record(
    {
      enableSwap: fc.boolean(),
      memoryToRequestRatio: fc.integer({ min: 100, max: 300 }),
      ksmConfiguration: fc.record(
        { enabled: fc.boolean(), nodeLabelSelector: fc.constantFrom<JsonMap>({}, { matchLabels: { zone: "a" } }) },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  ),
  { nil: undefined },
);
const anyValues = fc.constantFrom<JsonMap | undefined>(undefined, {}, live);
const anyFacts: fc.Arbitrary<DensityFacts> = fc
  .tuple(
    fc.constantFrom<HcoVersion>("v1", "v1beta1"),
    anyValues,
    fc.constantFrom<DensityFacts["vmNodes"]["roles"]>(["worker"], ["master"], ["worker", "master"]),
  )
  .map(([version, values, roles]) =>
    factsWith({
      hco: values === undefined ? noHco(version) : hcoWith(version, values),
      vmNodes: { roles, nodes: undefined },
    }),
  );

type Law = (given: JsonMap | undefined, facts: DensityFacts, plan: readonly PlannedItem[]) => boolean;

const always = (isTrue: Law) =>
  fc.property(anyOptions, anyFacts, (given, facts) => isTrue(given, facts, profile.plan(given, facts)));

test("targets are unique, removals come last, and managed fields are desired", () => {
  const law = always((_given, _facts, plan) => {
    const isThere = (item: PlannedItem) =>
      item.operation === "Delete" ||
      item.managedFields.every((field) => at(item.desired, ...field.split(".")) !== undefined);
    const firstRemoval = plan.findIndex(({ operation }) => operation === "Delete");
    const isLast = firstRemoval === -1 || plan.slice(firstRemoval).every(({ operation }) => operation === "Delete");
    return new Set(plan.map(({ target }) => targetKey(target))).size === plan.length && isLast && plan.every(isThere);
  });
  fc.assert(law);
});

test("after the apply, each input has its planned value", () => {
  const law = always((given, facts, plan) => {
    const density = plan.find(({ name }) => name === "configure-higher-density");
    const written = density?.operation === "Apply" ? density.desired : undefined;
    const done = factsWith({ hco: { ...facts.hco, object: written } });
    return profile.inputs(given, done).every(({ now, planned }) => now === planned);
  });
  fc.assert(law);
});

test("the ratio waits for the last swap, and each swap for its predecessor", () => {
  const law = always((_given, _facts, plan) => {
    const swaps = plan.filter(({ operation, target }) => operation === "Apply" && target.kind === "MachineConfig");
    const density = plan.find(({ target }) => target.kind === "HyperConverged");
    const chain = swaps.every(({ waitsFor }, place) => waitsFor === swaps[place - 1]?.name);
    return chain && (density?.waitsFor === undefined || density.waitsFor === swaps.at(-1)?.name);
  });
  fc.assert(law);
});
