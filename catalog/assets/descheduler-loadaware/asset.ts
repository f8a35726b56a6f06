// Configures the descheduler to move VMs away from nodes under pressure, with the best available profile.

import { contentForms, type Json, type JsonMap, type KubeObject } from "@virt/api";
import { hco, object, schema } from "@virt/cluster";
import { asList, asText, at, member } from "@virt/objects";
import { type AssetHcoFact, defineAsset, nothing } from "@virt/platform";
import { rivalThresholdsOf, rivalThresholdsWarning } from "../../descheduler-thresholds.ts";
import { boundedLimit, boundWarning, evictionLimitsForm } from "../../eviction-limits.ts";
import { deschedulerRules, deschedulerTarget, loadAwareRebalancing } from "../load-aware-rebalancing.ts";

const sources = [
  { field: "total", source: "parallelMigrationsPerCluster" },
  { field: "node", source: "parallelOutboundMigrationsPerNode" },
] as const;

const candidates = ["KubeVirtRelieveAndMigrate", "DevKubeVirtRelieveAndMigrate", "LongLifecycle"] as const;

const softTainter = "devEnableSoftTainter";

const { constantFields, fields, kept, oneOf, optional, required } = contentForms;
const utilizationProfiles = ["PrometheusCPUMemoryCombinedProfile", "PrometheusCPUCombined"] as const;

export default defineAsset({
  name: "descheduler-loadaware",
  feature: loadAwareRebalancing,
  tier: "context-aware",
  phase: 1,
  order: 30,
  target: deschedulerTarget,
  needs: [],
  dependency: "optional",
  switch: { annotation: "enable-loadaware", default: "off" },
  forms: [
    {
      apiVersion: deschedulerTarget.apiVersion,
      spec: fields({
        ...constantFields(
          { managementState: "Managed", mode: "Automatic", deschedulingIntervalSeconds: 60 },
          "required",
        ),
        profiles: required(oneOf(...candidates.map((profile) => [profile]))),
        profileCustomizations: kept(
          fields({
            devEnableEvictionsInBackground: optional(oneOf(true)),
            [softTainter]: optional(oneOf(true)),
            devDeviationThresholds: optional(oneOf("AsymmetricLow")),
            devActualUtilizationProfile: optional(oneOf(...utilizationProfiles)),
          }),
        ),
        evictionLimits: evictionLimitsForm,
      }),
    },
  ],
  reads: {
    hco: hco(),
    deschedulers: schema(deschedulerTarget.crd, "v1"),
    descheduler: object(deschedulerTarget),
    rules: object(deschedulerRules),
  },
  purpose: "vm-rebalancing",
  adoption: "whole", // taking over another client's profiles in mode Automatic would start evictions
  impact: "pods",
  warnings: (facts) => [
    ...sources.flatMap(({ field, source }) => {
      const value = facts.hco.liveMigration[source];
      return boundWarning(field, { wanted: value, source, value });
    }),
    ...thresholdsWarning(facts),
  ],
  values: {
    managementState: {
      reason: "Without this value, the descheduler operator does nothing.",
      source: "Kube Descheduler Operator",
    },
    mode: {
      reason: "Evictions are carried out, not only simulated.",
      source: "profile load-aware-rebalancing",
    },
    deschedulingIntervalSeconds: {
      reason: "Pressure changes within minutes.",
      source: "profile load-aware-rebalancing",
    },
    profiles: {
      reason: "The best profile that the installed descheduler operator supports.",
      source: "CRD of the descheduler",
    },
    devEnableEvictionsInBackground: {
      reason: "A VM is live-migrated instead of being killed.",
      source: "KubeVirt: eviction",
    },
    devEnableSoftTainter: {
      reason:
        "New VMs avoid nodes under pressure. Written only if the CRD has the field and does not mark it as deprecated.",
      source: "CRD of the descheduler",
    },
    devDeviationThresholds: {
      reason:
        "VMs move only from nodes whose load is well above the average. Omitted while devLowNodeUtilizationThresholds is set, because the descheduler operator does not accept both.",
      source: "profile load-aware-rebalancing",
    },
    devActualUtilizationProfile: {
      reason: "Balances VMs by measured load. The recording rules determine the metric.",
      source: "object PrometheusRule descheduler-rules",
    },
    evictionLimits: {
      reason: "Limits parallel evictions to the number of parallel migrations that the cluster allows.",
      source: "HyperConverged liveMigrationConfig",
    },
  },
  render: (facts) => {
    const profile = bestProfile(facts.deschedulers);
    if (profile === undefined) return nothing("no suitable profile");
    const { apiVersion, kind, name, namespace } = deschedulerTarget;
    return {
      apiVersion,
      kind,
      metadata: { name, namespace },
      spec: {
        managementState: "Managed",
        mode: "Automatic",
        deschedulingIntervalSeconds: 60,
        profiles: [profile],
        profileCustomizations: customizationsFor(profile, facts),
        evictionLimits: evictionLimits(facts.hco),
      },
    };
  },
});

// Limits parallel evictions to the number of migrations that may run in parallel.
function evictionLimits({ liveMigration }: AssetHcoFact): JsonMap {
  return Object.fromEntries(sources.map(({ field, source }) => [field, boundedLimit(field, liveMigration[source])]));
}

type ThresholdsInputs = {
  readonly deschedulers: JsonMap | undefined;
  readonly descheduler: KubeObject | undefined;
};
type CustomizationInputs = ThresholdsInputs & { readonly rules: KubeObject | undefined };

// Handles only special cases, because fields that the CRD does not have are removed later.
function customizationsFor(profile: SuitableProfile, facts: CustomizationInputs): JsonMap {
  return {
    devEnableEvictionsInBackground: true,
    ...(hasSoftTainter(facts.deschedulers) && { [softTainter]: true }),
    ...(isLoadAware(profile) && { ...deviationThresholds(facts), ...utilizationProfile(facts.rules) }),
  };
}

function deviationThresholds(facts: ThresholdsInputs): JsonMap {
  return rivalsIn(facts) === undefined ? { devDeviationThresholds: "AsymmetricLow" } : {};
}

function thresholdsWarning(facts: ThresholdsInputs): readonly string[] {
  const [rival, profile] = [rivalsIn(facts), bestProfile(facts.deschedulers)];
  if (rival === undefined || profile === undefined || !isLoadAware(profile)) return [];
  const writer = "asset descheduler-loadaware";
  return [rivalThresholdsWarning(rival, { target: deschedulerTarget, writer, next: "remove the field" })];
}

function rivalsIn({ descheduler, deschedulers }: ThresholdsInputs) {
  return rivalThresholdsOf({ descheduler, deschedulerSchema: deschedulers });
}

// Reports whether the CRD has the field and does not deprecate it. Only the description shows the deprecation.
function hasSoftTainter(deschedulers: JsonMap | undefined): boolean {
  const path = ["spec", "profileCustomizations", softTainter].flatMap((name) => ["properties", name]);
  const field = at(deschedulers, ...path);
  return field !== undefined && !/deprecated/i.test(asText(member(field, "description")) ?? "");
}

const combined = "descheduler:node:linear_amplified_ideal_point_positive_distance:k3:avg1m";

// Selects the profile by the metrics that recording rules provide: CPU and memory, or CPU only. Without rules, sets
// nothing.
function utilizationProfile(rules: KubeObject | undefined): JsonMap {
  if (rules === undefined) return {};
  const recorded = asList(at(rules, "spec", "groups")).flatMap((group) => asList(member(group, "rules")));
  const isCombined = recorded.some((rule: Json) => member(rule, "record") === combined);
  return { devActualUtilizationProfile: utilizationProfiles[isCombined ? 0 : 1] };
}

/** Profiles that the asset can use, best first. */
type SuitableProfile = (typeof candidates)[number];

/** Returns the best profile, or undefined if the CRD lists no known profile. */
function bestProfile(deschedulers: JsonMap | undefined): SuitableProfile | undefined {
  const offered = asList(at(deschedulers, "properties", "spec", "properties", "profiles", "items", "enum"));
  return candidates.find((profile) => offered.includes(profile));
}

function isLoadAware(profile: SuitableProfile): boolean {
  return profile !== "LongLifecycle";
}
