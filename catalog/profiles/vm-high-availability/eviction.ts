// Plans the eviction strategy of the HyperConverged, and its removal.

import type { PlannedItem } from "@virt/advisor";
import { contentForms, type JsonMap, type KubeObject, type ObjectForm } from "@virt/api";
import { hcoForms, hyperConverged, valuesPath } from "../hyperconverged.ts";
import type { AvailabilityFacts } from "./facts.ts";

const { kind, name } = hyperConverged;
const field = "evictionStrategy";

const { fields, kept, oneOf, optional } = contentForms;
const values = fields({ [field]: optional(oneOf("LiveMigrate", "LiveMigrateIfPossible")) });

/** The allowed content of a plan, for all options. */
export const evictionForms: readonly ObjectForm[] = hcoForms({
  v1beta1: values,
  v1: fields({ virtualization: kept(values) }),
});

export function setEvictionStrategy(strategy: string, facts: AvailabilityFacts): PlannedItem {
  return {
    name: "set-eviction-strategy",
    message: `${kind} '${name}' will be configured with ${field}=${strategy}`,
    operation: "Apply",
    target: targetIn(facts),
    desired: desiredIn(facts, { [field]: strategy }),
    managedFields: [[...valuesPath(facts.hco.apiVersion), field].join(".")],
    warnings: [`New VMs use ${strategy}; running VMs keep theirs until they restart`],
    impact: { create: "Low", change: "Low" },
  };
}

/** Gives up the field of an earlier plan. The HyperConverged operator then sets its default. */
export function releaseEvictionStrategy(facts: AvailabilityFacts): PlannedItem {
  return {
    name: "release-eviction-strategy",
    message: `${kind} '${name}' will return to its default ${field}`,
    messageInPlace: `${kind} '${name}' has no ${field} of the advisor`,
    operation: "Apply",
    target: targetIn(facts),
    desired: desiredIn(facts, {}),
    managedFields: [],
    warnings: [],
    impact: { create: "Low", change: "Low" },
    isRelease: true,
  };
}

function targetIn({ hco: { apiVersion, namespace } }: AvailabilityFacts) {
  return { apiVersion, kind, name, namespace };
}

function desiredIn({ hco: { apiVersion, namespace } }: AvailabilityFacts, written: JsonMap): KubeObject {
  const base = { apiVersion, kind, metadata: { name, namespace } };
  if (Object.keys(written).length === 0) return base;
  const below = valuesPath(apiVersion).reduceRight<JsonMap>((inner, key) => ({ [key]: inner }), written);
  return { ...base, ...below };
}
