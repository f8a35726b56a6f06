// Finds other clients' objects that already serve an asset's purpose. An asset yields only if its own object is absent.

import type { KubeObject } from "@virt/api";
import { foreignPoolConfig, type PoolFact } from "@virt/cluster";
import { objectAnnotations } from "../hco-annotations.ts";
import type { AssetRequest, UnreadInput } from "./asset-status.ts";
import { objectName, placed } from "./managed-objects.ts";

export function alreadyProvided(asked: AssetRequest): string | undefined {
  return asked.facts.live(asked.target) === undefined ? foreignProvider(asked) : undefined;
}

/**
 * Returns an input that could not be read but would show the asset's own object or another provider. Returns undefined
 * if there is none.
 */
export function unlistedProvider({ asset, facts, target, places }: AssetRequest): UnreadInput | undefined {
  const { alternates = [], singleton = false, poolRule } = asset;
  if (alternates.length === 0 && !singleton && poolRule === undefined) return undefined;
  const own = facts.unlisted(target);
  if (own !== undefined) return { name: target.kind, why: own };
  if (facts.live(target) !== undefined) return undefined;
  const { apiVersion, kind } = target;
  const isOfKind = singleton || poolRule !== undefined;
  const sought = [...alternates.map((ref) => placed(ref, places)), ...(isOfKind ? [{ apiVersion, kind }] : [])];
  return sought.flatMap((one) => {
    const why = facts.unlisted(one);
    return why === undefined ? [] : { name: one.kind, why };
  })[0];
}

export function foreignProvider(asked: AssetRequest): string | undefined {
  const { asset, facts, target, places } = asked;
  const alternate = (asset.alternates ?? [])
    .map((ref) => placed(ref, places))
    .find((ref) => isProvider(facts.live(ref)));
  if (alternate !== undefined) return objectName(alternate);
  if (asset.singleton === true) {
    const other = facts
      .others(target.apiVersion, target.kind)
      .filter(isProvider)
      .find(({ metadata }) => metadata.name !== target.name || metadata.namespace !== target.namespace);
    if (other !== undefined)
      return objectName({ ...target, name: other.metadata.name, namespace: other.metadata.namespace ?? "" });
  }
  return asset.poolRule === undefined ? undefined : poolProvider(asked, asset.poolRule);
}

/** Reports whether the object exists and the user does not want our object to replace it. */
function isProvider(object: KubeObject | undefined): object is KubeObject {
  return object !== undefined && object.metadata.annotations?.[objectAnnotations.adopt]?.trim() !== "replace";
}

function poolProvider({ facts, target }: AssetRequest, pool: string): string | undefined {
  const fact = facts.fact({ read: "pool", name: pool });
  const other = foreignPoolConfig({
    pool,
    fact: fact.kind === "known" ? (fact.value as PoolFact | undefined) : undefined,
    configs: facts.others(target.apiVersion, target.kind).filter(isProvider),
    own: target.name,
  });
  return other === undefined ? undefined : objectName({ ...target, name: other });
}
