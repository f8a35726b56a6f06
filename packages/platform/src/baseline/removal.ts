// Decides which objects to delete: pruned assets and tombstones.

import { autopilotName, fieldManagers, type KubeObject, managedByLabel, type Ref } from "@virt/api";
import { governorOf } from "@virt/cluster";
import { appliedBy, fieldPath, isNoFields, readOwners } from "@virt/objects";
import type { Asset } from "../asset.ts";
import { isLeftToAutopilot } from "../autopilot/manager.ts";
import { excludedBy } from "../disabled-resources.ts";
import type { AssetRequest } from "../evaluate/asset-status.ts";
import type { ClusterFacts } from "../evaluate/cluster-facts.ts";
import { askedOf, checks } from "../evaluate/evaluate-asset.ts";
import type { ManagedObject } from "../evaluate/evaluate-object.ts";
import { booleanOf } from "../hco-annotations.ts";
import { readOverrides } from "./overrides.ts";
import { isOwnedByOthers, readState } from "./state.ts";

/** The decision about a pruned object or a tombstone. `delete` names the exact object to delete. */
export type RemovalDecision =
  | { readonly kind: "delete"; readonly uid: string; readonly resourceVersion: string }
  /** The operator gives up its fields but keeps the object, because another client may have created it. */
  | { readonly kind: "release" }
  | { readonly kind: "keep"; readonly why: string };

export type PruneInput = {
  readonly assets: readonly string[];
  readonly pruned: readonly string[];
  readonly autopilot?: ClusterFacts["autopilot"];
};

/** Decides about an object for which pruning is requested and no asset is active. */
export function decidePrune(live: KubeObject, pruning: PruneInput): RemovalDecision {
  const kept = keptBecause(live);
  if (kept !== undefined) return { kind: "keep", why: kept };
  if (pruning.autopilot !== undefined && isLeftToAutopilot(live, pruning.autopilot))
    return { kind: "keep", why: `${autopilotName} manages it` };
  if (!hasOwnFields(live)) return { kind: "keep", why: noOwnFields };
  const others = makersOf(live, pruning).filter((asset) => !pruning.pruned.includes(asset));
  if (others.length > 0) return { kind: "keep", why: `${others.join(", ")} also applied it and is still enabled` };
  const isOurs = isCreatedByUs(live) && live.kind !== "HyperConverged"; // the HyperConverged is never deleted
  return isOurs ? deletion(live) : { kind: "release" };
}

const noOwnFields = "the operator does not own any of its fields";

function hasOwnFields(live: KubeObject): boolean {
  return !isNoFields(appliedBy(readOwners(live), fieldManagers.platform));
}

/**
 * Reports whether the operator created the object. The record can be forged, so this also requires that no other client
 * owns content.
 */
function isCreatedByUs(live: KubeObject): boolean {
  const content = Object.keys(live).filter((key) => !outsideContent.has(key));
  return readState(live).created && content.every((key) => !isOwnedByOthers(live, fieldPath(key)));
}

const outsideContent: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "status"]);

/** Returns the assets whose fields were last applied, or all assets of the object if that is unknown. */
export function makersOf(live: KubeObject, { assets }: Pick<PruneInput, "assets">): readonly string[] {
  const applied = Object.keys(readState(live).fields);
  return applied.length > 0 ? applied : assets;
}

/** Decides about an object of an earlier release. The label alone does not prove its origin, because anyone can set it. */
export function decideTombstone(live: KubeObject): Exclude<RemovalDecision, { kind: "release" }> {
  const kept = keptBecause(live);
  if (kept !== undefined) return { kind: "keep", why: kept };
  if (!hasOwnFields(live)) return { kind: "keep", why: noOwnFields };
  return isCreatedByUs(live) ? deletion(live) : { kind: "keep", why: "there is no proof that the operator created it" };
}

function keptBecause(live: KubeObject): string | undefined {
  const { isUnmanaged, isPaused, mistakes } = readOverrides(live);
  if (live.metadata.labels?.[managedByLabel.key] !== managedByLabel.value)
    return "it does not have the operator's label";
  if (isUnmanaged) return "it is unmanaged";
  if (isPaused) return "it is paused";
  const [mistake] = mistakes;
  return mistake === undefined ? undefined : `its annotation ${mistake.key} is invalid: ${mistake.message}`;
}

function deletion({
  metadata: { uid = "", resourceVersion = "" },
}: KubeObject): Exclude<RemovalDecision, { kind: "release" }> {
  if (uid === "" || resourceVersion === "") return { kind: "keep", why: "it has no uid or resourceVersion" };
  return { kind: "delete", uid, resourceVersion };
}

/** Returns the assets to prune. Omits assets that are off for a reason other than their switch. */
export function prunedParts({ assets }: Pick<ManagedObject, "assets">, facts: ClusterFacts): readonly Asset[] {
  const { hco, unread, releasedUnread } = facts;
  const isAsked = hco !== undefined && booleanOf(hco.annotations, "prune") === true;
  if (!isAsked || (unread ?? releasedUnread) !== undefined) return []; // a plan that was not read may govern the object
  return assets.map((asset) => askedOf(asset, facts, hco)).flatMap((asked) => (isPruned(asked) ? asked.asset : []));
}

/**
 * Reports whether the asset is disabled and nothing forbids a write. Runs the remaining checks here, because the
 * evaluation of a disabled asset stops at its switch.
 */
function isPruned(asked: AssetRequest): boolean {
  const { activation, "allow-list": isListed, switch: isSwitchedOn, exclusions, plans } = checks;
  const others = [activation, isListed, exclusions, plans];
  const released = asked.facts.released[asked.asset.name];
  const isHandedOver = released !== undefined && released.isPruneAsked !== true;
  const isOff = isSwitchedOn(asked)?.kind === "excluded";
  return isOff && !isHandedOver && others.every((check) => check(asked) === undefined);
}

type Barring = Pick<ClusterFacts, "exclusions" | "plans" | "unread">;

/** Reports whether writes are, or may be, forbidden: the user excluded the object, or a plan governs it. */
export function isBarred(ref: Ref, { exclusions, plans, unread }: Barring): boolean {
  if (exclusions === undefined || unread !== undefined) return true;
  return excludedBy(exclusions, ref) !== undefined || governorOf(plans, ref) !== undefined;
}
