// The fields of a KubeDescheduler in each generation, and a sample that sets them.

import type { Field } from "../subject.ts";
import { type Age, ownProfile, profileField } from "./descheduler-profiles.ts";
import { condition } from "./parts.ts";

const logLevels = { good: ["", "Debug", "Trace", "TraceAll"], bad: ["Loud"] };

export function fieldsOf(age: Age): readonly Field[] {
  return [...specFields(age), ...statusFields(age)];
}

function specFields(age: Age): readonly Field[] {
  const custom = "spec.profileCustomizations";
  return [
    { path: "spec.managementState", good: ["Unmanaged", "Force", "Removed"], bad: ["managed", ""] },
    { path: "spec.deschedulingIntervalSeconds", ...values([1, 86_400], [0, -1], age !== "now") },
    { path: "spec.mode", good: ["Predictive"], bad: ["Manual", ""] },
    profileField(age),
    { path: "spec.profiles[]" },
    { path: custom, good: [{}] },
    { path: `${custom}.devEnableEvictionsInBackground`, good: [false] },
    { path: `${custom}.devLowNodeUtilizationThresholds`, ...values(["High", ""], ["Any"], age === "before") },
    { path: `${custom}.devHighNodeUtilizationThresholds`, good: ["Modest", ""], bad: ["Any"] },
    { path: `${custom}.podLifetime`, good: ["48h"], bad: ["two days"] },
    { path: `${custom}.thresholdPriority` },
    { path: `${custom}.thresholdPriorityClassName` },
    { path: `${custom}.namespaces`, good: [{}] },
    ...["included", "excluded"].flatMap((key) => [
      { path: `${custom}.namespaces.${key}`, good: [[], ["a", "a"]] },
      { path: `${custom}.namespaces.${key}[]` },
    ]),
    { path: "spec.evictionLimits", good: [{}] },
    { path: "spec.evictionLimits.total", good: [0, 1000] },
    { path: "spec.logLevel", ...logLevels },
    { path: "spec.operatorLogLevel", ...logLevels },
    { path: "spec.observedConfig", isOpen: true, good: [{}] },
    { path: "spec.unsupportedConfigOverrides", isOpen: true },
    ...(age === "before" ? [] : kubeVirtFields(custom)),
    ...(age === "now" ? [{ path: "spec.evictionLimits.node", good: [0, 100] }] : []),
  ];
}

/** `odd` values are valid only if the generation is loose. */
function values(good: readonly unknown[], odd: readonly unknown[], isLoose: boolean): Pick<Field, "good" | "bad"> {
  return isLoose ? { good: [...good, ...odd] } : { good, bad: odd };
}

function kubeVirtFields(custom: string): readonly Field[] {
  const thresholds = ["Low", "Medium", "High", "AsymmetricMedium", "AsymmetricHigh", ""];
  return [
    { path: `${custom}.devEnableSoftTainter`, good: [false] },
    { path: `${custom}.devDeviationThresholds`, good: thresholds, bad: ["VeryLow", "asymmetriclow"] },
    { path: `${custom}.devActualUtilizationProfile`, good: ["PrometheusCPUCombined", "Anything"] },
  ];
}

function statusFields(age: Age): readonly Field[] {
  const isStrict = age !== "before";
  const generation = { group: "apps", resource: "deployments", namespace: "a", name: "b", lastGeneration: 1 };
  return [
    { path: "status", good: [{}] },
    { path: "status.observedGeneration" },
    { path: "status.readyReplicas" },
    { path: "status.version" },
    { path: "status.conditions", good: [[]], bad: [[condition, condition]] },
    { path: "status.conditions[].type", isRequired: true, ...values([], ["not a type", "a".repeat(317)], !isStrict) },
    { path: "status.conditions[].status", isRequired: isStrict, ...values(["Unknown"], ["maybe"], !isStrict) },
    { path: "status.conditions[].lastTransitionTime", isRequired: isStrict, bad: ["yesterday"] },
    { path: "status.conditions[].reason", good: ["not a reason", ""] },
    { path: "status.conditions[].message" },
    { path: "status.generations", ...values([[]], [[generation, generation]], !isStrict) },
    ...["group", "resource", "namespace", "name"].map((key) => ({
      path: `status.generations[].${key}`,
      isRequired: isStrict,
    })),
    { path: "status.generations[].lastGeneration" },
    { path: "status.generations[].hash" },
    ...(isStrict ? [{ path: "status.latestAvailableRevision", isRuled: true, good: [3, 4], bad: [2] }] : []),
  ];
}

export function sampleOf(age: Age) {
  const kubeVirt = {
    devEnableSoftTainter: true,
    devDeviationThresholds: "AsymmetricLow",
    devActualUtilizationProfile: "PrometheusCPUMemoryCombinedProfile",
  };
  return {
    apiVersion: "operator.openshift.io/v1",
    kind: "KubeDescheduler",
    metadata: { name: "cluster", namespace: "probes" },
    spec: {
      managementState: "Managed",
      deschedulingIntervalSeconds: 60,
      mode: "Automatic",
      profiles: [ownProfile[age]],
      profileCustomizations: {
        devEnableEvictionsInBackground: true,
        devLowNodeUtilizationThresholds: "Low",
        devHighNodeUtilizationThresholds: "Minimal",
        podLifetime: "5m",
        thresholdPriority: 10,
        thresholdPriorityClassName: "a",
        namespaces: { included: ["a"], excluded: ["a"] },
        ...(age === "before" ? {} : kubeVirt),
      },
      evictionLimits: age === "now" ? { total: 5, node: 2 } : { total: 5 },
      logLevel: "Normal",
      operatorLogLevel: "Normal",
      observedConfig: { servingInfo: { cipherSuites: ["a"] } },
      unsupportedConfigOverrides: { a: { b: ["c"] } },
    },
    status: {
      observedGeneration: 1,
      readyReplicas: 1,
      version: "a",
      conditions: [condition],
      generations: [{ group: "apps", resource: "deployments", namespace: "a", name: "b", lastGeneration: 1, hash: "" }],
      ...(age === "before" ? {} : { latestAvailableRevision: 3 }),
    },
  };
}
