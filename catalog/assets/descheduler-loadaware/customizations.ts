// How the profile is tuned. What a release does not know is left out for every asset alike; here is only what needs a thought.

import type { Json, JsonMap, KubeObject } from "@virt/api";
import { asList, asText, at, member } from "@virt/engine";
import { isLoadAware, type Profile } from "./profile.ts";

type Seen = { readonly deschedulers: JsonMap | undefined; readonly rules: KubeObject | undefined };

export function customizationsFor(profile: Profile, { deschedulers, rules }: Seen): JsonMap {
  return {
    devEnableEvictionsInBackground: true,
    ...(hasSoftTainter(deschedulers) && { [softTainter]: true }),
    ...(isLoadAware(profile) && { devDeviationThresholds: "AsymmetricLow", ...utilizationProfile(rules) }),
  };
}

const softTainter = "devEnableSoftTainter";

// Where it is out of use only its description says so.
function hasSoftTainter(deschedulers: JsonMap | undefined): boolean {
  const path = ["spec", "profileCustomizations", softTainter].flatMap((name) => ["properties", name]);
  const field = at(deschedulers, ...path);
  return field !== undefined && !/deprecated/i.test(asText(member(field, "description")) ?? "");
}

const combined = "descheduler:node:linear_amplified_ideal_point_positive_distance:k3:avg1m";

// By what Prometheus records: CPU and memory, CPU alone, or nothing yet.
function utilizationProfile(rules: KubeObject | undefined): JsonMap {
  if (rules === undefined) return {};
  const recorded = asList(at(rules, "spec", "groups")).flatMap((group) => asList(member(group, "rules")));
  const isCombined = recorded.some((rule: Json) => member(rule, "record") === combined);
  return { devActualUtilizationProfile: isCombined ? "PrometheusCPUMemoryCombinedProfile" : "PrometheusCPUCombined" };
}
