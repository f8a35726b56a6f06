// Moves VMs away from overloaded nodes, with the descheduler and kernel pressure metrics (PSI).

import {
  type CrdRequirement,
  defineProfile,
  type OptionsRefusal,
  type PlanInput,
  type PlannedItem,
} from "@virt/advisor";
import { rivalThresholds, rivalThresholdsOf } from "../../descheduler-thresholds.ts";
import { hyperConvergedNeed } from "../hyperconverged.ts";
import { machineConfigNeed, machineConfigTarget, refuseWithoutNodes } from "../machine-config.ts";
import { capabilityOf, softTainter } from "./capability.ts";
import { derivedLimit, descheduler, deschedulerForms, type Limit, limitsOf } from "./descheduler.ts";
import { deschedulerRef, type LoadAwareFacts, loadAwareSettings, reads } from "./facts.ts";
import { readsMetrics, refuseWithoutMetrics } from "./operator-problem.ts";
import type { Options } from "./options.ts";
import { disablePsi, enablePsi, psiConfig, psiIntentOf } from "./psi.ts";

const group = "operator.openshift.io";
const { kind, name, namespace } = deschedulerRef;

export default defineProfile({
  name: "load-aware-rebalancing",
  optionsKey: "loadAware",
  derivedOptions: {
    enablePSIMetrics: {
      fields: ["spec.kernelArguments"],
      source: "the installed descheduler",
      present: true,
      absent: false,
    },
    evictionLimitTotal: {
      fields: ["spec.evictionLimits.total"],
      source: "HyperConverged parallelMigrationsPerCluster",
    },
    evictionLimitNode: {
      fields: ["spec.evictionLimits.node"],
      source: "HyperConverged parallelOutboundMigrationsPerNode",
    },
  },
  category: "scheduling",
  description: "Enables load-aware VM rebalancing and PSI metrics for intelligent scheduling",
  impactSummary: "Medium - May require node reboots if PSI metrics are enabled",
  documentation: "LOADAWARE_PROFILE",
  impact: "High",
  isAdvertised: true,
  purposes: ["psi", "vm-rebalancing"],
  targets: [
    machineConfigTarget(psiConfig),
    { group, kind, plural: "kubedeschedulers", names: [name], namespaces: [namespace], forms: deschedulerForms },
  ],
  reads,
  needs,
  refuse,
  inputs,
  plan,
});

function needs(given: Options | undefined): readonly CrdRequirement[] {
  const psi = machineConfigNeed(
    "MachineConfig CRD is required for PSI metrics configuration (typically available on OpenShift)",
  );
  return [
    deschedulerNeed("Please install the Descheduler Operator via OLM"),
    ...(given?.enablePSIMetrics === false ? [] : [psi]),
    hyperConvergedNeed("Please install OpenShift Virtualization via OLM"),
  ];
}

function deschedulerNeed(remedy: string): CrdRequirement {
  return { kind, group, versions: ["v1"], shown: `${group}.v1`, remedy };
}

function refuse(given: Options | undefined, facts: LoadAwareFacts): OptionsRefusal | undefined {
  const capability = capabilityOf(facts.deschedulerSchema);
  if (capability.selected === undefined) {
    const need = deschedulerNeed("The installed Descheduler Operator offers no supported profile");
    return { kind: "missing", need };
  }
  const isEnabling = psiIntentOf(loadAwareSettings(given), capability, facts) === "enable";
  const unplaced = isEnabling ? refuseWithoutNodes(psiConfig, facts.vmNodes.roles) : undefined;
  return (
    unplaced ?? (readsMetrics(capability, isEnabling, facts) ? refuseWithoutMetrics(capability, facts) : undefined)
  );
}

// Deletions come last in every plan.
function plan(given: Options | undefined, facts: LoadAwareFacts): readonly PlannedItem[] {
  const settings = loadAwareSettings(given);
  const capability = capabilityOf(facts.deschedulerSchema);
  const { selected } = capability;
  const psi = psiIntentOf(settings, capability, facts);
  const rebalancing = selected === undefined ? [] : [descheduler(settings, { capability, selected, psi }, facts)];
  if (psi === "leave") return rebalancing;
  return psi === "enable" ? [...enablePsi(facts), ...rebalancing] : [...rebalancing, ...disablePsi()];
}

function inputs(given: Options | undefined, facts: LoadAwareFacts): readonly PlanInput[] {
  const settings = loadAwareSettings(given);
  const derived = limitsOf(capabilityOf(facts.deschedulerSchema)).filter(
    ({ option }) => settings[option] === undefined,
  );
  return [capabilityInput(facts), ...derived.map((limit) => limitInput(limit, facts)), ...thresholdsInput(facts)];
}

// An input of the plan: if another client sets these thresholds, the plan omits devDeviationThresholds.
function thresholdsInput(facts: LoadAwareFacts): readonly PlanInput[] {
  if (!capabilityOf(facts.deschedulerSchema).customizations.has("devDeviationThresholds")) return [];
  return [
    {
      name: rivalThresholds,
      now: rivalThresholdsOf(facts)?.value ?? "absent",
      target: deschedulerRef,
      describe: (was, now) => `KubeDescheduler ${rivalThresholds} changed (${was} -> ${now})`,
      summarize: (was, now) => `KubeDescheduler ${rivalThresholds} changed ${was} → ${now}`,
    },
  ];
}

function capabilityInput({ deschedulerSchema }: LoadAwareFacts): PlanInput {
  return {
    name: "deschedulerCapability",
    now: deschedulerSchema === undefined ? undefined : describeCapability(deschedulerSchema),
    describe: (was, now) => `KubeDescheduler capability changed (${was} -> ${now})`,
    summarize: (was, now) => `KubeDescheduler capability changed ${was} → ${now}`,
  };
}

function describeCapability(schema: Parameters<typeof capabilityOf>[0]): string {
  const { selected, limits, customizations } = capabilityOf(schema);
  const hasNode = limits.has("node") ? ["node"] : [];
  const hasTainter = customizations.has(softTainter) ? ["softTainter"] : [];
  return [selected ?? "none", ...hasNode, ...hasTainter].join("+");
}

function limitInput(limit: Limit, { hco }: LoadAwareFacts): PlanInput {
  return {
    name: limit.source,
    now: String(derivedLimit(limit, hco.object)),
    describe: (was, now) => `HCO ${limit.source} changed (scaled ${was} -> ${now})`,
    summarize: (was, now) =>
      `HyperConverged ${limit.source} changed ${was} → ${now}${isScaled(was, now) ? " (scaled)" : ""}`,
  };
}

/** Reports whether a limit is scaled. Limits up to 10 are not. */
function isScaled(...limits: readonly string[]): boolean {
  return limits.some((limit) => Number(limit) > 10);
}
