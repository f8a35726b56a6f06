import type { KubeObject, Ref } from "@virt/api";
import { governedFields } from "@virt/cluster";
import { dottedPath, type Path, type ShapeOf } from "@virt/objects";
import type { Asset } from "../asset.ts";
import { mergeParts } from "../merge-parts.ts";
import { type AssetStatus, excludedStatus, type SettledStatus } from "./asset-status.ts";
import type { ClusterFacts } from "./cluster-facts.ts";
import { evaluateAsset } from "./evaluate-asset.ts";

/** An object and the assets that share it. */
export type ManagedObject = { readonly ref: Ref; readonly assets: readonly Asset[] };

/** The status of each of an object's assets, and the resulting merged object. */
export type EvaluatedObject = {
  readonly statuses: ReadonlyMap<string, AssetStatus>;
  readonly wanted:
    | {
        readonly kind: "object";
        readonly baseline: KubeObject;
        readonly parts: readonly { readonly asset: string; readonly object: KubeObject }[];
        /** Fields that a plan governs. */
        readonly governed: readonly Path[];
      }
    | { readonly kind: "held"; readonly reason: string; readonly message: string }
    | { readonly kind: "excluded" };
};

/** The inputs for all objects of one evaluation. */
export type EvaluationInput = {
  readonly facts: ClusterFacts;
  readonly shapeOf: ShapeOf;
  /** The last status of each asset with all inputs available. */
  readonly lastKnown: ReadonlyMap<string, SettledStatus>;
};

/** Returns the statuses and the merged object. While an input is missing, the last known status of an asset applies. */
export function evaluateObject(
  { ref, assets }: ManagedObject,
  { facts, shapeOf, lastKnown }: EvaluationInput,
): EvaluatedObject {
  const statuses = new Map<string, AssetStatus>(assets.map((asset) => [asset.name, evaluateAsset(asset, facts)]));
  const inForce = [...statuses].flatMap(([asset, status]) => {
    if (status.kind !== "held") return [{ asset, status }];
    return status.isExcluded ? [] : [{ asset, status: lastOf(asset, ref, lastKnown) ?? status }];
  });
  const waiting = inForce.find(({ status }) => status.kind === "held")?.status;
  if (waiting?.kind === "held")
    return { statuses, wanted: { kind: "held", reason: waiting.reason, message: waiting.details } };
  const parts = inForce.flatMap(({ asset, status }) =>
    status.kind === "active" ? [{ asset, object: status.object }] : [],
  );
  const { object, conflicts } = mergeParts(parts, shapeOf);
  for (const { asset, path } of conflicts)
    statuses.set(asset, excludedStatus("RenderError", `sets a different value at ${path} than an earlier asset`));
  if (object === undefined) return { statuses, wanted: { kind: "excluded" } };
  const merged = parts.filter(({ asset }) => conflicts.every((conflict) => conflict.asset !== asset));
  const governed = governedFields(facts.plans, ref).map(dottedPath);
  return { statuses, wanted: { kind: "object", baseline: object, parts: merged, governed } };
}

/** Returns the last status, unless it belongs to another API version. */
function lastOf(
  asset: string,
  { apiVersion }: Ref,
  lastKnown: EvaluationInput["lastKnown"],
): SettledStatus | undefined {
  const last = lastKnown.get(asset);
  return last?.kind === "active" && last.object.apiVersion !== apiVersion ? undefined : last;
}
