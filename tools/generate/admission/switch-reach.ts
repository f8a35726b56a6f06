// Maps each kind that the operator writes to the HyperConverged switches that cause the writes.

import { type Asset, type AssetCondition, annotationPrefix } from "@virt/platform";
import { resourceOf } from "../rbac/asset-rights.ts";

/** A target kind in one namespace, with the switches of its assets. */
export type Reach = {
  readonly kind: string;
  readonly group: string;
  readonly resource: string;
  /** `*` is the HyperConverged's namespace. Absent for cluster-scoped kinds. */
  readonly namespace?: string;
  readonly annotations: readonly string[];
  readonly gates: readonly string[];
  /** True if the annotation `reboot-gate` blocks writes of the kind. */
  readonly isHeldAtGate: boolean;
};

export function switchReach(assets: readonly Asset[]): readonly Reach[] {
  const kinds = Map.groupBy(assets, ({ target }) => {
    const { group, resource, namespace = "" } = resourceOf(target);
    return [group, resource, namespace].join();
  });
  return [...kinds.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const { group, resource, namespace } = resourceOf(first.target);
    const writers = [first, ...others];
    const switches = writers.flatMap(switchesOf);
    const place = namespace === undefined ? {} : { namespace };
    const named = (type: Switched["type"]) =>
      [...new Set(switches.flatMap((one) => (one.type === type ? one.name : [])))].toSorted();
    return [
      {
        kind: first.target.kind,
        group,
        resource,
        ...place,
        annotations: named("annotation"),
        gates: named("gate"),
        isHeldAtGate: writers.some(({ impact }) => impact === "reboot"),
      },
    ];
  });
}

type Switched = { readonly type: "annotation" | "gate"; readonly name: string };

const annotation = (key: string): Switched => ({ type: "annotation", name: `${annotationPrefix}${key}` });
/** Users can also set a feature gate by an annotation. */
const gate = (name: string): readonly Switched[] => [{ type: "gate", name }, annotation("feature-gates")];

function switchesOf({ switch: declared, conditions = [] }: Asset): readonly Switched[] {
  const read = conditions.flatMap(conditionSwitches);
  if (declared === undefined) return read;
  if ("gate" in declared) return [...read, ...gate(declared.gate)];
  return [...read, annotation("present" in declared ? declared.present : declared.annotation)];
}

function conditionSwitches(condition: AssetCondition): readonly Switched[] {
  if (condition.type === "anyOf") return condition.of.flatMap(conditionSwitches);
  if (condition.type === "feature-gate") return gate(condition.value);
  return condition.type === "annotation" ? [annotation(condition.key)] : [];
}
