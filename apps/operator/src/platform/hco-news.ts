// What is wrong or worth knowing about the HyperConverged's annotations and about what its features need.

import type { KubeObject } from "@virt/api";
import {
  type Asset,
  annotationOf,
  annotationProblems,
  type HcoFact,
  isAskedFor,
  type NeededKind,
  readExclusions,
  switchState,
  type World,
} from "@virt/platform";
import { isHco } from "./objects.ts";
import type { Told } from "./tell.ts";

const warning = (reason: string, note: string): Told => ({ type: "Warning", reason, note });

/** Stands until somebody mends it. */
export function hcoNews(hco: KubeObject, world: World, assets: readonly Asset[]): readonly Told[] {
  const annotations = hco.metadata.annotations ?? {};
  const problems = annotationProblems(annotations, assets).map((problem) =>
    problem.kind === "invalid"
      ? warning("InvalidConfiguration", `Invalid annotation ${problem.key}: ${problem.reason}`)
      : warning("UnknownAnnotation", `Unknown annotation ${problem.key}, did you mean ${problem.nearest}?`),
  );
  const exclusions = readExclusions(annotationOf(annotations, "disabled-resources"));
  const unknown = world.activation.unknown.map((name) =>
    warning("UnknownAssetName", `Unknown asset or group "${name}" in platform.kubevirt.io/autopilot`),
  );
  const missing = dependencies(world, assets).flatMap((one) =>
    one.isMissing
      ? warning("CRDMissing", `CRD ${one.crd} not installed, skipping ${one.assets} assets (soft dependency)`)
      : [],
  );
  return [
    ...problems,
    ...(exclusions.kind === "refused"
      ? [warning("InvalidExclusions", `Invalid disabled-resources annotation: ${exclusions.reason}`)]
      : []),
    ...unknown,
    ...missing,
  ];
}

export type Dependency = {
  readonly crd: string;
  /** Of the assets, as it is listed and switched. */
  readonly assets: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly isMissing: boolean;
};

/** CRDs of features that somebody asked for, or that a whole OpenShift has; nothing while that cannot be told. */
export function dependencies(world: World, assets: readonly Asset[]): readonly Dependency[] {
  const { hco, activation, topology, crds, unread } = world;
  if (hco === undefined || !activation.isActive || unread !== undefined) return [];
  const isStandalone = topology.isOpenShift && !topology.isHCP && topology.controlPlaneTopology !== "";
  const all = assets.flatMap((asset) => {
    const { isOn, isAskedFor: isSwitched } = switchState(asset.switch, hco);
    const isWanted =
      isOn && (isSwitched || isAskedFor(activation, asset) || (asset.dependency === "platform" && isStandalone));
    const kinds = isWanted ? [...ownKind(asset, hco), ...asset.needs, ...(asset.gates ?? [])] : [];
    return kinds.map((kind) => ({ ...described(kind, asset), isMissing: !crds.has(kind.crd) }));
  });
  return all.filter((each, at) => all.findIndex((one) => one.crd === each.crd && one.assets === each.assets) === at);
}

/** The HyperConverged in the version that is served. */
function ownKind({ target }: Asset, { apiVersion }: Pick<HcoFact, "apiVersion">): readonly NeededKind[] {
  const { crd, kind } = target;
  return crd === undefined ? [] : [{ crd, kind, apiVersion: isHco(target) ? apiVersion : target.apiVersion }];
}

function described(
  { crd, apiVersion, kind }: NeededKind,
  { group: assets, name }: Asset,
): Omit<Dependency, "isMissing"> {
  const [group = "", version = ""] = apiVersion.split("/");
  return { crd, assets: assets ?? name, group, version, kind };
}
