// What an object should be here: the renders of its active assets, merged.

import type { KubeObject, Ref } from "@virt/api";
import { dottedPath, governedFields, type Path, type ShapeOf } from "@virt/engine";
import type { Asset } from "../asset.ts";
import { mergeParts } from "../merge-parts.ts";
import { evaluateAsset } from "./evaluate-asset.ts";
import { excluded, type Settled, type Standing } from "./standing.ts";
import type { World } from "./world.ts";

/** Several assets may share one object as its parts. */
export type ManagedObject = { readonly ref: Ref; readonly assets: readonly Asset[] };

export type Evaluated = {
  readonly standings: ReadonlyMap<string, Standing>;
  readonly wanted:
    | {
        readonly kind: "object";
        readonly baseline: KubeObject;
        readonly parts: readonly { readonly asset: string; readonly object: KubeObject }[];
        /** Left to a plan. */
        readonly governed: readonly Path[];
      }
    | { readonly kind: "held"; readonly reason: string; readonly message: string }
    | { readonly kind: "excluded" };
};

export type Evaluating = {
  readonly world: World;
  readonly shapeOf: ShapeOf;
  /** How assets stood when their inputs could last be read. */
  readonly lastKnown: ReadonlyMap<string, Settled>;
};

export function evaluateObject({ ref, assets }: ManagedObject, { world, shapeOf, lastKnown }: Evaluating): Evaluated {
  const standings = new Map<string, Standing>(assets.map((asset) => [asset.name, evaluateAsset(asset, world)]));
  const inForce = [...standings].flatMap(([asset, standing]) => {
    if (standing.kind !== "held") return [{ asset, standing }];
    return standing.isExcluded ? [] : [{ asset, standing: lastOf(asset, ref, lastKnown) ?? standing }];
  });
  const waiting = inForce.find(({ standing }) => standing.kind === "held")?.standing;
  if (waiting?.kind === "held")
    return { standings, wanted: { kind: "held", reason: waiting.reason, message: waiting.details } };
  const parts = inForce.flatMap(({ asset, standing }) =>
    standing.kind === "active" ? [{ asset, object: standing.object }] : [],
  );
  const { object, conflicts } = mergeParts(parts, shapeOf);
  for (const { asset, path } of conflicts)
    standings.set(asset, excluded("RenderError", `wants another value at ${path} than the assets before it`));
  if (object === undefined) return { standings, wanted: { kind: "excluded" } };
  const merged = parts.filter(({ asset }) => conflicts.every((conflict) => conflict.asset !== asset));
  const governed = governedFields(world.plans, ref).map(dottedPath);
  return { standings, wanted: { kind: "object", baseline: object, parts: merged, governed } };
}

/** What was wanted of the object in another version of it is no wish in this one. */
function lastOf(asset: string, { apiVersion }: Ref, lastKnown: Evaluating["lastKnown"]): Settled | undefined {
  const last = lastKnown.get(asset);
  return last?.kind === "active" && last.object.apiVersion !== apiVersion ? undefined : last;
}
