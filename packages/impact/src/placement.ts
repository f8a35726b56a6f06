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
  return nodeMatcher(placement)(node);
}

/** Returns `qualifies` of one placement for any number of nodes: it reads what others wrote once, and not for each node. */
export function nodeMatcher(placement: VmPlacement): (node: NodeFact) => boolean {
  const selector = Object.entries(placement.nodeSelector).filter(([key]) => !isDroppedLabel(key));
  const tolerations = placement.tolerations.map(readToleration);
  const terms = placement.affinityTerms?.flatMap((term) => readTerm(term) ?? []);
  return (node) =>
    node.labels["kubevirt.io/schedulable"] === "true" &&
    node.isReady &&
    !node.isCordoned &&
    node.taints.every((taint) => isTolerated(taint, tolerations)) &&
    selector.every(([key, value]) => labelOf(node, key) === value) &&
    (terms === undefined || terms.some((term) => term.requirements.every((one) => isMet(one, node))));
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

type Toleration = Taint & { readonly operator: string };

function readToleration(toleration: Json): Toleration {
  const text = (name: string) => asText(member(toleration, name)) ?? "";
  return { key: text("key"), value: text("value"), effect: text("effect"), operator: text("operator") || "Equal" };
}

function isTolerated(taint: Taint, tolerations: readonly Toleration[]): boolean {
  if (taint.effect !== "NoSchedule" && taint.effect !== "NoExecute") return true;
  return tolerations.some(({ key, value, effect, operator }) => {
    const isValue = operator === "Exists" || (operator === "Equal" && value === taint.value);
    const isKey = key === taint.key || (key === "" && operator === "Exists");
    return isKey && isValue && (effect === "" || effect === taint.effect);
  });
}

type Requirement = {
  /** Undefined: it is about the name of the node. */
  readonly label: string | undefined;
  readonly operator: string;
  readonly values: readonly Json[];
};
type Term = { readonly requirements: readonly Requirement[] };

/** Undefined: it matches nothing. So does a term without expressions, as the scheduler has it. */
function readTerm(term: Json): Term | undefined {
  const expressions = asList(member(term, "matchExpressions"));
  const fields = asList(member(term, "matchFields"));
  if (expressions.length + fields.length === 0) return undefined;
  const keyOf = (requirement: Json) => asText(member(requirement, "key"));
  if (fields.some((field) => keyOf(field) !== "metadata.name")) return undefined;
  if (expressions.some((expression) => keyOf(expression) === undefined)) return undefined;
  const kept = expressions.filter((expression) => !isDroppedLabel(keyOf(expression) ?? ""));
  return {
    requirements: [
      ...fields.map((field) => readRequirement(field, undefined)),
      ...kept.map((expression) => readRequirement(expression, keyOf(expression))),
    ],
  };
}

function readRequirement(requirement: Json, label: string | undefined): Requirement {
  return {
    label,
    operator: asText(member(requirement, "operator")) ?? "",
    values: asList(member(requirement, "values")),
  };
}

function isMet({ label, operator, values }: Requirement, node: NodeFact): boolean {
  const value = label === undefined ? node.name : labelOf(node, label);
  switch (operator) {
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
