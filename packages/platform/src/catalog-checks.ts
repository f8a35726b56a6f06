// Validates the catalog: faulty assets, forbidden render output and forbidden tombstones.

import { type JsonMap, managedByLabel } from "@virt/api";
import { entriesOf, isMap } from "@virt/objects";
import type { Asset, AssetCondition, AssetRead, Tombstone } from "./asset.ts";
import { brokenCondition } from "./evaluate-condition.ts";
import { annotationPrefix } from "./hco-annotations.ts";

/** All assets, and the objects of former assets to remove. */
export type AssetCatalog = {
  readonly assets: readonly Asset[];
  readonly tombstones: readonly Tombstone[];
};

/** Returns the faults of a catalog, one sentence each. */
export function catalogFaults({ assets, tombstones }: AssetCatalog): readonly string[] {
  return [
    ...assets.flatMap((asset) => [
      ...ownFaults(asset),
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
  ["its order is not a whole number", ({ order }) => !Number.isInteger(order) || order < 0],
  ["phase 0 is reserved for the HyperConverged", (asset) => asset.phase === 0 && !isHco(asset)],
  ["it would create a HyperConverged", (asset) => isHco(asset) && asset.create !== false],
  [
    "the switch of an always-on asset must be on by default",
    (asset) => asset.tier === "always-on" && !isOnByItself(asset),
  ],
  [
    "an asset that is not always on needs a switch that is off by default",
    (asset) => asset.tier !== "always-on" && isOnByItself(asset),
  ],
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

function groupOf(apiVersion: unknown): string {
  return String(apiVersion).split("/").slice(0, -1).join("/");
}

function readsOf(condition: AssetCondition): readonly AssetRead["read"][] {
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
      return []; // another check reports unknown types
  }
}

/** Reports whether an asset comes first: by ascending order, with ties broken by name. */
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

// Assets that share an object are applied, adopted and created together.
function pairFaults(one: Asset, other: Asset): readonly string[] {
  const isSame = identityOf(one) === identityOf(other);
  const isAmbiguous = one.feature.name === other.feature.name && !isSameFeature(one, other);
  const isApart = (["adoption", "create", "singleton", "poolRule"] as const).filter((key) => one[key] !== other[key]);
  return [
    ...(isAmbiguous ? [`${one.name}, ${other.name}: two features have the name ${one.feature.name}`] : []),
    ...(one.name === other.name ? [`${one.name}: duplicate name`] : []),
    ...(isSame ? isApart.map((key) => `${one.name}, ${other.name}: parts of one object differ in ${key}`) : []),
  ];
}

function isSameFeature({ feature: one }: Asset, { feature: other }: Asset): boolean {
  return one.description === other.description && one.maturity === other.maturity;
}

function identityOf({ target: { apiVersion, kind, namespace, name } }: Asset): string {
  return JSON.stringify([groupOf(apiVersion), kind, namespace ?? "", name]);
}

const metadataKeys: ReadonlySet<string> = new Set(["name", "namespace", "labels", "annotations"]);

/** Returns the faults of a rendered object. `namespace` is the resolved value of `$hco` or `$operator`. */
export function renderFaults(asset: Asset, object: JsonMap, namespace: string | undefined): readonly string[] {
  const { target } = asset;
  const metadata = isMap(object["metadata"]) ? object["metadata"] : {};
  const keysOf = (part: string) => (isMap(metadata[part]) ? entriesOf(metadata[part]).map(([key]) => key) : []);
  const faults = [
    ...(groupOf(object["apiVersion"]) === groupOf(target.apiVersion) ? [] : ["another group"]),
    ...(object["kind"] === target.kind ? [] : ["another kind"]),
    ...(metadata["name"] === target.name ? [] : ["another name"]),
    ...(metadata["namespace"] === namespace ? [] : ["another namespace"]),
    ...(object["status"] === undefined ? [] : ["a status"]),
    ...entriesOf(metadata).flatMap(([key]) => (metadataKeys.has(key) ? [] : [`metadata.${key}`])),
    ...keysOf("labels").flatMap((key) => (key === managedByLabel.key ? ["our label"] : [])),
    ...keysOf("annotations").flatMap((key) => (key.startsWith(annotationPrefix) ? [`annotation ${key}`] : [])),
  ];
  return faults.map((fault) => `${asset.name} renders ${fault}`);
}

const refused: ReadonlySet<string> = new Set([
  "Namespace",
  "CustomResourceDefinition",
  "HyperConverged",
  "PersistentVolume",
  "PersistentVolumeClaim",
]);

/** Rejects tombstones for user data, and for objects that the catalog would re-create. */
function tombstoneFaults(tombstones: readonly Tombstone[], assets: readonly Asset[]): readonly string[] {
  return tombstones.flatMap((tombstone) => {
    const { apiVersion, kind, name } = tombstone;
    const missing = (["apiVersion", "kind", "name", "since", "reason"] as const).filter((key) => !tombstone[key]);
    const isRefused = refused.has(kind) || kind.startsWith("VirtualMachine");
    const isOnNodes = apiVersion.startsWith("machineconfiguration.openshift.io/");
    const faults = [
      ...missing.map((key) => `${key} is missing`),
      ...(isRefused ? ["objects of this kind are never deleted"] : []),
      ...(isOnNodes ? ["objects that configure nodes must be pruned, so that the reboot gate applies"] : []),
      ...(assets.some((asset) => isOf(asset, tombstone)) ? ["the catalog still contains it"] : []),
    ];
    return faults.map((fault) => `tombstone ${kind} ${name}: ${fault}`);
  });
}

// A namespace that is known only at run time counts as equal to any namespace.
function isOf({ target }: Asset, { kind, name, namespace }: Tombstone): boolean {
  const isPlace = target.namespace?.startsWith("$") === true || target.namespace === namespace;
  return target.kind === kind && target.name === name && isPlace;
}
