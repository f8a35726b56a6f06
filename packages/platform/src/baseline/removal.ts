// What may be deleted: parts whose switch is off, where people ask for pruning, and tombstones.

import { fieldManagers, type KubeObject, managedByLabel, type Ref } from "@virt/api";
import { appliedBy, fieldPath, governorOf, isNoFields, readOwners } from "@virt/engine";
import type { Asset } from "../asset.ts";
import { excludedBy } from "../disabled-resources.ts";
import type { AssetRequest } from "../evaluate/asset-status.ts";
import type { ClusterFacts } from "../evaluate/cluster-facts.ts";
import { askedOf, checks } from "../evaluate/evaluate-asset.ts";
import type { ManagedObject } from "../evaluate/evaluate-object.ts";
import { booleanOf } from "../hco-annotations.ts";
import { readOverrides } from "./overrides.ts";
import { isOwnedByOthers, readState } from "./state.ts";

/** Whether an object is deleted (this very version of it), released, or kept for a reason. */
export type RemovalDecision =
  | { readonly kind: "delete"; readonly uid: string; readonly resourceVersion: string }
  /** It is not proven that we made it: we let go of it, and it stays. */
  | { readonly kind: "release" }
  | { readonly kind: "keep"; readonly why: string };

/** The assets that share an object, and those of them that are pruned. */
export type PruneInput = { readonly assets: readonly string[]; readonly pruned: readonly string[] };

/** For an object of which no asset is active, where pruning is asked for. */
export function decidePrune(live: KubeObject, pruning: PruneInput): RemovalDecision {
  const kept = keptBecause(live);
  if (kept !== undefined) return { kind: "keep", why: kept };
  if (!hasOwnFields(live)) return { kind: "keep", why: noOwnFields };
  const others = makersOf(live, pruning).filter((asset) => !pruning.pruned.includes(asset));
  if (others.length > 0) return { kind: "keep", why: `${others.join(", ")} also applied it and is still enabled` };
  const isOurs = isCreatedByUs(live) && live.kind !== "HyperConverged"; // which is never deleted
  return isOurs ? deletion(live) : { kind: "release" };
}

const noOwnFields = "the operator owns none of its fields";

function hasOwnFields(live: KubeObject): boolean {
  return !isNoFields(appliedBy(readOwners(live), fieldManagers.platform));
}

/** The record alone is no proof, because it can be forged. An object that another client gave content may be theirs. */
function isCreatedByUs(live: KubeObject): boolean {
  const content = Object.keys(live).filter((key) => !outsideContent.has(key));
  return readState(live).created && content.every((key) => !isOwnedByOthers(live, fieldPath(key)));
}

const outsideContent: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "status"]);

/** Whose fields it was last applied with; all that may be, where that is forgotten. */
export function makersOf(live: KubeObject, { assets }: Pick<PruneInput, "assets">): readonly string[] {
  const applied = Object.keys(readState(live).fields);
  return applied.length > 0 ? applied : assets;
}

/** For an object that earlier releases applied. Anyone may copy the label, so the operator must also be proven to have created it. */
export function decideTombstone(live: KubeObject): Exclude<RemovalDecision, { kind: "release" }> {
  const kept = keptBecause(live);
  if (kept !== undefined) return { kind: "keep", why: kept };
  if (!hasOwnFields(live)) return { kind: "keep", why: noOwnFields };
  return isCreatedByUs(live) ? deletion(live) : { kind: "keep", why: "nothing proves that the operator created it" };
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

/** None because of idle, lists, exclusions, plans, missing CRDs, hardware or inputs. */
export function prunedParts({ assets }: Pick<ManagedObject, "assets">, facts: ClusterFacts): readonly Asset[] {
  const { hco, unread, releasedUnread } = facts;
  const isAsked = hco !== undefined && booleanOf(hco.annotations, "prune") === true;
  if (!isAsked || (unread ?? releasedUnread) !== undefined) return []; // a plan that nobody could read yet may be in charge
  return assets.map((asset) => askedOf(asset, facts, hco)).flatMap((asked) => (isPruned(asked) ? asked.asset : []));
}

/** With a switch that is off the evaluation ends, before anybody asks whether it may be written at all. */
function isPruned(asked: AssetRequest): boolean {
  const { activation, "allow-list": isListed, switch: isSwitchedOn, exclusions, plans } = checks;
  const others = [activation, isListed, exclusions, plans];
  const released = asked.facts.released[asked.asset.name];
  const isHandedOver = released !== undefined && released.isPruneAsked !== true;
  const isOff = isSwitchedOn(asked)?.kind === "excluded";
  return isOff && !isHandedOver && others.every((check) => check(asked) === undefined);
}

type Barring = Pick<ClusterFacts, "exclusions" | "plans" | "unread">;

/** Nothing may be written to it, whatever it is: people exclude it, a plan is in charge, or nobody can say. */
export function isBarred(ref: Ref, { exclusions, plans, unread }: Barring): boolean {
  if (exclusions === undefined || unread !== undefined) return true;
  return excludedBy(exclusions, ref) !== undefined || governorOf(plans, ref) !== undefined;
}
