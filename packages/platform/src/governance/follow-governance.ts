// Tracks which plans govern which assets. After a plan releases an asset, the operator waits for a user to request it.

import { type KubeObject, profileManager, type Ref } from "@virt/api";
import {
  type GovernorConfig,
  governorOf,
  governorOfPurpose,
  hasGoverned,
  hasTarget,
  type Purposes,
} from "@virt/cluster";
import { appliedBy, isNoFields, readOwners } from "@virt/objects";
import type { Asset } from "../asset.ts";
import { type Places, placed } from "../evaluate/managed-objects.ts";
import { type AssetHcoFact, readHco } from "../hco-fact.ts";
import { asksToApply, asksToPrune, isActivatedByKey, readAssetSwitches } from "./asset-switches.ts";
import {
  emptyRecord,
  type GovernanceRecord,
  type ReleasedAsset,
  type StoredRecord,
  type SwitchesSince,
} from "./governance-record.ts";

/** The plans and switches that determine which assets the operator may apply. Without `hco`, requests cannot be detected. */
export type ObservedGovernance = {
  readonly assets: readonly Asset[];
  readonly places: Places;
  readonly plans: readonly GovernorConfig[];
  readonly purposesOf: Purposes;
  readonly hco?: ObservedSwitches | undefined;
};

export type ObservedSwitches = Pick<AssetHcoFact, "annotations" | "featureGates"> & {
  readonly uid: string;
  readonly resourceVersion: string;
  /** True if the HyperConverged was read after all other inputs, so that no earlier change to a switch is missing. */
  readonly isFresh: boolean;
  readonly reaches: (resourceVersion: string) => boolean;
};

/** Reads the switches. If the HyperConverged comes from a cache, pass `reaches`, which compares versions. */
export function switchesIn(hco: KubeObject, reaches?: (seen: string, version: string) => boolean): ObservedSwitches {
  const { annotations, featureGates } = readHco(hco, undefined);
  const { uid = "", resourceVersion = "" } = hco.metadata;
  const isAtLeast = (version: string) => reaches?.(resourceVersion, version) ?? true;
  return { annotations, featureGates, uid, resourceVersion, isFresh: reaches === undefined, reaches: isAtLeast };
}

/** Returns the config that governs an asset, by its purpose or by its whole object. */
export function governorOfAsset(
  asset: Asset,
  target: Ref,
  { plans, purposesOf }: Pick<ObservedGovernance, "plans" | "purposesOf">,
): string | undefined {
  const byPurpose = asset.purpose === undefined ? undefined : governorOfPurpose(plans, asset.purpose, purposesOf);
  return byPurpose ?? (asset.adoption === "whole" ? governorOf(plans, target) : undefined);
}

/** Profiles that may have governed assets, for a cluster without a usable record. */
export type KnownProfiles = {
  readonly all: readonly string[];
  /** Profiles whose plans write the HyperConverged, which its managedFields show permanently. */
  readonly onHco: readonly string[];
};

/**
 * Returns the initial record. If none is stored, the advisor's fields on the HyperConverged reveal earlier plans. If
 * the record cannot be parsed, assumes that all profiles governed their assets.
 */
export function startRecord(
  stored: StoredRecord,
  seen: ObservedGovernance,
  { live, profiles }: { readonly live: KubeObject | undefined; readonly profiles: KnownProfiles },
): GovernanceRecord {
  switch (stored.kind) {
    case "record":
      return stored.record;
    case "unreadable":
      return presumeReleased(profiles.all, seen);
    case "absent":
      return presumeReleased(profiles.onHco.filter(hasWritten(live)), seen);
  }
}

function hasWritten(hco: KubeObject | undefined): (profile: string) => boolean {
  const owners = hco === undefined ? [] : readOwners(hco);
  return (profile) => !isNoFields(appliedBy(owners, profileManager(profile)));
}

function presumeReleased(profiles: readonly string[], seen: ObservedGovernance): GovernanceRecord {
  const released = rebooting(seen).flatMap(({ name, purpose }) => {
    const by = profiles.find((profile) => purpose !== undefined && seen.purposesOf(profile).includes(purpose));
    return by === undefined ? [] : [[name, { by }] as const];
  });
  return { ...emptyRecord, released: Object.fromEntries(released) };
}

/** Returns the next record. Tracks only assets that reboot nodes. All others may be written as soon as no plan governs them. */
export function followGovernance(before: GovernanceRecord, seen: ObservedGovernance): GovernanceRecord {
  const assets = rebooting(seen);
  const governed = governedNow(assets, before, seen);
  const ended = Object.entries(before.governed).filter(([asset]) => governed[asset] === undefined);
  const former = formerlyGoverned(assets, before, seen);
  const released = {
    ...before.released,
    ...former,
    ...Object.fromEntries(ended.map(([asset, by]) => [asset, { by }])),
  };
  const kept = Object.entries(released).flatMap(([name, one]) => {
    if (governed[name] !== undefined) return [];
    const asset = assets.find((known) => known.name === name);
    const next = asset === undefined ? one : followSwitches(asset, one, seen);
    return next === undefined ? [] : [[name, next] as const];
  });
  return { governed, released: Object.fromEntries(kept), accounted: accountedFor(before, seen) };
}

function rebooting({ assets }: ObservedGovernance): readonly Asset[] {
  return assets.filter(({ impact }) => impact === "reboot");
}

/** Returns the governed assets. Keeps unknown assets, because they may belong to another release. */
function governedNow(assets: readonly Asset[], before: GovernanceRecord, seen: ObservedGovernance) {
  const unknown = Object.entries(before.governed).filter(([name]) => assets.every((asset) => asset.name !== name));
  const known = assets.flatMap((asset) => {
    const governor = governorOfAsset(asset, placed(asset.target, seen.places), seen);
    return governor === undefined ? [] : [[asset.name, governor] as const];
  });
  return Object.fromEntries([...unknown, ...known]);
}

/** Returns assets that plans governed without being observed, such as while the operator was down. */
function formerlyGoverned(
  assets: readonly Asset[],
  { accounted }: GovernanceRecord,
  { plans, purposesOf, places }: ObservedGovernance,
): Readonly<Record<string, ReleasedAsset>> {
  const unaccounted = plans.filter((plan) => hasGoverned(plan) && !isAccountedFor(plan, accounted));
  const former = unaccounted.flatMap((plan) =>
    assets
      .filter(
        ({ purpose, target }) =>
          (purpose !== undefined && purposesOf(plan.spec.profile).includes(purpose)) ||
          hasTarget(plan, placed(target, places)),
      )
      .map(({ name }) => [name, { by: plan.metadata.name }] as const),
  );
  return Object.fromEntries(former);
}

function isAccountedFor({ metadata }: GovernorConfig, accounted: GovernanceRecord["accounted"]): boolean {
  const known = accounted[metadata.name];
  return known !== undefined && known.uid === metadata.uid && known.generation === metadata.generation;
}

function accountedFor(before: GovernanceRecord, { plans }: ObservedGovernance): GovernanceRecord["accounted"] {
  const there = plans.flatMap((plan) => {
    const { name, uid = "", generation = 0 } = plan.metadata;
    return hasGoverned(plan) ? [[name, { uid, generation }] as const] : [];
  });
  return there.length === 0 && Object.keys(before.accounted).length === 0
    ? before.accounted
    : Object.fromEntries(there);
}

/** Returns the updated entry of a released asset, or undefined once a user has requested the asset. */
function followSwitches(asset: Asset, released: ReleasedAsset, { hco }: ObservedGovernance): ReleasedAsset | undefined {
  if (hco === undefined) return released;
  const { uid, resourceVersion, isFresh } = hco;
  const now: SwitchesSince = { uid, resourceVersion, switches: readAssetSwitches(asset, hco) };
  const { since, ...rest } = released;
  // A different HyperConverged may come from a backup, so its annotations do not count as a request.
  if (since === undefined || since.uid !== uid) return isFresh ? { ...rest, since: now } : rest;
  if (!isFresh && !hco.reaches(since.resourceVersion)) return released;
  if (asksToApply(now.switches, since.switches, isActivatedByKey(asset, hco))) return undefined;
  if (sameSwitches(now, since)) return released;
  const isAsked = asksToPrune(now.switches, since.switches) || (released.isPruneAsked === true && !now.switches.isOn);
  return { by: released.by, since: now, ...(isAsked && { isPruneAsked: true }) };
}

function sameSwitches({ switches: now }: SwitchesSince, { switches: before }: SwitchesSince): boolean {
  return (Object.keys({ ...now, ...before }) as (keyof typeof now)[]).every((key) => now[key] === before[key]);
}
