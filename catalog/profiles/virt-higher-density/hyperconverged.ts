// Plans the HyperConverged's memory overcommit and memory page merging (KSM).

import type { DryRunResult, PlannedItem } from "@virt/advisor";
import { contentForms, type JsonMap, type KubeObject, type ObjectForm } from "@virt/api";
import { asNumber, fieldPath, isMap, matchesSelector, ownersOf, readOwners } from "@virt/objects";
import { hcoForms, hcoValue, hyperConverged, valuesPath } from "../hyperconverged.ts";
import { labelForms } from "../labels.ts";
import { type DensityFacts, type DensitySettings, densityItem, highestWithoutSwap } from "./facts.ts";
import { lastSwapItem } from "./swap.ts";
import { shortfallWarning } from "./swap-on-nodes.ts";

const { kind, name } = hyperConverged;

const { fields, integer, kept, listOf, mapOf, oneOf, optional, required } = contentForms;
const { key: labelKey, value: labelValue } = labelForms;
const expression = fields({
  key: required(labelKey),
  operator: required(oneOf("In", "NotIn", "Exists", "DoesNotExist")),
  values: optional(listOf([labelValue], 0, 64)),
});
const nodeLabelSelector = fields({
  matchLabels: optional(mapOf(labelKey, labelValue, 16)),
  matchExpressions: optional(listOf([expression], 0, 16)),
});
const values = fields({
  higherWorkloadDensity: kept(fields({ memoryOvercommitPercentage: kept(integer(100, 300)) })),
  ksmConfiguration: optional(fields({ nodeLabelSelector: optional(nodeLabelSelector) })),
});

/** The allowed content of the planned object, for all combinations of options. */
export const densityForms: readonly ObjectForm[] = hcoForms({
  v1beta1: values,
  v1: fields({ virtualization: kept(values) }),
});

export function configureDensity(settings: DensitySettings, facts: DensityFacts): PlannedItem {
  const { apiVersion, namespace } = facts.hco;
  const { ratio, ksm } = settings;
  const fields = [
    "higherWorkloadDensity.memoryOvercommitPercentage",
    ...(ksm === undefined ? [] : ["ksmConfiguration"]),
  ];
  // A high ratio waits for swap, because nodes must have swap before VMs rely on it.
  const swap = settings.hasSwap && ratio.percent > highestWithoutSwap ? lastSwapItem(facts) : undefined;
  return {
    name: densityItem,
    message: `${kind} '${name}' will be configured with memoryOvercommitPercentage=${ratio.percent}${ksm === undefined ? "" : " and KSM enabled"}`,
    operation: "Apply",
    target: { apiVersion, kind, name, namespace },
    desired: desiredOf(settings, facts),
    managedFields: fields.map((field) => [...valuesPath(apiVersion), field].join(".")),
    warnings: [
      ...ksmWarnings(settings, facts),
      ...shortfallWarning(ratio.percent, facts.vmNodes.nodes ?? [], facts.pools),
    ],
    impact: { create: "Medium", change: "Medium" },
    ...(swap !== undefined && { waitsFor: swap }),
  };
}

function desiredOf({ ratio, ksm }: DensitySettings, { hco: { apiVersion, namespace } }: DensityFacts): KubeObject {
  const values: JsonMap = {
    higherWorkloadDensity: { memoryOvercommitPercentage: ratio.percent },
    ...(ksm === undefined ? {} : { ksmConfiguration: { nodeLabelSelector: ksm.selector } }),
  };
  const below = valuesPath(apiVersion).reduceRight<JsonMap>((inner, key) => ({ [key]: inner }), values);
  return { apiVersion, kind, metadata: { name, namespace }, ...below };
}

function ksmWarnings({ ksm }: DensitySettings, { nodes }: DensityFacts): readonly string[] {
  if (ksm === undefined) return [];
  const isAimless = nodes !== undefined && !nodes.some((labels) => matchesSelector(ksm.selector, labels));
  return isAimless && ksm.isPinned ? ["nodeLabelSelector matches no node"] : [];
}

/** Warns after the dry run if KSM stays enabled, because the API server keeps a released field that another client also owns. */
export function ksmDryRunWarnings(item: PlannedItem, { live, predicted }: DryRunResult): readonly string[] {
  const isKsmLeft = item.operation === "Apply" && hcoValue(item.desired, "ksmConfiguration") === undefined;
  if (item.name !== densityItem || !isKsmLeft || liveSelector(live) === undefined) return [];
  if (liveSelector(predicted) === undefined) return ["KSM will be disabled"];
  return [
    `KSM stays enabled: ksmConfiguration is owned by ${selectorOwners(predicted).join(", ") || "an unknown manager"}`,
  ];
}

// Looks up the path of each API version, because managedFields uses the version of each write.
function selectorOwners(hco: KubeObject): readonly string[] {
  const owners = readOwners(hco);
  const paths = ["hco.kubevirt.io/v1beta1", "hco.kubevirt.io/v1"].map((version) =>
    fieldPath(...valuesPath(version), "ksmConfiguration", "nodeLabelSelector"),
  );
  return [...new Set(paths.flatMap((path) => ownersOf(owners, path).map(({ manager }) => manager)))];
}

/** Returns the live selector, or undefined if KSM is off. */
export function liveSelector(hco: KubeObject | undefined): JsonMap | undefined {
  const selector = hcoValue(hco, "ksmConfiguration", "nodeLabelSelector");
  return isMap(selector) ? selector : undefined;
}

export function liveRatio(hco: KubeObject): number {
  return asNumber(hcoValue(hco, "higherWorkloadDensity", "memoryOvercommitPercentage")) ?? withoutOvercommit;
}

// The API server's default, in percent.
const withoutOvercommit = 100;
