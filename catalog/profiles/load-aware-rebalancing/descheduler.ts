// Plans the KubeDescheduler, which moves VMs away from nodes under pressure, with the best available profile.

import type { PlannedItem } from "@virt/advisor";
import { contentForms, type JsonMap, type KubeObject, type ObjectForm } from "@virt/api";
import { asList, asNumber, asText, at } from "@virt/objects";
import { rivalThresholdsOf, rivalThresholdsWarning } from "../../descheduler-thresholds.ts";
import { boundedLimit, boundWarning, evictionLimitsForm } from "../../eviction-limits.ts";
import { hcoValue } from "../hyperconverged.ts";
import {
  type Capability,
  type DeschedulerProfile,
  deschedulerProfiles,
  isKubeVirt,
  softTainter,
  utilizationProfile,
} from "./capability.ts";
import { deschedulerRef, deviationThresholds, type LoadAwareFacts, type LoadAwareSettings } from "./facts.ts";
import { operatorProblem } from "./operator-problem.ts";
import { isPsiPending, type PsiIntent } from "./psi.ts";

type Chosen = {
  readonly capability: Capability;
  readonly selected: DeschedulerProfile;
  readonly psi: PsiIntent;
};

// These profiles ignore load, so they can stay enabled. All others would work against rebalancing.
const harmless: readonly string[] = ["AffinityAndTaints", "SoftTopologyAndDuplicates"];

const { fields, integer, kept, listOf, oneOf, optional, required } = contentForms;

/** The allowed content of the planned object, for all combinations of options. */
export const deschedulerForms: readonly ObjectForm[] = [
  {
    apiVersion: deschedulerRef.apiVersion,
    spec: fields({
      managementState: required(oneOf("Managed")),
      deschedulingIntervalSeconds: required(integer(60, 86_400)),
      mode: required(oneOf("Automatic", "Predictive")),
      profiles: required(listOf([oneOf(...harmless, ...deschedulerProfiles)], 1, harmless.length + 1)),
      profileCustomizations: kept(
        fields({
          devEnableEvictionsInBackground: optional(oneOf(true)),
          [softTainter]: optional(oneOf(true)),
          devDeviationThresholds: optional(oneOf(...deviationThresholds)),
          [utilizationProfile]: optional(oneOf("PrometheusCPUCombined")),
        }),
      ),
      evictionLimits: evictionLimitsForm,
    }),
  },
];

export function descheduler(settings: LoadAwareSettings, chosen: Chosen, facts: LoadAwareFacts): PlannedItem {
  const { apiVersion, kind, name, namespace } = deschedulerRef;
  const kept = keptProfiles(chosen, facts);
  const spec = {
    managementState: "Managed",
    deschedulingIntervalSeconds: settings.deschedulingIntervalSeconds,
    mode: settings.mode,
    profiles: [...kept, chosen.selected],
    ...whereAny("profileCustomizations", customizations(settings, chosen, facts)),
    ...whereAny("evictionLimits", evictionLimits(settings, chosen, facts)),
  };
  return {
    name: "enable-load-aware-descheduling",
    message: `${kind} '${name}' will be configured with profile '${chosen.selected}'`,
    operation: "Apply",
    target: deschedulerRef,
    desired: { apiVersion, kind, metadata: { name, namespace }, spec },
    managedFields: Object.keys(spec).map((field) => `spec.${field}`),
    problemOf: (live) => operatorProblem(live, isWaitingForPsi(chosen, facts)),
    warnings: [
      ...psiWarning(chosen, facts),
      ...thresholdsWarning(chosen, facts),
      ...removedWarning(spec.profiles, facts),
      ...keptWarning(kept, chosen.selected),
      ...nodeLimitWarning(settings, chosen),
      ...boundWarnings(settings, chosen, facts),
      ...(settings.mode === "Predictive" ? ["mode Predictive only simulates evictions"] : []),
    ],
    impact: { create: "Medium", change: "Low" },
  };
}

function whereAny(field: string, members: JsonMap): JsonMap {
  return Object.keys(members).length > 0 ? { [field]: members } : {};
}

function customizations(
  { devDeviationThresholds }: LoadAwareSettings,
  { capability, selected, psi }: Chosen,
  facts: LoadAwareFacts,
): JsonMap {
  const all = {
    devEnableEvictionsInBackground: true,
    [softTainter]: true,
    ...(rivalThresholdsOf(facts) === undefined && { devDeviationThresholds }),
    ...(psi === "enable" && capability.usesPsi === "byField" && { [utilizationProfile]: "PrometheusCPUCombined" }),
  };
  const isTaken = (field: string) => isKubeVirt(selected) && capability.customizations.has(field);
  return Object.fromEntries(Object.entries(all).filter(([field]) => isTaken(field)));
}

function evictionLimits(settings: LoadAwareSettings, { capability }: Chosen, { hco }: LoadAwareFacts): JsonMap {
  return Object.fromEntries(
    limitsOf(capability).map((limit) => [limit.field, limitValue(limit, settings, hco.object)]),
  );
}

function isWaitingForPsi({ psi }: Chosen, facts: LoadAwareFacts): boolean {
  return psi === "enable" && isPsiPending(facts);
}

function psiWarning(chosen: Chosen, facts: LoadAwareFacts): readonly string[] {
  const { capability, selected, psi } = chosen;
  const unused = `profile ${selected} of the installed descheduler balances by requests and does not use PSI metrics`;
  if (psi === "disable")
    return capability.usesPsi === "always" && isPsiPending(facts)
      ? [`The descheduler operator runs profile ${selected} only if PSI metrics are enabled on the nodes`]
      : [];
  if (capability.usesPsi !== "never")
    return isWaitingForPsi(chosen, facts) ? ["Rebalancing starts when PSI metrics are enabled on the nodes"] : [];
  return psi === "leave"
    ? [`PSI metrics are not enabled: ${unused}. To enable them anyway, set enablePSIMetrics to true`]
    : [`Enabling PSI metrics reboots nodes, but ${unused}`];
}

function thresholdsWarning({ capability }: Chosen, facts: LoadAwareFacts): readonly string[] {
  const rival = rivalThresholdsOf(facts);
  if (rival === undefined || !capability.customizations.has("devDeviationThresholds")) return [];
  const next = "remove the field and review the new plan";
  return [rivalThresholdsWarning(rival, { target: deschedulerRef, writer: "this plan", next })];
}

function keptProfiles({ capability }: Chosen, facts: LoadAwareFacts): readonly string[] {
  return liveProfiles(facts).filter((profile) => harmless.includes(profile) && capability.isCompatible(profile));
}

// Returns the live profiles without duplicates, because newer CRDs reject these.
function liveProfiles({ descheduler }: LoadAwareFacts): readonly string[] {
  const listed = asList(at(descheduler, "spec", "profiles"));
  return [...new Set(listed.flatMap((profile) => asText(profile) ?? []))];
}

function removedWarning(profiles: readonly string[], facts: LoadAwareFacts): readonly string[] {
  const removed = liveProfiles(facts).filter((profile) => !profiles.includes(profile));
  return removed.length > 0 ? [`Descheduler profiles removed: ${removed.join(", ")}`] : [];
}

// Warns about preserved profiles, because the node selector that a KubeVirt profile sets applies to them, too.
function keptWarning(kept: readonly string[], selected: DeschedulerProfile): readonly string[] {
  if (kept.length === 0 || !isKubeVirt(selected)) return [];
  return [`Preserved profiles ${kept.join(", ")} run with the node selector of ${selected}`];
}

function boundWarnings(
  settings: LoadAwareSettings,
  { capability }: Chosen,
  { hco }: LoadAwareFacts,
): readonly string[] {
  const derived = limitsOf(capability).filter(({ option }) => settings[option] === undefined);
  return derived.flatMap((limit) => limitWarning(limit, hco.object));
}

function nodeLimitWarning({ evictionLimitNode }: LoadAwareSettings, { capability }: Chosen): readonly string[] {
  if (evictionLimitNode === undefined || capability.limits.has("node")) return [];
  return ["evictionLimitNode is ignored: the KubeDescheduler CRD has no evictionLimits.node"];
}

/** A limit for parallel evictions: its field, its option, and the HyperConverged field that provides the default. */
export type Limit = (typeof limits)[number];

const limits = [
  { field: "total", option: "evictionLimitTotal", source: "parallelMigrationsPerCluster", otherwise: 5 },
  { field: "node", option: "evictionLimitNode", source: "parallelOutboundMigrationsPerNode", otherwise: 2 },
] as const;

export function limitsOf({ selected, limits: offered }: Capability): readonly Limit[] {
  const isTaken = selected !== undefined && isKubeVirt(selected);
  return limits.filter(({ field }) => isTaken && offered.has(field));
}

export function limitValue(limit: Limit, settings: LoadAwareSettings, hco: KubeObject | undefined): number {
  return settings[limit.option] ?? derivedLimit(limit, hco);
}

/** Returns the default limit, scaled from the HyperConverged and capped at the option's maximum. */
export function derivedLimit(limit: Limit, hco: KubeObject | undefined): number {
  return boundedLimit(limit.field, scale(migrationsOf(limit, hco)));
}

export function limitWarning(limit: Limit, hco: KubeObject | undefined): readonly string[] {
  const { field, source } = limit;
  const value = migrationsOf(limit, hco);
  return boundWarning(field, { wanted: scale(value), source, value });
}

function migrationsOf({ source, otherwise }: Limit, hco: KubeObject | undefined): number {
  const migrations = asNumber(hcoValue(hco, "liveMigrationConfig", source)) ?? 0;
  return migrations > 0 ? migrations : otherwise;
}

// Scales the limit down, to leave room for migrations that users start.
function scale(migrations: number): number {
  return migrations < 10 ? migrations : 10 + Math.floor(((migrations - 10) * 4) / 5);
}
