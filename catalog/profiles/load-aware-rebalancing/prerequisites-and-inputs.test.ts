import type { JsonMap } from "@virt/api";
import { expect, test } from "vitest";
import { readMock } from "../../../test/integration/mock-crds/definitions.ts";
import type { LoadAwareFacts } from "./facts.ts";
import profile from "./profile.ts";
import { deschedulerWith, factsWith, hcoWith } from "./testing/facts.ts";

const onto = (generation: "v510" | "v514" | "v521" | "v532", changed: Partial<LoadAwareFacts> = {}) =>
  factsWith({ deschedulerSchema: readMock(`kubedeschedulers-${generation}.yaml`).schema as JsonMap, ...changed });

const best = "KubeVirtRelieveAndMigrate";
const olm = "Please install the Descheduler Operator via OLM";
const psiRemedy = "MachineConfig CRD is required for PSI metrics configuration (typically available on OpenShift)";

test("requires the descheduler, MachineConfigs for PSI, and the HyperConverged, in this order", () => {
  const shown = (given: JsonMap | undefined) =>
    profile.needs(given).map(({ kind, shown, versions, remedy }) => [kind, shown, versions, remedy]);
  const descheduler = ["KubeDescheduler", "operator.openshift.io.v1", ["v1"], olm];
  const machineConfig = ["MachineConfig", "machineconfiguration.openshift.io.v1", ["v1"], psiRemedy];
  const hco = [
    "HyperConverged",
    "hco.kubevirt.io.v1beta1",
    ["v1", "v1beta1"],
    "Please install OpenShift Virtualization via OLM",
  ];
  expect(shown(undefined)).toEqual([descheduler, machineConfig, hco]);
  expect(shown({ enablePSIMetrics: false })).toEqual([descheduler, hco]);
});

test("a descheduler without a supported profile is a missing prerequisite", () => {
  const deschedulerSchema = {
    properties: { spec: { properties: { profiles: { items: { enum: ["CompactAndScale"] } } } } },
  };
  const remedy = "The installed Descheduler Operator offers no supported profile";
  const need = {
    kind: "KubeDescheduler",
    group: "operator.openshift.io",
    versions: ["v1"],
    shown: "operator.openshift.io.v1",
    remedy,
  };
  expect(profile.refuse({}, factsWith({ deschedulerSchema }))).toEqual({ kind: "missing", need });
  expect(profile.refuse({}, onto("v510"))).toBeUndefined();
});

const absent = { kind: "absent" } as const;
const live = (profileCustomizations: JsonMap) => ({
  ...onto("v514"),
  descheduler: deschedulerWith({ profileCustomizations }),
});

test("the descheduler of 5.14 needs Prometheus only for profiles with metrics", () => {
  const without = { prometheusRoute: absent };
  const refusal = { kind: "unfit" };
  expect(profile.refuse({}, onto("v514", without))).toMatchObject(refusal);
  expect(profile.refuse({ enablePSIMetrics: false }, onto("v514", without))).toBeUndefined();
  const byOthers = { ...live({ devActualUtilizationProfile: "PrometheusCPUUsage" }), ...without };
  expect(profile.refuse({ enablePSIMetrics: false }, byOthers)).toMatchObject(refusal);
  expect(profile.refuse({ enablePSIMetrics: false }, onto("v532", without))).toMatchObject(refusal);
});

type Depends = {
  reason: string;
  facts: LoadAwareFacts;
  given?: JsonMap;
  inputs: readonly (readonly [string, string | undefined])[];
};
const [total, node] = ["parallelMigrationsPerCluster", "parallelOutboundMigrationsPerNode"];
const thresholds = ["devLowNodeUtilizationThresholds", "absent"] as const;
const large = hcoWith("v1", { [total]: 20, [node]: 12 });

const dependencies: readonly Depends[] = [
  {
    reason: "the plan depends on the CRD and on both limits",
    facts: onto("v532", { hco: large }),
    inputs: [["deschedulerCapability", `${best}+node`], [total, "18"], [node, "11"], thresholds],
  },
  {
    reason: "without a HyperConverged, the limits have their defaults",
    facts: onto("v532"),
    inputs: [["deschedulerCapability", `${best}+node`], [total, "5"], [node, "2"], thresholds],
  },
  {
    reason: "a limit that the user set is not an input",
    facts: onto("v532", { hco: large }),
    given: { evictionLimitTotal: 7 },
    inputs: [["deschedulerCapability", `${best}+node`], [node, "11"], thresholds],
  },
  {
    reason: "a limit that the CRD lacks is not an input",
    facts: onto("v514", { hco: large }),
    inputs: [["deschedulerCapability", "DevKubeVirtRelieveAndMigrate+softTainter"], [total, "18"], thresholds],
  },
  {
    reason: "a deprecated tainter is not a capability",
    facts: onto("v521"),
    inputs: [["deschedulerCapability", "DevKubeVirtRelieveAndMigrate"], [total, "5"], thresholds],
  },
  {
    reason: "LongLifecycle has no limits",
    facts: onto("v510", { hco: large }),
    inputs: [["deschedulerCapability", "LongLifecycle"]],
  },
  {
    reason: "a CRD that stops offering a profile changes the input",
    facts: factsWith({
      deschedulerSchema: { properties: { spec: { properties: { profiles: { items: { enum: [] } } } } } },
    }),
    inputs: [["deschedulerCapability", "none"]],
  },
  {
    reason: "an unread CRD does not change the input",
    facts: factsWith({}),
    inputs: [["deschedulerCapability", undefined]],
  },
];

test.each(dependencies)("$reason", ({ facts, given, inputs }) => {
  expect(profile.inputs(given, facts).map(({ name, now }) => [name, now])).toEqual(inputs);
});

test("describes a changed input in the user's terms", () => {
  expect(profile.inputs({}, onto("v532")).map(({ describe }) => describe("5", "10"))).toEqual([
    "KubeDescheduler capability changed (5 -> 10)",
    "HCO parallelMigrationsPerCluster changed (scaled 5 -> 10)",
    "HCO parallelOutboundMigrationsPerNode changed (scaled 5 -> 10)",
    "KubeDescheduler devLowNodeUtilizationThresholds changed (5 -> 10)",
  ]);
});
