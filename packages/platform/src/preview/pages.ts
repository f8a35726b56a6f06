// What is shown of a whole world beside its documents: exclusions, features with their state, facts.

import type { JsonMap } from "@virt/api";
import { isGoverning } from "@virt/engine";
import type { Asset } from "../asset.ts";
import type { World } from "../evaluate/world.ts";
import { annotationPrefix } from "../hco-annotations.ts";
import type { FeatureRow } from "./features.ts";
import type { AssetRow } from "./rows.ts";
import { neededCrds } from "./words.ts";

export type Exclusion = {
  readonly asset: string;
  readonly group: string;
  readonly target: string;
  readonly reason: string;
  /** With what was expected and what is there. */
  readonly details: string;
};

export function exclusionsOf(rows: readonly AssetRow[]): readonly Exclusion[] {
  return rows
    .filter(({ status }) => status !== "INCLUDED")
    .map(({ asset, target, reason = "", details = "" }) => ({
      asset: asset.name,
      group: asset.group ?? asset.name,
      target,
      reason,
      details,
    }));
}

export type FeatureState = FeatureRow & {
  /** Those of its assets that are applied here. */
  readonly active: readonly string[];
};

export function featureStates(features: readonly FeatureRow[], rows: readonly AssetRow[]): readonly FeatureState[] {
  const included = new Set(rows.flatMap(({ asset, status }) => (status === "INCLUDED" ? [asset.name] : [])));
  return features.map((row) => ({ ...row, active: row.assets.filter((asset) => included.has(asset)) }));
}

/** What assets are judged by. Of annotations only ours: others may hold anything. */
export function factsOf(world: World, assets: readonly Asset[]): JsonMap {
  const { hco, activation, hardware, topology, images, crds, plans } = world;
  const needed = [...new Set(assets.flatMap(neededCrds))].toSorted();
  return {
    hco: hco === undefined ? null : { ...hco, annotations: own(hco.annotations) },
    activation: {
      isActive: activation.isActive,
      listed: activation.listed === undefined ? null : [...activation.listed],
      unknown: activation.unknown,
    },
    exclusions: world.exclusions === undefined ? null : world.exclusions.length,
    invalidDevices: world.brokenDevices,
    hardware,
    topology,
    images,
    crds: Object.fromEntries(needed.map((crd) => [crd, crds.has(crd)])),
    plans: plans.filter(isGoverning).map(({ metadata }) => metadata.name),
    ownNamespace: world.ownNamespace,
  };
}

function own(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => key.startsWith(annotationPrefix)));
}
