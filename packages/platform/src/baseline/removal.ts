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

/** For an object whose feature is switched off, where pruning is asked for. */
export function judgePrune(live: KubeObject): Removal {
  const kept = keptBecause(live);
  if (kept !== undefined) return { kind: "keep", why: kept };
  if (isNoFields(appliedBy(readOwners(live), fieldManagers.platform)))
    return { kind: "keep", why: "we own nothing in it" };
  return readState(live).created ? deletion(live) : { kind: "release" };
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
