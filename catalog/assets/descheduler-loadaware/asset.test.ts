import type { JsonMap, KubeObject } from "@virt/api";
import { at, writeYaml } from "@virt/objects";
import { keepKnown } from "@virt/platform";
import { expect, test } from "vitest";
import { readMock } from "../../../test/integration/mock-crds/definitions.ts";
import { assetFacts, hcoWith, renderedAsset } from "../../testing/asset-facts.ts";
import { deschedulerTarget } from "../load-aware-rebalancing.ts";
import asset from "./asset.ts";

type Generation = "v510" | "v514" | "v521" | "v532";

const schemaOf = (generation: Generation) => readMock(`kubedeschedulers-${generation}.yaml`).schema as JsonMap;
const rulesWith = (...records: readonly string[]): KubeObject => ({
  apiVersion: "monitoring.coreos.com/v1",
  kind: "PrometheusRule",
  metadata: { name: "descheduler-rules" },
  spec: { groups: [{ name: "a", rules: records.map((record) => ({ record, expr: "1" })) }] },
});
const combined = "descheduler:node:linear_amplified_ideal_point_positive_distance:k3:avg1m";

/** Returns the applied object, without fields that this generation of the CRD does not have. */
function applied(generation: Generation, changed: Readonly<Record<string, KubeObject>> = {}) {
  const deschedulers = schemaOf(generation);
  const { object, leftOut } = keepKnown(
    asset.render(assetFacts(asset, { ...changed, deschedulers })) as KubeObject,
    deschedulers,
  );
  return { yaml: writeYaml(object), leftOut };
}

const golden = (limits: string, customizations: string, profile: string) => `apiVersion: operator.openshift.io/v1
kind: KubeDescheduler
metadata:
  name: cluster
  namespace: openshift-kube-descheduler-operator
spec:
  deschedulingIntervalSeconds: 60
  evictionLimits:
${limits}    total: 5
  managementState: Managed
  mode: Automatic
  profileCustomizations:
${customizations}  profiles:
  - ${profile}
`;
const utilization = (profile: string) => `    devActualUtilizationProfile: ${profile}\n`;
const deviation = "    devDeviationThresholds: AsymmetricLow\n    devEnableEvictionsInBackground: true\n";

test("4.22 gets every field", () => {
  expect(applied("v532", { rules: rulesWith("x", combined) })).toEqual({
    yaml: golden(
      "    node: 2\n",
      `${utilization("PrometheusCPUMemoryCombinedProfile")}${deviation}`,
      "KubeVirtRelieveAndMigrate",
    ),
    leftOut: [],
  });
});

test("4.19 gets no limit per node, which its CRD lacks", () => {
  expect(applied("v521", { rules: rulesWith("x") })).toEqual({
    yaml: golden("", `${utilization("PrometheusCPUCombined")}${deviation}`, "DevKubeVirtRelieveAndMigrate"),
    leftOut: ["/spec/evictionLimits/node"],
  });
});

test("4.18 gets its soft tainter, and no utilization profile without rules", () => {
  expect(applied("v514").yaml).toBe(
    golden("", `${deviation}    devEnableSoftTainter: true\n`, "DevKubeVirtRelieveAndMigrate"),
  );
});

test("4.17 gets its profile without load-aware fields", () => {
  expect(applied("v510", { rules: rulesWith(combined) }).yaml).toBe(
    golden("", "    devEnableEvictionsInBackground: true\n", "LongLifecycle"),
  );
});

test("limits follow the parallel migrations of the HyperConverged", () => {
  const liveMigrationConfig = { parallelMigrationsPerCluster: 12, parallelOutboundMigrationsPerNode: 4 };
  const hco = hcoWith("v1", {}, { virtualization: { liveMigrationConfig } });
  const text = renderedAsset(asset, { hco, deschedulers: schemaOf("v532") });
  expect(text).toContain("  evictionLimits:\n    node: 4\n    total: 12\n");
});

test("caps the limits at the administrator's maximum and warns", () => {
  const liveMigrationConfig = { parallelMigrationsPerCluster: 1001, parallelOutboundMigrationsPerNode: 1000 };
  const hco = hcoWith("v1", {}, { virtualization: { liveMigrationConfig } });
  const deschedulers = schemaOf("v532");
  expect(renderedAsset(asset, { hco, deschedulers })).toContain("  evictionLimits:\n    node: 100\n    total: 1000\n");
  expect(asset.warnings?.(assetFacts(asset, { hco, deschedulers }))).toEqual([
    "evictionLimits.total is limited to 1000: HyperConverged parallelMigrationsPerCluster is 1001",
    "evictionLimits.node is limited to 100: HyperConverged parallelOutboundMigrationsPerNode is 1000",
  ]);
  expect(asset.warnings?.(assetFacts(asset))).toEqual([]);
});

const removal =
  'kubectl patch kubedescheduler cluster -n openshift-kube-descheduler-operator --type=json -p \'[{"op":"remove","path":"/spec/profileCustomizations/devLowNodeUtilizationThresholds"}]\'';

function withThresholds(manager?: string): KubeObject {
  const fieldsV1 = { "f:spec": { "f:profileCustomizations": { "f:devLowNodeUtilizationThresholds": {} } } };
  const { apiVersion, kind, name, namespace } = deschedulerTarget;
  const managedFields = manager === undefined ? [] : [{ manager, operation: "Update", apiVersion, fieldsV1 }];
  const spec = { profileCustomizations: { devLowNodeUtilizationThresholds: "Medium" } };
  return { apiVersion, kind, metadata: { name, namespace, managedFields }, spec };
}

const outcomeOf = (descheduler: KubeObject, deschedulers: JsonMap) => ({
  thresholds: at(
    asset.render(assetFacts(asset, { descheduler, deschedulers })),
    "spec",
    "profileCustomizations",
    "devDeviationThresholds",
  ),
  warnings: asset.warnings?.(assetFacts(asset, { descheduler, deschedulers })),
});

test.each([
  { generation: "v514", manager: "kubectl-edit", owner: "set by kubectl-edit" },
  { generation: "v532", manager: undefined, owner: "owner unknown" },
] as const)(
  "omits its thresholds beside others in $generation, $owner, and warns",
  ({ generation, manager, owner }) => {
    expect(outcomeOf(withThresholds(manager), schemaOf(generation))).toEqual({
      thresholds: undefined,
      warnings: [
        `spec.profileCustomizations.devLowNodeUtilizationThresholds is "Medium", ${owner}; the descheduler operator does not accept devDeviationThresholds together with it, so asset descheduler-loadaware omits them. To use them, remove the field: ${removal}`,
      ],
    });
  },
);

test("writes its thresholds beside a defaulted value", () => {
  const thresholds = { properties: { devLowNodeUtilizationThresholds: { default: "Medium" } } };
  const profiles = { items: { enum: ["KubeVirtRelieveAndMigrate"] } };
  const spec = { properties: { profiles, profileCustomizations: thresholds } };
  const outcome = { thresholds: "AsymmetricLow", warnings: [] };
  expect(outcomeOf(withThresholds(), { properties: { spec } })).toEqual(outcome);
});

test("does not warn about thresholds of another client if it writes none", () => {
  const outcome = { thresholds: undefined, warnings: [] };
  expect(outcomeOf(withThresholds("kubectl-edit"), schemaOf("v510"))).toEqual(outcome);
});

test.each([
  { reason: "no schema", deschedulers: undefined },
  { reason: "a schema without a list of profiles", deschedulers: { properties: { spec: { properties: {} } } } },
  {
    reason: "only other profiles",
    deschedulers: { properties: { spec: { properties: { profiles: { items: { enum: ["AffinityAndTaints"] } } } } } },
  },
])("applies nothing with $reason", ({ deschedulers }) => {
  expect(renderedAsset(asset, { deschedulers })).toBe('nothing: "no suitable profile"');
});
