// The annotations by which people steer the operator: their names on the HyperConverged and on objects, and mistakes in them.

import { managedByLabel } from "@virt/api";
import { fieldPath, type Path } from "@virt/engine";
import { didYouMean, likelyMeant, shorten } from "./annotation-values.ts";
import type { Asset, AssetCondition } from "./asset.ts";
import { deviceAnnotations } from "./devices.ts";

/** Every annotation of ours starts with it. */
export const annotationPrefix = "platform.kubevirt.io/";

/** The annotations on one object: what people write to adjust it, and what the operator stores there. */
export const objectAnnotations = {
  patch: `${annotationPrefix}patch`,
  ignoreFields: `${annotationPrefix}ignore-fields`,
  mode: `${annotationPrefix}mode`,
  adopt: `${annotationPrefix}adopt`,
  paused: `${annotationPrefix}reconcile-paused`,
  state: `${annotationPrefix}state`,
} as const;

/** Holds fields that we released, so that their values stay. */
export const releasedManager = "virt-platform-operator-released";

/** Where the operator stores what it knows of an object. */
export const statePath: Path = fieldPath("metadata", "annotations", objectAnnotations.state);

const labelPath: Path = fieldPath("metadata", "labels", managedByLabel.key);

/** Whether it is the label that marks an object as managed. */
export function isOwnLabel(path: Path): boolean {
  return isSamePath(path, labelPath);
}

function isSamePath(left: Path, right: Path): boolean {
  return left.length === right.length && left.every((element, at) => element === right[at]);
}

/** Our memory is ours alone: no drift, nothing to release. */
export function isState(path: Path): boolean {
  return isSamePath(path, statePath);
}

/** An object without annotations differs from one with our memory alone. */
export function isStateParent(path: Path): boolean {
  return path.length === 2 && path[0] === statePath[0] && path[1] === statePath[1];
}

type Annotations = Readonly<Record<string, string>>;

/** The trimmed value under a short key such as `enable-swap`; undefined where it is absent. */
export function annotationOf(annotations: Annotations, key: string): string | undefined {
  const name = `${annotationPrefix}${key}`;
  return Object.hasOwn(annotations, name) ? annotations[name]?.trim() : undefined;
}

/** Exactly `true` or `false`; anything else counts as not set. */
export function booleanOf(annotations: Annotations, key: string): boolean | undefined {
  const value = annotationOf(annotations, key);
  return value === "true" || value === "false" ? value === "true" : undefined;
}

/** An annotation that is unknown, with the known one that was likely meant, or that has a value nobody can read. */
export type AnnotationProblem =
  | { readonly kind: "invalid"; readonly key: string; readonly reason: string }
  | { readonly kind: "unknown"; readonly key: string; readonly meant: string | undefined };

type Declares = Pick<Asset, "switch" | "conditions">;

/** In order of their keys, which are whole. Of the unknown ones only the first few are told. */
export function annotationProblems(
  annotations: Annotations,
  assets: readonly Declares[],
): readonly AnnotationProblem[] {
  const known = knownKeys(assets);
  const keys = Object.keys(annotations)
    .filter((name) => name.startsWith(annotationPrefix))
    .map((name) => name.slice(annotationPrefix.length))
    .toSorted();
  const invalid = keys.flatMap((key): readonly AnnotationProblem[] => {
    const reason = known.get(key)?.(annotationOf(annotations, key) ?? "");
    return reason === undefined ? [] : [{ kind: "invalid", key: `${annotationPrefix}${key}`, reason }];
  });
  const unknown = keys.filter((key) => !known.has(key)).slice(0, mostReported);
  return [...invalid, ...unknown.map((key) => unknownKey(key, [...known.keys()]))];
}

const mostReported = 10;

function unknownKey(key: string, known: readonly string[]): AnnotationProblem {
  const name = `${annotationPrefix}${shorten(key)}`;
  const meant = likelyMeant(key, known);
  return { kind: "unknown", key: name, meant: meant === undefined ? undefined : `${annotationPrefix}${meant}` };
}

type Check = (value: string) => string | undefined;

// What assets declare is known by their declaration alone; a check of ours comes before theirs.
function knownKeys(assets: readonly Declares[]): ReadonlyMap<string, Check> {
  return new Map<string, Check>([
    ...assets.flatMap(declaredKeys),
    ...plain.map((key) => [key, anything] as const),
    ...booleans.map((key) => [key, isBoolean] as const),
    ...Object.entries(deviceAnnotations),
    [rebootGateKey, refuseRebootGate],
  ]);
}

function declaredKeys({ switch: declared, conditions = [] }: Declares): readonly (readonly [string, Check])[] {
  const read = conditions.flatMap(annotationKeys).map((key) => [key, anything] as const);
  if (declared === undefined || "gate" in declared) return read;
  return [...read, "present" in declared ? [declared.present, anything] : [declared.annotation, isBoolean]];
}

function annotationKeys(condition: AssetCondition): readonly string[] {
  if (condition.type === "anyOf") return condition.of.flatMap(annotationKeys);
  return condition.type === "annotation" ? [condition.key] : [];
}

const anything: Check = () => undefined;
const isBoolean: Check = (value) => (value === "true" || value === "false" ? undefined : notBoolean(value));

/** Why a text is no boolean, with the one that was meant. */
export function notBoolean(value: string): string {
  return `must be true or false, not ${JSON.stringify(shorten(value))}${didYouMean(value, ["true", "false"])}`;
}

/** The short key of the gate before reboots, and its one value. */
export const rebootGateKey = "reboot-gate";
/** The only value that the gate knows. */
export const noBlockers = "no-blockers";

/** Why a value is none of the gate's; undefined: it is. */
export function refuseRebootGate(value: string): string | undefined {
  if (value === noBlockers) return undefined;
  return `must be ${noBlockers}, not ${JSON.stringify(shorten(value))}${didYouMean(value, [noBlockers])}`;
}

/** Whether a short key is read on the HyperConverged, and on no other object. */
export function isHcoKey(key: string): boolean {
  return key.startsWith("enable-") || hcoKeys.has(key) || Object.hasOwn(deviceAnnotations, key);
}

const booleans = ["prune", "enable-incident-detection"];

const onHcoAlone = [
  "autopilot", // its list is read with the assets, disabled-resources has a report of its own
  "disabled-resources",
  "feature-gates",
  "openshift", // accepted: what it said is read from the cluster
  // Known from the successor, without effect yet.
  "enable-logging",
  "enable-audit-logging",
  "enable-ksm-zero-only",
  "enable-thp-tuning",
  "enable-kubevirt-metrics-exporter",
  "kubevirt-metrics-exporter-env",
  "enable-in-flight-operations",
  "enable-node-remediation",
  "sbr-storage-class",
  "enable-vm-drain-shutdown-inhibitor",
  "enable-korrel8r",
];

const hcoKeys: ReadonlySet<string> = new Set([...onHcoAlone, ...booleans, rebootGateKey]);

/** Short keys of what is said about one object, whichever it is. */
export const objectKeys: readonly string[] = Object.values(objectAnnotations).map((name) =>
  name.slice(annotationPrefix.length),
);

const plain = [...onHcoAlone, ...objectKeys];
