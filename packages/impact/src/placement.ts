// Matches VMs with nodes by labels, affinity and taints. Ignores other scheduling constraints.

import type { Json } from "@virt/api";
import { isDroppedLabel, type NodeFact, type Taint, type VmPlacement } from "@virt/cluster";
import { asList, asText, member } from "@virt/objects";

/** Reports whether KubeVirt may start the VM on this node. Selectors on dropped labels count as matched. */
export function qualifies(node: NodeFact, placement: VmPlacement): boolean {
  return nodeMatcher(placement)(node);
}

/** Like `qualifies`, but parses the placement only once, for use with many nodes. */
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

/** Reports whether the placement refers to labels that informers drop. */
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
  /** The label to match. Undefined if the requirement is about the node's name. */
  readonly label: string | undefined;
  readonly operator: string;
  readonly values: readonly Json[];
};
type Term = { readonly requirements: readonly Requirement[] };

/** Parses a term. Returns undefined if it matches nothing, such as an empty term. */
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
