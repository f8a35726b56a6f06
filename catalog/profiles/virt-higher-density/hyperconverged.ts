// Has the HyperConverged promise VMs more memory than they request, and merge equal pages (KSM).

import type { PlannedItem } from "@virt/advisor";
import type { JsonMap, KubeObject } from "@virt/api";
import { hyperConverged, valuesPath } from "../hyperconverged.ts";
import { type DensityFacts, densityItem } from "./facts.ts";
import { ksmWarnings } from "./ksm-warnings.ts";
import { enableSwapItem } from "./swap.ts";
import { highestWithoutSwap, type Wanted } from "./wanted.ts";

const { kind, name } = hyperConverged;

export function configureDensity(wanted: Wanted, facts: DensityFacts): PlannedItem {
  const { apiVersion, namespace } = facts.hco;
  const { ratio, ksm } = wanted;
  const fields = [
    "higherWorkloadDensity.memoryOvercommitPercentage",
    ...(ksm === undefined ? [] : ["ksmConfiguration"]),
  ];
  // The nodes must have the swap before VMs count on it.
  const isWaiting = wanted.hasSwap && ratio.percent > highestWithoutSwap;
  return {
    name: densityItem,
    message: `${kind} '${name}' will be configured with memoryOvercommitPercentage=${ratio.percent}${ksm === undefined ? "" : " and KSM enabled"}`,
    operation: "Apply",
    target: { apiVersion, kind, name, namespace },
    desired: desiredOf(wanted, facts),
    managedFields: fields.map((field) => [...valuesPath(apiVersion), field].join(".")),
    warnings: [
      ...(facts.hco.object === undefined ? [`${kind} '${name}' does not exist and will be created`] : []),
      ...ksmWarnings(wanted, facts),
    ],
    impact: { create: "Medium", change: "Medium" },
    ...(isWaiting ? { waitsFor: enableSwapItem } : {}),
  };
}

function desiredOf({ ratio, ksm }: Wanted, { hco: { apiVersion, namespace } }: DensityFacts): KubeObject {
  const values: JsonMap = {
    higherWorkloadDensity: { memoryOvercommitPercentage: ratio.percent },
    ...(ksm === undefined ? {} : { ksmConfiguration: { nodeLabelSelector: ksm.selector } }),
  };
  const below = valuesPath(apiVersion).reduceRight<JsonMap>((inner, key) => ({ [key]: inner }), values);
  return { apiVersion, kind, metadata: { name, namespace }, ...below };
}
