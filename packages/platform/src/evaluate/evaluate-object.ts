import { autopilotName, type KubeObject, type Ref } from "@virt/api";
import { governedFields } from "@virt/cluster";
import { dottedPath, leafPaths, type Path, type ShapeOf } from "@virt/objects";
import type { Asset } from "../asset.ts";
import { autopilotFields, isLeftToAutopilot } from "../autopilot/manager.ts";
import { mergeParts } from "../merge-parts.ts";
import { type AssetStatus, excludedStatus, type SettledStatus } from "./asset-status.ts";
import type { ClusterFacts } from "./cluster-facts.ts";
import { evaluateAsset } from "./evaluate-asset.ts";
import { objectName } from "./managed-objects.ts";

/** An object and the assets that share it. */
export type ManagedObject = { readonly ref: Ref; readonly assets: readonly Asset[] };

/** The status of each asset of an object, and the merged object that they result in. */
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
  const live = facts.live(ref);
  const isShared = isLeftToAutopilot(live, facts.autopilot);
  const statuses = new Map<string, AssetStatus>(
    assets.map((asset) => {
      const status = evaluateAsset(asset, facts);
      const isLeft = live !== undefined && isShared && isOwnedByAutopilot(status, live, shapeOf);
      return [asset.name, isLeft ? leftToAutopilot(ref) : status];
    }),
  );
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

/** Reports whether the autopilot owns all fields that an asset would apply to a shared object. */
function isOwnedByAutopilot(status: AssetStatus, live: KubeObject, shapeOf: ShapeOf): boolean {
  if (status.kind !== "active") return false;
  const wanted = leafPaths(status.object, shapeOf);
  return wanted.length > 0 && autopilotFields(status.object, live, shapeOf).length === wanted.length;
}

function leftToAutopilot(ref: Ref): AssetStatus {
  return excludedStatus(
    "ManagedByAutopilot",
    `${autopilotName} owns all fields of ${objectName(ref)} that it would set`,
  );
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
