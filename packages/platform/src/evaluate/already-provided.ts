// Whether somebody else's object serves the purpose already. Ours yields only while it does not exist.

import type { Ref } from "@virt/api";
import { foreignPoolConfig } from "../pool-rule.ts";
import type { PoolFact } from "../reads.ts";
import type { Asked } from "./asked.ts";
import { placed } from "./place.ts";

export function alreadyProvided(asked: Asked): string | undefined {
  return asked.world.live(asked.target) === undefined ? foreignProvider(asked) : undefined;
}

/** Why nobody can say yet whether ours is there or somebody else's; undefined: it is known, or does not matter. */
export function unlistedProvider({ asset, world, target, places }: Asked): string | undefined {
  const { alternates = [], singleton = false, poolRule } = asset;
  if (alternates.length === 0 && !singleton && poolRule === undefined) return undefined;
  const own = world.unlisted(target);
  if (own !== undefined) return `${target.kind}: ${own}`;
  if (world.live(target) !== undefined) return undefined;
  const { apiVersion, kind } = target;
  const isOfKind = singleton || poolRule !== undefined;
  const sought = [...alternates.map((ref) => placed(ref, places)), ...(isOfKind ? [{ apiVersion, kind }] : [])];
  return sought.flatMap((one) => {
    const why = world.unlisted(one);
    return why === undefined ? [] : `${one.kind}: ${why}`;
  })[0];
}

/** The foreign object, as `Kind/namespace/name`. */
export function foreignProvider(asked: Asked): string | undefined {
  const { asset, world, target, places } = asked;
  const alternate = (asset.alternates ?? [])
    .map((ref) => placed(ref, places))
    .find((ref) => world.live(ref) !== undefined);
  if (alternate !== undefined) return nameOf(alternate);
  if (asset.singleton === true) {
    const other = world
      .others(target.apiVersion, target.kind)
      .find(({ metadata }) => metadata.name !== target.name || metadata.namespace !== target.namespace);
    if (other !== undefined)
      return nameOf({ ...target, name: other.metadata.name, namespace: other.metadata.namespace ?? "" });
  }
  return asset.poolRule === undefined ? undefined : poolProvider(asked, asset.poolRule);
}

function poolProvider({ world, target }: Asked, pool: string): string | undefined {
  const fact = world.fact({ read: "pool", name: pool });
  const other = foreignPoolConfig({
    pool,
    fact: fact.kind === "known" ? (fact.value as PoolFact | undefined) : undefined,
    configs: world.others(target.apiVersion, target.kind),
    own: target.name,
  });
  return other === undefined ? undefined : nameOf({ ...target, name: other });
}

export function nameOf({ kind, namespace = "", name }: Omit<Ref, "apiVersion">): string {
  return `${kind}/${namespace}/${name}`;
}
