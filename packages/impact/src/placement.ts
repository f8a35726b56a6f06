// Whether a node takes a VM: labels, affinity, taints. What else a scheduler asks for is not known here.

import type { Json, KubeObject } from "@virt/api";
import { asList, asText, at, exceedsBytes, isMap, member } from "@virt/engine";
import { isDroppedLabel, type NodeFact, type Taint, textsOf } from "./nodes.ts";

/** What a VM asks of its node. */
export type VmPlacement = {
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** The terms of the required node affinity, of which one must match; undefined: none required. */
  readonly affinityTerms: readonly Json[] | undefined;
  readonly tolerations: readonly Json[];
  /** Equal for VMs that ask the same. */
  readonly key: string;
  /** More terms than are evaluated: no node can be told to qualify. */
  readonly isTooLarge?: true;
};

/** A VM that asks more of its node is not assessed: anyone who may create VMs could stop the assessment of all others. */
export const mostPlacementBytes = 8_000;
/** Terms of the required node affinity, each of which is compared with each node. */
const mostTerms = 100;

const anyNode: VmPlacement = { nodeSelector: {}, affinityTerms: undefined, tolerations: [], key: "" };
/** Stands for a placement that is not evaluated. */
export const tooLargePlacement: VmPlacement = { ...anyNode, key: "too large", isTooLarge: true };

/** What a VirtualMachineInstance asks of its node. */
export function readPlacement(vmi: KubeObject): VmPlacement {
  const selector = at(vmi, "spec", "nodeSelector");
  const required = at(vmi, "spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution");
  const tolerated = at(vmi, "spec", "tolerations");
  if ([selector, required, tolerated].some((part) => exceedsBytes(part, mostPlacementBytes))) return tooLargePlacement;
  if (isMap(required) && asList(member(required, "nodeSelectorTerms")).length > mostTerms) return tooLargePlacement;
  const tolerations = asList(tolerated);
  const nodeSelector = textsOf(selector, () => true);
  const affinityTerms = isMap(required) ? asList(member(required, "nodeSelectorTerms")) : undefined;
  if (Object.keys(nodeSelector).length === 0 && affinityTerms === undefined && tolerations.length === 0) return anyNode;
  const key = JSON.stringify([nodeSelector, affinityTerms ?? null, tolerations]);
  return { nodeSelector, affinityTerms, tolerations, key };
}

/** Whether KubeVirt may start the VM there now. A selector on a label that is not kept counts as matched. */
export function qualifies(node: NodeFact, placement: VmPlacement): boolean {
  return (
    node.labels["kubevirt.io/schedulable"] === "true" &&
    node.isReady &&
    !node.isCordoned &&
    node.taints.every((taint) => isTolerated(taint, placement.tolerations)) &&
    Object.entries(placement.nodeSelector).every(
      ([key, value]) => isDroppedLabel(key) || labelOf(node, key) === value,
    ) &&
    (placement.affinityTerms === undefined || placement.affinityTerms.some((term) => matchesTerm(node, term)))
  );
}

/** Whether a label that is not kept had to be taken as matched. */
export function assumesLabels({ nodeSelector, affinityTerms = [] }: VmPlacement): boolean {
  const expressions = affinityTerms.flatMap((term) => asList(member(term, "matchExpressions")));
  const keys = [...Object.keys(nodeSelector), ...expressions.map((each) => asText(member(each, "key")) ?? "")];
  return keys.some(isDroppedLabel);
}

function labelOf({ labels }: NodeFact, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function isTolerated(taint: Taint, tolerations: readonly Json[]): boolean {
  if (taint.effect !== "NoSchedule" && taint.effect !== "NoExecute") return true;
  return tolerations.some((toleration) => {
    const text = (name: string) => asText(member(toleration, name)) ?? "";
    const [key, effect, operator] = [text("key"), text("effect"), text("operator") || "Equal"];
    const isValue = operator === "Exists" || (operator === "Equal" && text("value") === taint.value);
    const isKey = key === taint.key || (key === "" && operator === "Exists");
    return isKey && isValue && (effect === "" || effect === taint.effect);
  });
}

// A term without expressions matches nothing, as the scheduler has it.
function matchesTerm(node: NodeFact, term: Json): boolean {
  const expressions = asList(member(term, "matchExpressions"));
  const fields = asList(member(term, "matchFields"));
  if (expressions.length + fields.length === 0) return false;
  const isName = (field: Json) =>
    asText(member(field, "key")) === "metadata.name" && matchesRequirement(node.name, field);
  return fields.every(isName) && expressions.every((expression) => matchesLabel(node, expression));
}

function matchesLabel(node: NodeFact, expression: Json): boolean {
  const key = asText(member(expression, "key"));
  return key !== undefined && (isDroppedLabel(key) || matchesRequirement(labelOf(node, key), expression));
}

function matchesRequirement(value: string | undefined, requirement: Json): boolean {
  const values = asList(member(requirement, "values"));
  switch (asText(member(requirement, "operator")) ?? "") {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return compareWhole(value, values[0]) === 1;
    case "Lt":
      return compareWhole(value, values[0]) === -1;
    default:
      return false;
  }
}

function compareWhole(left: string | undefined, right: Json | undefined): number | undefined {
  const texts = [left, asText(right)];
  if (!texts.every((text) => text !== undefined && /^[-+]?[0-9]{1,15}$/.test(text))) return undefined;
  return Math.sign(Number(texts[0]) - Number(texts[1]));
}
