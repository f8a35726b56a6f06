// Builds the events of the HyperConverged: invalid annotations and missing CRDs.

import {
  activationAnnotation,
  autopilotAnnotation,
  autopilotName,
  type EventMessage,
  type KubeObject,
} from "@virt/api";
import { type Activation, activationValue, isAskedFor, switchState } from "../activation.ts";
import { didYouMean, shorten } from "../annotation-values.ts";
import type { Asset, NeededKind } from "../asset.ts";
import { readOverrides } from "../baseline/overrides.ts";
import { readExclusions } from "../disabled-resources.ts";
import type { ClusterFacts } from "../evaluate/cluster-facts.ts";
import type { EvaluatedObject, ManagedObject } from "../evaluate/evaluate-object.ts";
import { annotationOf, annotationPrefix, annotationProblems } from "../hco-annotations.ts";
import type { AssetHcoFact } from "../hco-fact.ts";
import { normalEvent } from "./status-events.ts";

const warning = (reason: string, note: string): EventMessage => ({ type: "Warning", reason, note });

/** Returns warnings that last until the user fixes their cause. */
export function eventsForHyperConverged(
  hco: KubeObject,
  facts: ClusterFacts,
  assets: readonly Asset[],
): readonly EventMessage[] {
  const annotations = hco.metadata.annotations ?? {};
  const onObject = new Set(readOverrides(hco).mistakes.map(({ key }) => key)); // reported with the object
  const problems = annotationProblems(annotations, assets)
    .filter(({ key }) => !onObject.has(key))
    .map((problem) =>
      problem.kind === "invalid"
        ? warning("InvalidConfiguration", `Invalid annotation ${problem.key} on the HyperConverged: ${problem.reason}`)
        : warning(
            "UnknownAnnotation",
            `Unknown annotation ${problem.key} on the HyperConverged${problem.meant === undefined ? ". It has no effect" : `, did you mean ${problem.meant}?`}`,
          ),
    );
  const exclusions = readExclusions(annotationOf(annotations, "disabled-resources"));
  const unknown = facts.activation.unknown.map((name) =>
    warning(
      "UnknownAssetName",
      `Unknown asset or group "${name}" in annotation ${keyIn(facts.activation)} on the HyperConverged: use true, false or asset names${didYouMean(name, activationWords(assets))}`,
    ),
  );
  const missing = dependencies(facts, assets).flatMap((one) =>
    one.isMissing
      ? warning(
          "CRDMissing",
          `CRD ${one.crd} is not installed. The ${one.assets} assets are skipped until it is. Next: install its operator, or disable the feature`,
        )
      : [],
  );
  return [
    ...problems,
    ...(exclusions.kind === "refused"
      ? [warning("InvalidExclusions", `Invalid disabled-resources annotation: ${exclusions.reason}`)]
      : []),
    ...unknown,
    ...activationEvents(hco, facts.activation),
    ...missing,
  ];
}

const keyIn = ({ source }: Activation) => (source === "legacy" ? autopilotAnnotation : activationAnnotation);

/** Returns the warnings about annotation `autopilot`, which activated earlier releases. */
function activationEvents({ metadata }: KubeObject, activation: Activation): readonly EventMessage[] {
  const { name, namespace = "" } = metadata;
  const { source, isActive, ignored } = activation;
  if (isActive && source === "legacy")
    return [
      warning(
        "ActivationKeyDeprecated",
        `Annotation ${autopilotAnnotation} now belongs to ${autopilotName}. To keep virt-platform-operator active, run: kubectl annotate hco ${name} -n ${namespace} ${activationAnnotation}=${activationValue(activation) ?? ""}`,
      ),
    ];
  if (ignored === undefined) return [];
  return [
    warning(
      "ActivationIgnored",
      `Annotation ${autopilotAnnotation}=${ignored} does not enable virt-platform-operator. To enable it, set ${activationAnnotation}=true.`,
    ),
  ];
}

function activationWords(assets: readonly Asset[]): readonly string[] {
  return ["true", "false", ...assets.flatMap(({ name, group }) => [name, ...(group === undefined ? [] : [group])])];
}

/** A CRD that assets need, and whether it is missing. */
export type Dependency = {
  readonly crd: string;
  /** The name of the asset's group, or of the asset. */
  readonly assets: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly isMissing: boolean;
};

/**
 * Returns the CRDs of requested features and, on standalone OpenShift, of platform features. Returns an empty list if
 * facts are missing.
 */
export function dependencies(facts: ClusterFacts, assets: readonly Asset[]): readonly Dependency[] {
  const { hco, activation, topology, crds, unread } = facts;
  if (hco === undefined || !activation.isActive || unread !== undefined) return [];
  const isStandalone = topology.isOpenShift && !topology.isHCP && topology.controlPlaneTopology !== "";
  const all = assets.flatMap((asset) => {
    const { isOn, isAskedFor: isSwitched } = switchState(asset.switch, hco);
    const isWanted =
      isOn &&
      asset.dependency !== "unreported" &&
      (isSwitched || isAskedFor(activation, asset) || (asset.dependency === "platform" && isStandalone));
    const kinds = isWanted ? [...ownKind(asset, hco), ...asset.needs, ...(asset.gates ?? [])] : [];
    return kinds.map((kind) => ({ ...described(kind, asset), isMissing: !crds.has(kind.crd) }));
  });
  return all.filter((each, at) => all.findIndex((one) => one.crd === each.crd && one.assets === each.assets) === at);
}

/** Returns the asset's own kind. The HyperConverged has the served version. */
function ownKind({ target }: Asset, { apiVersion }: Pick<AssetHcoFact, "apiVersion">): readonly NeededKind[] {
  const { crd, kind } = target;
  return crd === undefined
    ? []
    : [{ crd, kind, apiVersion: target.kind === "HyperConverged" ? apiVersion : target.apiVersion }];
}

function described(
  { crd, apiVersion, kind }: NeededKind,
  { group: assets, name }: Asset,
): Omit<Dependency, "isMissing"> {
  const [group = "", version = ""] = apiVersion.split("/");
  return { crd, assets: assets ?? name, group, version, kind };
}

/** Returns the event for an active autopilot next to an active controller. Undefined if one of them is not active. */
export function autopilotEvent(
  { activation, autopilot }: Pick<ClusterFacts, "activation" | "autopilot">,
  { objects, evaluate }: EvaluatedObjects,
): EventMessage | undefined {
  if (!activation.isActive || autopilot.state !== "Active") return undefined;
  const left = objects.filter((object) => isLeft(evaluate(object))).length;
  const note = `${autopilotName} is active in namespace ${autopilot.namespace}. virt-platform-operator leaves ${left} objects to it. To move them, run: kubectl virt-advisor adopt`;
  return { type: "Normal", reason: "AutopilotDetected", note };
}

/** Reports whether the whole object is left to the autopilot, whether or not it exists. */
function isLeft({ statuses, wanted }: EvaluatedObject): boolean {
  const reasons = [...statuses.values()].flatMap((status) => (status.kind === "excluded" ? status.reason : []));
  return wanted.kind === "excluded" && reasons.some((reason) => autopilotReasons.has(reason));
}

const autopilotReasons: ReadonlySet<string> = new Set(["ManagedByAutopilot", "ClaimedByAutopilot"]);

/** Returns the note of the event that explains why the operator is idle and how to enable it. */
export function idleMessage({ metadata: { name, namespace = "", annotations = {} } }: KubeObject): string {
  const key = activationAnnotation;
  const value = annotationOf(annotations, activationAnnotation.slice(annotationPrefix.length)) ?? "";
  const why = value === "" ? `annotation ${key} is not set` : `annotation ${key} is ${JSON.stringify(shorten(value))}`;
  const command = `kubectl annotate hyperconverged ${name} -n ${namespace} --overwrite ${key}=true`;
  return `The platform controller is disabled: ${why} on HyperConverged ${namespace}/${name}. Next: preview the changes with the render command, then enable all assets with ${command} (some assets reboot nodes), or list asset names instead of true`;
}

/** Waiting assets, by CRD. */
export type MissingCrds = ReadonlyMap<string, readonly string[]>;

export type EvaluatedObjects = {
  readonly objects: readonly ManagedObject[];
  readonly evaluate: (object: ManagedObject) => EvaluatedObject;
};

/** Returns the excluded assets by the name of the CRD that they miss. */
export function missingCrds({ objects, evaluate }: EvaluatedObjects): MissingCrds {
  const missing = new Map<string, string[]>();
  for (const object of objects)
    for (const [asset, status] of evaluate(object).statuses)
      if (status.kind === "excluded" && status.reason === "CRDMissing")
        missing.set(status.details, [...(missing.get(status.details) ?? []), asset]);
  return missing;
}

/** The installed CRDs, and the assets that are still excluded. */
export type DiscoveredCrds = {
  readonly crds: ReadonlySet<string>;
  readonly excluded: ReadonlySet<string>;
};

/** Returns the events for newly installed CRDs. Skips assets that are still excluded for another reason. */
export function eventsForDiscoveredCrds(
  before: MissingCrds,
  { crds, excluded }: DiscoveredCrds,
): readonly EventMessage[] {
  return [...before].flatMap(([crd, assets]) => {
    const ready = assets.filter((asset) => !excluded.has(asset));
    if (!crds.has(crd) || ready.length === 0) return [];
    return normalEvent("CRDDiscovered", `CRD ${crd} discovered, ${joinNames(ready)} assets can now be reconciled`);
  });
}

/** Returns the names of assets that are excluded for any reason. Omits held ones. */
export function excludedAssets({ objects, evaluate }: EvaluatedObjects): ReadonlySet<string> {
  const statuses = objects.flatMap((object) => [...evaluate(object).statuses]);
  return new Set(statuses.flatMap(([asset, { kind }]) => (kind === "excluded" ? [asset] : [])));
}

function joinNames(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
