import type { PlannedItem } from "@virt/advisor";
import type { JsonMap } from "@virt/api";
import { writeYaml } from "@virt/objects";
import { expect, test } from "vitest";
import { readMock } from "../../../test/integration/mock-crds/definitions.ts";
import type { LoadAwareFacts } from "./facts.ts";
import profile from "./profile.ts";
import { deschedulerWith, factsWith, hcoWith } from "./testing/facts.ts";

type Generation = "v510" | "v514" | "v521" | "v532";

const schemas = Object.fromEntries(
  ["v510", "v514", "v521", "v532"].map((version) => [version, readMock(`kubedeschedulers-${version}.yaml`).schema]),
) as Record<Generation, JsonMap>;

const onto = (generation: Generation, changed: Partial<LoadAwareFacts> = {}) =>
  factsWith({ deschedulerSchema: schemas[generation], ...changed });

function deschedulerItem(given: JsonMap | undefined, facts: LoadAwareFacts): PlannedItem {
  const item = profile.plan(given, facts).find(({ name }) => name === "enable-load-aware-descheduling");
  if (item === undefined) throw new Error("the plan has no item for the descheduler");
  return item;
}

const yamlOf = (item: PlannedItem | undefined) => (item?.operation === "Apply" ? writeYaml(item.desired) : undefined);
const named = `kind: KubeDescheduler
metadata:
  name: cluster
  namespace: openshift-kube-descheduler-operator
`;

test("without options, PSI comes first, then the descheduler", () => {
  const [psi, descheduler, ...others] = profile.plan(undefined, onto("v532"));
  expect(others).toEqual([]);
  expect(psi).toEqual({
    name: "enable-psi-metrics",
    message: "MachineConfig '99-worker-psi-karg' will be configured to enable PSI metrics",
    operation: "Apply",
    target: { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig", name: "99-worker-psi-karg" },
    desired: expect.anything(),
    managedFields: ["spec.kernelArguments"],
    warnings: [],
    impact: { create: "High", change: "High" },
  });
  expect(yamlOf(psi)).toBe(`apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata:
  labels:
    machineconfiguration.openshift.io/role: worker
  name: 99-worker-psi-karg
spec:
  kernelArguments:
  - psi=1
`);
  expect(descheduler).toEqual({
    name: "enable-load-aware-descheduling",
    message: "KubeDescheduler 'cluster' will be configured with profile 'KubeVirtRelieveAndMigrate'",
    operation: "Apply",
    target: {
      apiVersion: "operator.openshift.io/v1",
      kind: "KubeDescheduler",
      name: "cluster",
      namespace: "openshift-kube-descheduler-operator",
    },
    desired: expect.anything(),
    managedFields: [
      "spec.managementState",
      "spec.deschedulingIntervalSeconds",
      "spec.mode",
      "spec.profiles",
      "spec.profileCustomizations",
      "spec.evictionLimits",
    ],
    problemOf: expect.any(Function),
    warnings: ["Rebalancing starts when PSI metrics are enabled on the nodes"],
    impact: { create: "Medium", change: "Low" },
  });
  expect(yamlOf(descheduler)).toBe(`apiVersion: operator.openshift.io/v1
${named}spec:
  deschedulingIntervalSeconds: 60
  evictionLimits:
    node: 2
    total: 5
  managementState: Managed
  mode: Automatic
  profileCustomizations:
    devDeviationThresholds: AsymmetricLow
    devEnableEvictionsInBackground: true
  profiles:
  - KubeVirtRelieveAndMigrate
`);
});

test("a descheduler of 5.10 gets no customizations and no limits", () => {
  const item = deschedulerItem({ evictionLimitTotal: 7 }, onto("v510"));
  expect(item.managedFields).toEqual([
    "spec.managementState",
    "spec.deschedulingIntervalSeconds",
    "spec.mode",
    "spec.profiles",
  ]);
  expect(item.message).toBe("KubeDescheduler 'cluster' will be configured with profile 'LongLifecycle'");
  expect(yamlOf(item)).toBe(`apiVersion: operator.openshift.io/v1
${named}spec:
  deschedulingIntervalSeconds: 60
  managementState: Managed
  mode: Automatic
  profiles:
  - LongLifecycle
`);
});

test("a descheduler of 5.14 gets its soft tainter, all options and scaled limits", () => {
  const given = { deschedulingIntervalSeconds: 120, mode: "Predictive", devDeviationThresholds: "High" };
  const descheduler = deschedulerWith({ profiles: ["SoftTopologyAndDuplicates", "LifecycleAndUtilization"] });
  const hco = hcoWith("v1beta1", { parallelMigrationsPerCluster: 20 });
  const item = deschedulerItem({ ...given, evictionLimitNode: 3 }, onto("v514", { descheduler, hco }));
  expect(yamlOf(item)).toBe(`apiVersion: operator.openshift.io/v1
${named}spec:
  deschedulingIntervalSeconds: 120
  evictionLimits:
    total: 18
  managementState: Managed
  mode: Predictive
  profileCustomizations:
    devActualUtilizationProfile: PrometheusCPUCombined
    devDeviationThresholds: High
    devEnableEvictionsInBackground: true
    devEnableSoftTainter: true
  profiles:
  - SoftTopologyAndDuplicates
  - DevKubeVirtRelieveAndMigrate
`);
  expect(item.warnings).toEqual([
    "Rebalancing starts when PSI metrics are enabled on the nodes",
    "Descheduler profiles removed: LifecycleAndUtilization",
    "Preserved profiles SoftTopologyAndDuplicates run with the node selector of DevKubeVirtRelieveAndMigrate",
    "evictionLimitNode is ignored: the KubeDescheduler CRD has no evictionLimits.node",
    "mode Predictive only simulates evictions",
  ]);
});

test("a descheduler of 5.21 does not get the deprecated tainter", () => {
  expect(yamlOf(deschedulerItem(undefined, onto("v521")))).toBe(`apiVersion: operator.openshift.io/v1
${named}spec:
  deschedulingIntervalSeconds: 60
  evictionLimits:
    total: 5
  managementState: Managed
  mode: Automatic
  profileCustomizations:
    devDeviationThresholds: AsymmetricLow
    devEnableEvictionsInBackground: true
  profiles:
  - DevKubeVirtRelieveAndMigrate
`);
});

test("a CRD without descriptions gets only the fields of every release", () => {
  const item = deschedulerItem({ evictionLimitTotal: 7 }, factsWith({ deschedulerSchema: {} }));
  expect(item.managedFields).toEqual([
    "spec.managementState",
    "spec.deschedulingIntervalSeconds",
    "spec.mode",
    "spec.profiles",
  ]);
  expect(item.message).toContain("'KubeVirtRelieveAndMigrate'");
});

test("if disabled, PSI is removed last", () => {
  const [descheduler, psi, ...others] = profile.plan({ enablePSIMetrics: false }, onto("v532"));
  expect(others.map(({ name }) => name)).toEqual(["disable-psi-metrics-master"]);
  expect(descheduler?.name).toBe("enable-load-aware-descheduling");
  expect(psi).toEqual({
    name: "disable-psi-metrics",
    message: "MachineConfig '99-worker-psi-karg' will be deleted to disable PSI metrics",
    operation: "Delete",
    target: { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig", name: "99-worker-psi-karg" },
    managedFields: ["spec.kernelArguments"],
    warnings: [],
    impact: "High",
  });
});

type Live = {
  reason: string;
  generation: Generation;
  live: readonly string[];
  profiles: readonly string[];
  warnings: readonly string[];
};
const best = "KubeVirtRelieveAndMigrate";

const lives: readonly Live[] = [
  { reason: "an empty list needs no warning", generation: "v532", live: [], profiles: [best], warnings: [] },
  { reason: "keeps our profile as it is", generation: "v532", live: [best], profiles: [best], warnings: [] },
  {
    reason: "preserves compatible profiles in order, before ours",
    generation: "v532",
    live: ["SoftTopologyAndDuplicates", best, "AffinityAndTaints"],
    profiles: ["SoftTopologyAndDuplicates", "AffinityAndTaints", best],
    warnings: [`Preserved profiles SoftTopologyAndDuplicates, AffinityAndTaints run with the node selector of ${best}`],
  },
  {
    reason: "removes all other profiles, including our older one",
    generation: "v532",
    live: ["DevKubeVirtRelieveAndMigrate", "TopologyAndDuplicates"],
    profiles: [best],
    warnings: ["Descheduler profiles removed: DevKubeVirtRelieveAndMigrate, TopologyAndDuplicates"],
  },
  {
    reason: "preserves a duplicate profile once",
    generation: "v514",
    live: ["AffinityAndTaints", "AffinityAndTaints"],
    profiles: ["AffinityAndTaints", "DevKubeVirtRelieveAndMigrate"],
    warnings: ["Preserved profiles AffinityAndTaints run with the node selector of DevKubeVirtRelieveAndMigrate"],
  },
  {
    reason: "LongLifecycle has no node selector",
    generation: "v510",
    live: ["AffinityAndTaints"],
    profiles: ["AffinityAndTaints", "LongLifecycle"],
    warnings: [
      "Enabling PSI metrics reboots nodes, but profile LongLifecycle of the installed descheduler balances by requests and does not use PSI metrics",
    ],
  },
];

test.each(lives)("$reason", ({ generation, live, profiles, warnings }) => {
  const descheduler = deschedulerWith({ profiles: live });
  const item = deschedulerItem(
    { enablePSIMetrics: true },
    onto(generation, { descheduler, workerKernel: [["psi=1"]] }),
  );
  expect(item).toMatchObject({ desired: { spec: { profiles } }, warnings });
});

const nodeIgnored = "evictionLimitNode is ignored: the KubeDescheduler CRD has no evictionLimits.node";

test.each([
  {
    reason: "an accepted limit per node needs no warning",
    generation: "v532",
    given: { evictionLimitNode: 3 },
    warnings: [],
  },
  {
    reason: "an unsupported limit per node gets a warning",
    generation: "v521",
    given: { evictionLimitNode: 3 },
    warnings: [nodeIgnored],
  },
  {
    reason: "a limit per node that was not set needs no warning",
    generation: "v521",
    given: { evictionLimitTotal: 3 },
    warnings: [],
  },
  { reason: "Automatic needs no warning", generation: "v532", given: { mode: "Automatic" }, warnings: [] },
] as const)("$reason", ({ generation, given, warnings }) => {
  expect(deschedulerItem(given, onto(generation, { workerKernel: [["psi=1"]] })).warnings).toEqual(warnings);
});

test("the plan explains why 5.10 gets no PSI metrics and no reboot", () => {
  const items = profile.plan({ mode: "Automatic" }, onto("v510"));
  expect(items.map(({ name }) => name)).toEqual(["enable-load-aware-descheduling"]);
  expect(items[0]?.warnings).toEqual([
    "PSI metrics are not enabled: profile LongLifecycle of the installed descheduler balances by requests and does not use PSI metrics. To enable them anyway, set enablePSIMetrics to true",
  ]);
});

test("keeps enabled PSI metrics on 5.10, because a removal reboots nodes", () => {
  const psiConfig = deschedulerWith({}); // any object with this name
  const items = profile.plan(undefined, onto("v510", { psiConfig }));
  expect(items.map(({ name }) => name)).toEqual(["enable-psi-metrics", "enable-load-aware-descheduling"]);
});

test("without PSI metrics, warns that newer operators do not run the profile", () => {
  expect(deschedulerItem({ enablePSIMetrics: false }, onto("v532")).warnings).toEqual([
    "The descheduler operator runs profile KubeVirtRelieveAndMigrate only if PSI metrics are enabled on the nodes",
  ]);
  expect(deschedulerItem({ enablePSIMetrics: false }, onto("v514")).warnings).toEqual([]);
});
