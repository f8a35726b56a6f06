// The operator's annotations on the HyperConverged and on objects, and their validation.

import { activationAnnotation, autopilotAnnotation, governorAnnotation, managedByLabel } from "@virt/api";
import { fieldPath, type Path } from "@virt/objects";
import { didYouMean, likelyMeant, shorten } from "./annotation-values.ts";
import type { Asset, AssetCondition } from "./asset.ts";
import { deviceAnnotations } from "./devices.ts";

/** The prefix of all annotations of the platform controller, with its slash. */
export const annotationPrefix = "platform.kubevirt.io/";

/** Annotations on one object: the user's overrides, and the operator's state. */
export const objectAnnotations = {
  patch: `${annotationPrefix}patch`,
  ignoreFields: `${annotationPrefix}ignore-fields`,
  mode: `${annotationPrefix}mode`,
  adopt: `${annotationPrefix}adopt`,
  governor: governorAnnotation,
  paused: `${annotationPrefix}reconcile-paused`,
  state: `${annotationPrefix}state`,
} as const;

/** The field manager that holds released fields, so that they keep their values. */
export const releasedManager = "virt-platform-operator-released";

export const statePath: Path = fieldPath("metadata", "annotations", objectAnnotations.state);

const labelPath: Path = fieldPath("metadata", "labels", managedByLabel.key);

/** Reports whether the path is that of the operator's own label, which is not content. */
export function isOwnLabel(path: Path): boolean {
  return isSamePath(path, labelPath);
}

function isSamePath(left: Path, right: Path): boolean {
  return left.length === right.length && left.every((element, at) => element === right[at]);
}

/** Reports whether the path is that of the state annotation, which is never drift and never released. */
export function isState(path: Path): boolean {
  return isSamePath(path, statePath);
}

/** Reports whether the path is `metadata.annotations`. Writing the state annotation alone creates it. */
export function isStateParent(path: Path): boolean {
  return path.length === 2 && path[0] === statePath[0] && path[1] === statePath[1];
}

type Annotations = Readonly<Record<string, string>>;

/** Returns the value of a complete key, with its spaces. Undefined if it is absent. */
export function exactAnnotation(annotations: Annotations, name: string): string | undefined {
  return Object.hasOwn(annotations, name) ? annotations[name] : undefined;
}

/** Returns the trimmed value of a short key such as `enable-swap`, or undefined if it is absent. */
export function annotationOf(annotations: Annotations, key: string): string | undefined {
  const name = `${annotationPrefix}${key}`;
  return Object.hasOwn(annotations, name) ? annotations[name]?.trim() : undefined;
}

/** Returns the value of exactly `true` or `false`, or undefined for anything else. */
export function booleanOf(annotations: Annotations, key: string): boolean | undefined {
  const value = annotationOf(annotations, key);
  return value === "true" || value === "false" ? value === "true" : undefined;
}

/** An annotation that is malformed or unknown. `meant` is a known key with a similar spelling. */
export type AnnotationProblem =
  | { readonly kind: "invalid"; readonly key: string; readonly reason: string }
  | { readonly kind: "unknown"; readonly key: string; readonly meant: string | undefined };

type Declares = Pick<Asset, "switch" | "conditions">;

/** Returns all invalid values, then at most 10 unknown annotations, each sorted by key. Keys are complete. */
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

// Assets declare their own keys. The operator's own checks come later and take precedence.
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

export function notBoolean(value: string): string {
  return `must be true or false, not ${JSON.stringify(shorten(value))}${didYouMean(value, ["true", "false"])}`;
}

/** The annotation that enables the reboot gate, without its prefix. */
export const rebootGateKey = "reboot-gate";
/** The only value of the reboot gate. */
export const noBlockers = "no-blockers";

export function refuseRebootGate(value: string): string | undefined {
  if (value === noBlockers) return undefined;
  return `must be ${noBlockers}, not ${JSON.stringify(shorten(value))}${didYouMean(value, [noBlockers])}`;
}

export function isHcoKey(key: string): boolean {
  return key.startsWith("enable-") || hcoKeys.has(key) || Object.hasOwn(deviceAnnotations, key);
}

const booleans = ["prune", "enable-incident-detection"];

const shortKey = (name: string) => name.slice(annotationPrefix.length);

/** Keys of virt-platform-autopilot that have no effect here. They are valid on every object. */
const ofAutopilot = [
  "managed-by",
  "version",
  "enable-cpu-manager-perf-tunings",
  "enable-logging",
  "enable-audit-logging",
  "logging-storage-class",
  "enable-kubevirt-metrics-exporter",
  "kubevirt-metrics-exporter-env",
  "enable-vm-drain-shutdown-inhibitor",
];

const autopilotKeys: ReadonlySet<string> = new Set(ofAutopilot);

/** Reports whether the key belongs to virt-platform-autopilot and has no effect here. */
export function isAutopilotKey(key: string): boolean {
  return autopilotKeys.has(key);
}

const onHcoAlone = [
  shortKey(activationAnnotation), // the activation validates its list, and disabled-resources has its own report
  shortKey(autopilotAnnotation),
  "disabled-resources",
  "feature-gates",
  "openshift", // accepted for compatibility: the operator detects OpenShift
  // Reserved for future releases, without effect.
  "enable-ksm-zero-only",
  "enable-thp-tuning",
  "enable-node-remediation",
  "sbr-storage-class",
];

const hcoKeys: ReadonlySet<string> = new Set([...onHcoAlone, ...booleans, rebootGateKey]);

/** Short keys that are valid on every managed object. */
export const objectKeys: readonly string[] = Object.values(objectAnnotations).map((name) =>
  name.slice(annotationPrefix.length),
);

const plain = [...onHcoAlone, ...ofAutopilot, ...objectKeys];
