// What people say to the whole operator by annotations on the HyperConverged, and what of it makes no sense.

import type { Asset } from "./asset.ts";
import { objectAnnotations } from "./baseline/names.ts";
import type { Condition } from "./condition.ts";
import { deviceAnnotations } from "./devices.ts";
import { nearest } from "./nearest.ts";
import { shorten } from "./shorten.ts";

/** Every annotation of ours starts with it. */
export const annotationPrefix = "platform.kubevirt.io/";

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

export type AnnotationProblem =
  | { readonly kind: "invalid"; readonly key: string; readonly reason: string }
  | { readonly kind: "unknown"; readonly key: string; readonly nearest: string };

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
  const unknown = keys.filter((key) => !known.has(key)).slice(0, mostTold);
  return [...invalid, ...unknown.map((key) => unknownKey(key, [...known.keys()]))];
}

const mostTold = 10;

function unknownKey(key: string, known: readonly string[]): AnnotationProblem {
  const name = `${annotationPrefix}${shorten(key)}`;
  return { kind: "unknown", key: name, nearest: `${annotationPrefix}${nearest(key, known)}` };
}

type Check = (value: string) => string | undefined;

// What assets declare is known by their declaration alone; a check of ours comes before theirs.
function knownKeys(assets: readonly Declares[]): ReadonlyMap<string, Check> {
  return new Map<string, Check>([
    ...assets.flatMap(declaredKeys),
    ...plain.map((key) => [key, anything] as const),
    ...booleans.map((key) => [key, isBoolean] as const),
    ...Object.entries(deviceAnnotations),
  ]);
}

function declaredKeys({ switch: declared, conditions = [] }: Declares): readonly (readonly [string, Check])[] {
  const read = conditions.flatMap(annotationKeys).map((key) => [key, anything] as const);
  if (declared === undefined || "gate" in declared) return read;
  return [...read, "present" in declared ? [declared.present, anything] : [declared.annotation, isBoolean]];
}

function annotationKeys(condition: Condition): readonly string[] {
  if (condition.type === "anyOf") return condition.of.flatMap(annotationKeys);
  return condition.type === "annotation" ? [condition.key] : [];
}

const anything: Check = () => undefined;
const isBoolean: Check = (value) =>
  value === "true" || value === "false" ? undefined : `must be true or false, not ${JSON.stringify(shorten(value))}`;

const booleans = ["prune", "enable-incident-detection"];

const plain = [
  "autopilot", // its list is read with the assets, disabled-resources has a report of its own
  "disabled-resources",
  "feature-gates",
  "openshift", // accepted: what it said is read from the cluster
  ...Object.values(objectAnnotations).map((name) => name.slice(annotationPrefix.length)),
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
