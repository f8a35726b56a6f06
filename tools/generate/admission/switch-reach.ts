// Which kinds the operator writes because of which annotation on the HyperConverged, from what assets declare.

import type { Asset, Condition } from "@virt/platform";
import { resourceOf } from "../rbac/asset-rights.ts";

/** A kind of target in its namespace, and the switches of the assets that write it, without their prefix. */
export type Reach = {
  readonly kind: string;
  readonly group: string;
  readonly resource: string;
  /** `*`: that of the HyperConverged; absent: none. */
  readonly namespace?: string;
  readonly keys: readonly string[];
};

export function switchReach(assets: readonly Asset[]): readonly Reach[] {
  const kinds = Map.groupBy(assets, ({ target }) => `${target.kind} ${target.namespace ?? ""}`);
  return [...kinds.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const { group, resource, namespace } = resourceOf(first.target);
    const keys = [first, ...others].flatMap(keysOf);
    const place = namespace === undefined ? {} : { namespace };
    return [{ kind: first.target.kind, group, resource, ...place, keys: [...new Set(keys)].toSorted() }];
  });
}

function keysOf({ switch: declared, conditions = [] }: Asset): readonly string[] {
  const read = conditions.flatMap(conditionKeys);
  if (declared === undefined) return read;
  if ("gate" in declared) return [...read, "feature-gates"];
  return [...read, "present" in declared ? declared.present : declared.annotation];
}

function conditionKeys(condition: Condition): readonly string[] {
  if (condition.type === "anyOf") return condition.of.flatMap(conditionKeys);
  return condition.type === "annotation" ? [condition.key] : [];
}
