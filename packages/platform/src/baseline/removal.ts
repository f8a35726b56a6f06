// Whether an object may be deleted by us: only with our exact label, and only what we made and nobody took away from us.

import { fieldManagers, type KubeObject, managedByLabel } from "@virt/api";
import { appliedBy, isNoFields, readOwners } from "@virt/engine";
import { readOverrides } from "./overrides.ts";
import { readState } from "./state.ts";

export type Removal =
  | { readonly kind: "delete"; readonly uid: string; readonly resourceVersion: string }
  /** Not made by us: we let go of it, and it stays. */
  | { readonly kind: "release" }
  | { readonly kind: "keep"; readonly why: string };

/** The assets that share an object, and those of them that are pruned. */
export type Pruning = { readonly assets: readonly string[]; readonly pruned: readonly string[] };

/** For an object of which no asset is active, where pruning is asked for. */
export function judgePrune(live: KubeObject, pruning: Pruning): Removal {
  const kept = keptBecause(live);
  if (kept !== undefined) return { kind: "keep", why: kept };
  if (isNoFields(appliedBy(readOwners(live), fieldManagers.platform)))
    return { kind: "keep", why: "we own nothing in it" };
  const others = makersOf(live, pruning).filter((asset) => !pruning.pruned.includes(asset));
  if (others.length > 0) return { kind: "keep", why: `${others.join(", ")} made it too and is not switched off` };
  const isOurs = readState(live).created && live.kind !== "HyperConverged"; // which is never deleted
  return isOurs ? deletion(live) : { kind: "release" };
}

/** Whose fields it was last applied with; all that may be, where that is forgotten. */
export function makersOf(live: KubeObject, { assets }: Pick<Pruning, "assets">): readonly string[] {
  const applied = Object.keys(readState(live).fields);
  return applied.length > 0 ? applied : assets;
}

/** For an object that earlier releases applied. */
export function judgeTombstone(live: KubeObject): Exclude<Removal, { kind: "release" }> {
  const kept = keptBecause(live);
  return kept === undefined ? deletion(live) : { kind: "keep", why: kept };
}

function keptBecause(live: KubeObject): string | undefined {
  const { mode, isPaused } = readOverrides(live);
  if (live.metadata.labels?.[managedByLabel.key] !== managedByLabel.value) return "it does not carry our label";
  if (mode === "unmanaged") return "it is unmanaged";
  return isPaused ? "it is paused" : undefined;
}

function deletion({ metadata: { uid = "", resourceVersion = "" } }: KubeObject): Exclude<Removal, { kind: "release" }> {
  if (uid === "" || resourceVersion === "") return { kind: "keep", why: "it has no identity" };
  return { kind: "delete", uid, resourceVersion };
}
