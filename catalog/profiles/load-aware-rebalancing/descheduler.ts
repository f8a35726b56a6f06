// Has the descheduler move VMs away from nodes under pressure, with the best profile it offers.

import type { PlannedItem } from "@virt/advisor";
import type { JsonMap } from "@virt/api";
import { asList, asText, at } from "@virt/engine";
import { type Capability, type DeschedulerProfile, isKubeVirt, softTainter } from "./capability.ts";
import { deschedulerRef, type LoadAwareFacts } from "./facts.ts";
import { limitsOf, limitValue } from "./limits.ts";
import type { Wanted } from "./wanted.ts";

export type Chosen = { readonly capability: Capability; readonly selected: DeschedulerProfile };

export function descheduler(wanted: Wanted, chosen: Chosen, facts: LoadAwareFacts): PlannedItem {
  const { apiVersion, kind, name, namespace } = deschedulerRef;
  const kept = keptProfiles(chosen, facts);
  const spec = {
    managementState: "Managed",
    deschedulingIntervalSeconds: wanted.deschedulingIntervalSeconds,
    mode: wanted.mode,
    profiles: [...kept, chosen.selected],
    ...whereAny("profileCustomizations", customizations(wanted, chosen)),
    ...whereAny("evictionLimits", evictionLimits(wanted, chosen, facts)),
  };
  return {
    name: "enable-load-aware-descheduling",
    message: `${kind} '${name}' will be configured with profile '${chosen.selected}'`,
    operation: "Apply",
    target: deschedulerRef,
    desired: { apiVersion, kind, metadata: { name, namespace }, spec },
    managedFields: Object.keys(spec).map((field) => `spec.${field}`),
    warnings: [
      ...removedWarning(spec.profiles, facts),
      ...keptWarning(kept, chosen.selected),
      ...nodeLimitWarning(wanted, chosen),
      ...(wanted.mode === "Predictive" ? ["mode Predictive only simulates evictions"] : []),
    ],
    impact: { create: "Medium", change: "Low" },
  };
}

function whereAny(field: string, members: JsonMap): JsonMap {
  return Object.keys(members).length > 0 ? { [field]: members } : {};
}

function customizations({ devDeviationThresholds }: Wanted, { capability, selected }: Chosen): JsonMap {
  const all = { devEnableEvictionsInBackground: true, [softTainter]: true, devDeviationThresholds };
  const isTaken = (field: string) => isKubeVirt(selected) && capability.customizations.has(field);
  return Object.fromEntries(Object.entries(all).filter(([field]) => isTaken(field)));
}

function evictionLimits(wanted: Wanted, { capability }: Chosen, { hco }: LoadAwareFacts): JsonMap {
  return Object.fromEntries(limitsOf(capability).map((limit) => [limit.field, limitValue(limit, wanted, hco.object)]));
}

// They do not look at load, so they do no harm beside ours; all others would work against it.
const harmless: readonly string[] = ["AffinityAndTaints", "SoftTopologyAndDuplicates"];

function keptProfiles({ capability }: Chosen, facts: LoadAwareFacts): readonly string[] {
  return liveProfiles(facts).filter((profile) => harmless.includes(profile) && capability.isCompatible(profile));
}

// Each once: old CRDs let a profile be listed twice, new ones do not.
function liveProfiles({ descheduler }: LoadAwareFacts): readonly string[] {
  const listed = asList(at(descheduler, "spec", "profiles"));
  return [...new Set(listed.flatMap((profile) => asText(profile) ?? []))];
}

function removedWarning(profiles: readonly string[], facts: LoadAwareFacts): readonly string[] {
  const removed = liveProfiles(facts).filter((profile) => !profiles.includes(profile));
  return removed.length > 0 ? [`Descheduler profiles removed: ${removed.join(", ")}`] : [];
}

// Only the KubeVirt profiles bring a node selector, which then counts for all profiles.
function keptWarning(kept: readonly string[], selected: DeschedulerProfile): readonly string[] {
  if (kept.length === 0 || !isKubeVirt(selected)) return [];
  return [`Preserved profiles ${kept.join(", ")} run with the node selector of ${selected}`];
}

function nodeLimitWarning({ evictionLimitNode }: Wanted, { capability }: Chosen): readonly string[] {
  if (evictionLimitNode === undefined || capability.limits.has("node")) return [];
  return ["evictionLimitNode is ignored: the KubeDescheduler CRD has no evictionLimits.node"];
}
