// What is wrong or worth knowing about the HyperConverged's annotations and about what its features need.

import type { KubeObject } from "@virt/api";
import {
  type Asset,
  annotationOf,
  annotationProblems,
  isAskedFor,
  readExclusions,
  switchState,
  type World,
} from "@virt/platform";
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
  const missing = missingCrds(world, assets).map((one) =>
    warning("CRDMissing", `CRD ${one.crd} not installed, skipping ${one.assets} assets (soft dependency)`),
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

/** CRDs of features that somebody asked for, or that a whole OpenShift has. */
export function dependencies(world: World, assets: readonly Asset[]): readonly Dependency[] {
  const { hco, activation, topology, crds } = world;
  if (hco === undefined || !activation.isActive) return [];
  const isStandalone = topology.isOpenShift && !topology.isHCP && topology.controlPlaneTopology !== "";
  return assets.flatMap((asset) => {
    const { isOn, isAskedFor: isSwitched } = switchState(asset.switch, hco);
    const isWanted =
      isOn && (isSwitched || isAskedFor(activation, asset) || (asset.dependency === "platform" && isStandalone));
    const needed = [
      ...(asset.target.crd === undefined ? [] : [asset.target.crd]),
      ...asset.needs,
      ...(asset.gates ?? []),
    ];
    return isWanted ? needed.map((crd) => ({ ...described(crd, asset), isMissing: !crds.has(crd) })) : [];
  });
}

function missingCrds(world: World, assets: readonly Asset[]): readonly Dependency[] {
  const missing = dependencies(world, assets).filter(({ isMissing }) => isMissing);
  return missing.filter(
    (each, at) => missing.findIndex((one) => one.crd === each.crd && one.assets === each.assets) === at,
  );
}

/** Of a CRD that is not a target only its name is known. */
function described(crd: string, { target, group, name }: Asset): Omit<Dependency, "isMissing"> {
  const [plural = "", ...domain] = crd.split(".");
  const isTarget = target.crd === crd;
  const version = isTarget ? (target.apiVersion.split("/")[1] ?? "") : "";
  return { crd, assets: group ?? name, group: domain.join("."), version, kind: isTarget ? target.kind : plural };
}
