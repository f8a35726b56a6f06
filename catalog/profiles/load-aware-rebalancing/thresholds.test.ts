import type { PlannedItem } from "@virt/advisor";
import type { Json, JsonMap } from "@virt/api";
import { writeYaml } from "@virt/objects";
import { expect, test } from "vitest";
import { readMock } from "../../../test/integration/mock-crds/definitions.ts";
import type { LoadAwareFacts } from "./facts.ts";
import profile from "./profile.ts";
import { deschedulerWith, factsWith } from "./testing/facts.ts";

const schema = readMock("kubedeschedulers-v532.yaml").schema as JsonMap;
const factsOf = (changed: Partial<LoadAwareFacts>) =>
  factsWith({ deschedulerSchema: schema, workerKernel: [["psi=1"]], ...changed });

function deschedulerItem(facts: LoadAwareFacts): PlannedItem {
  const item = profile.plan(undefined, facts).find(({ name }) => name === "enable-load-aware-descheduling");
  if (item === undefined) throw new Error("the plan has no item for the descheduler");
  return item;
}

const yamlOf = (item: PlannedItem) => (item.operation === "Apply" ? writeYaml(item.desired) : undefined);

test("foreign thresholds replace ours, and the warning has field, owner and command", () => {
  const live = deschedulerWith({ profileCustomizations: { devLowNodeUtilizationThresholds: "Medium" } });
  const managedFields = [
    {
      manager: "kubectl-edit",
      operation: "Update",
      apiVersion: "operator.openshift.io/v1",
      fieldsV1: { "f:spec": { "f:profileCustomizations": { "f:devLowNodeUtilizationThresholds": {} } } },
    },
  ];
  const descheduler = { ...live, metadata: { ...live.metadata, managedFields } };
  const facts = factsOf({ descheduler });
  const item = deschedulerItem(facts);
  expect(yamlOf(item)).not.toContain("devDeviationThresholds");
  expect(item.warnings).toEqual([
    'spec.profileCustomizations.devLowNodeUtilizationThresholds is "Medium", set by kubectl-edit; the descheduler operator does not accept devDeviationThresholds together with it, so this plan omits them. To use them, remove the field and review the new plan: kubectl patch kubedescheduler cluster -n openshift-kube-descheduler-operator --type=json -p \'[{"op":"remove","path":"/spec/profileCustomizations/devLowNodeUtilizationThresholds"}]\'',
  ]);
  const thresholds = profile.inputs(undefined, facts).find(({ name }) => name === "devLowNodeUtilizationThresholds");
  expect(thresholds?.now).toBe("Medium");
});

const storedThresholds = deschedulerWith({ profileCustomizations: { devLowNodeUtilizationThresholds: "Medium" } });
const inputOf = (facts: LoadAwareFacts) =>
  profile.inputs(undefined, facts).find(({ name }) => name === "devLowNodeUtilizationThresholds")?.now;

test("thresholds without an owner or default in the CRD count as stored", () => {
  const facts = factsOf({ descheduler: storedThresholds });
  const item = deschedulerItem(facts);
  expect(yamlOf(item)).not.toContain("devDeviationThresholds");
  expect(item.warnings).toEqual([
    expect.stringContaining(
      'spec.profileCustomizations.devLowNodeUtilizationThresholds is "Medium", owner unknown; the descheduler operator does not accept devDeviationThresholds together with it',
    ),
  ]);
  expect(inputOf(facts)).toBe("Medium");
});

const defaults: readonly (readonly [where: string, path: readonly string[], value: Json])[] = [
  ["the field", ["profileCustomizations", "properties", "devLowNodeUtilizationThresholds"], "Medium"],
  ["its map", ["profileCustomizations"], { devLowNodeUtilizationThresholds: "Medium" }],
];

test.each(defaults)("thresholds without an owner count as absent if the CRD defaults %s", (_, path, value) => {
  const withDefault = (schema: Json | undefined, [name, ...rest]: readonly string[]): JsonMap => {
    const map = schema as JsonMap;
    return name === undefined ? { ...map, default: value } : { ...map, [name]: withDefault(map[name], rest) };
  };
  const deschedulerSchema = withDefault(schema, ["properties", "spec", "properties", ...path]);
  const facts = factsOf({ deschedulerSchema, descheduler: storedThresholds });
  expect(deschedulerItem(facts).warnings).toEqual([]);
  expect(yamlOf(deschedulerItem(facts))).toContain("devDeviationThresholds");
  expect(inputOf(facts)).toBe("absent");
});
