// What no catalog may contain. A test refuses it, so that at run time nobody has to.

import type { Asset } from "./asset.ts";
import type { Condition } from "./condition.ts";
import { brokenCondition } from "./evaluate-condition.ts";
import type { Feature } from "./feature.ts";
import type { Read } from "./reads.ts";
import type { Tombstone } from "./tombstone.ts";
import { tombstoneFaults } from "./tombstone-checks.ts";

export type Catalog = {
  readonly assets: readonly Asset[];
  readonly features: readonly Feature[];
  readonly tombstones: readonly Tombstone[];
};

/** What is wrong with it, one sentence each; none: nothing is. */
export function catalogFaults({ assets, features, tombstones }: Catalog): readonly string[] {
  const known = new Set(features.map(({ name }) => name));
  return [
    ...assets.flatMap((asset) => [
      ...ownFaults(asset),
      ...(known.has(asset.feature) ? [] : [`${asset.name}: no feature is called ${asset.feature}`]),
      ...assets
        .filter((other) => other !== asset && isBefore(asset, other))
        .flatMap((other) => pairFaults(asset, other)),
    ]),
    ...orderFaults(assets),
    ...tombstoneFaults(tombstones, assets),
  ];
}

type Rule = readonly [fault: string, isBroken: (asset: Asset) => boolean];

const kebab = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

const rules: readonly Rule[] = [
  ["its name is not in kebab case", ({ name }) => !kebab.test(name)],
  ["its group is not in kebab case", ({ group }) => group !== undefined && !kebab.test(group)],
  ["its order is no whole number", ({ order }) => !Number.isInteger(order) || order < 0],
  ["phase 0 is for the HyperConverged", (asset) => asset.phase === 0 && !isHco(asset)],
  ["it would create a HyperConverged", (asset) => isHco(asset) && asset.create !== false],
  ["an always-on asset has a switch that is on", (asset) => asset.tier === "always-on" && !isOnByItself(asset)],
  ["an asset that is not always on needs a switch", (asset) => asset.tier !== "always-on" && isOnByItself(asset)],
  ["alternates need a purpose", ({ alternates, purpose }) => alternates !== undefined && purpose === undefined],
  ["a kind with a group other than apps needs the name of its CRD", (asset) => !hasCrdName(asset)],
];

function ownFaults(asset: Asset): readonly string[] {
  const conditions = asset.conditions ?? [];
  const needed = new Set(conditions.flatMap(readsOf));
  const declared = new Set(Object.values(asset.reads).map(({ read }) => read));
  const faults = [
    ...rules.flatMap(([fault, isBroken]) => (isBroken(asset) ? [fault] : [])),
    ...conditions.flatMap((condition) => brokenCondition(condition) ?? []),
    ...[...needed]
      .filter((read) => !declared.has(read))
      .map((read) => `its conditions read ${read}, which it does not declare`),
  ];
  return faults.map((fault) => `${asset.name}: ${fault}`);
}

function isHco({ target }: Asset): boolean {
  return groupOf(target.apiVersion) === "hco.kubevirt.io" && target.kind === "HyperConverged";
}

function isOnByItself({ switch: declared }: Asset): boolean {
  return declared === undefined || ("annotation" in declared && declared.default === "on");
}

function hasCrdName({ target: { apiVersion, crd } }: Asset): boolean {
  const group = groupOf(apiVersion);
  return group === "" || group === "apps" ? crd === undefined : crd?.endsWith(`.${group}`) === true;
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? (apiVersion.split("/", 1)[0] ?? "") : "";
}

function readsOf(condition: Condition): readonly Read["read"][] {
  switch (condition.type) {
    case "annotation":
    case "feature-gate":
    case "hco-field-unconfigured":
      return ["hco"];
    case "hardware-detection":
      return ["hardware"];
    case "topology":
      return ["topology"];
    case "image":
      return ["images"];
    case "anyOf":
      return condition.of.flatMap(readsOf);
    default:
      return []; // a broken declaration is told by itself
  }
}

/** Ascending; ties are broken by name. */
export function isBefore(left: Asset, right: Asset): boolean {
  return left.order === right.order ? left.name < right.name : left.order < right.order;
}

function orderFaults(assets: readonly Asset[]): readonly string[] {
  return assets.slice(1).flatMap((asset, at) => {
    const previous = assets[at];
    return previous === undefined || isBefore(previous, asset) || previous.name === asset.name
      ? []
      : [`${asset.name}: it comes before ${previous.name}`];
  });
}

// Parts of one object are applied, adopted and created as one.
function pairFaults(one: Asset, other: Asset): readonly string[] {
  const isSame = identityOf(one) === identityOf(other);
  const isApart = (["adoption", "create", "singleton", "poolRule"] as const).filter((key) => one[key] !== other[key]);
  return [
    ...(one.name === other.name ? [`${one.name}: there are two of this name`] : []),
    ...(isSame ? isApart.map((key) => `${one.name}, ${other.name}: parts of one object differ in ${key}`) : []),
  ];
}

function identityOf({ target: { apiVersion, kind, namespace, name } }: Asset): string {
  return JSON.stringify([groupOf(apiVersion), kind, namespace ?? "", name]);
}
