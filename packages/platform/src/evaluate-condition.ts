import type { Json } from "@virt/api";
import { type Detector, type Hardware, type HardwareChange, type Topology, topologyFields } from "@virt/cluster";
import { at, isMap } from "@virt/objects";
import type { AssetCondition } from "./asset.ts";
import { annotationOf, annotationPrefix } from "./hco-annotations.ts";
import { type AssetHcoFact, isGateOn } from "./hco-fact.ts";

/** The facts that conditions of assets may name. */
export type ConditionFacts = {
  readonly hco: AssetHcoFact;
  readonly hardware: Hardware;
  readonly hardwareChanges: readonly HardwareChange[];
  readonly topology: Topology;
  readonly images: Readonly<Record<string, string>>;
};

/** The result of a condition, with the expected and actual values if it is not met. */
export type ConditionFinding =
  | { readonly kind: "met" }
  | { readonly kind: "unmet"; readonly expected: string; readonly actual: string }
  | { readonly kind: "broken"; readonly reason: string };

/** Requires all conditions. Returns the first finding that is not met. */
export function evaluateConditions(conditions: readonly AssetCondition[], facts: ConditionFacts): ConditionFinding {
  for (const condition of conditions) {
    const finding = evaluateCondition(condition, facts);
    if (finding.kind !== "met") return finding;
  }
  return { kind: "met" };
}

/** Evaluates a condition. An invalid declaration results in `broken`, never in `met`. */
export function evaluateCondition(condition: AssetCondition, facts: ConditionFacts): ConditionFinding {
  const reason = brokenCondition(condition);
  if (reason !== undefined) return { kind: "broken", reason };
  switch (condition.type) {
    case "annotation":
      return annotationFinding(condition, facts.hco);
    case "feature-gate":
      return found(isGateOn(facts.hco, condition.value), `feature gate ${condition.value} enabled`, "not enabled");
    case "hardware-detection":
      return found(facts.hardware[condition.detector], `hardware ${condition.detector}`, undetected(condition, facts));
    case "topology":
      return topologyFinding(condition, facts.topology);
    case "image":
      return found(Object.hasOwn(facts.images, condition.key), `image ${condition.key}`, "absent");
    case "hco-field-unconfigured":
      return found(isUnconfigured(facts.hco, condition.path), `${condition.path} unconfigured`, "configured");
    case "anyOf":
      return anyFinding(condition.of.map((one) => evaluateCondition(one, facts)));
  }
}

function found(isMet: boolean, expected: string, actual: string): ConditionFinding {
  return isMet ? { kind: "met" } : { kind: "unmet", expected, actual };
}

function undetected({ detector }: { readonly detector: Detector }, { hardwareChanges }: ConditionFacts): string {
  const change = hardwareChanges.find(({ name }) => name === detector);
  return change === undefined
    ? "not detected"
    : `detected for less than 10 minutes; takes effect at ${change.countsAt} unless it disappears before then`;
}

type Of<Type extends AssetCondition["type"]> = Extract<AssetCondition, { type: Type }>;

function annotationFinding({ key, value }: Of<"annotation">, { annotations }: AssetHcoFact): ConditionFinding {
  const given = annotationOf(annotations, key);
  const isMet = value === undefined ? given !== undefined : given === value;
  const expected = value === undefined ? `${annotationPrefix}${key} present` : `${annotationPrefix}${key}=${value}`;
  return found(isMet, expected, given ?? "absent");
}

function topologyFinding({ field, value = "true" }: Of<"topology">, topology: Topology): ConditionFinding {
  const actual = `${topology[field]}`;
  return found(actual === value, `${field}=${value}`, `${field}=${actual}`);
}

// Absent, null and an empty map count as not configured.
function isUnconfigured(hco: AssetHcoFact, path: string): boolean {
  const value: Json | undefined = at(hco, ...path.split("."));
  return value === undefined || value === null || (isMap(value) && Object.keys(value).length === 0);
}

function anyFinding(findings: readonly ConditionFinding[]): ConditionFinding {
  if (findings.some(({ kind }) => kind === "met")) return { kind: "met" };
  const unmet = findings.flatMap((finding) => (finding.kind === "unmet" ? [finding] : []));
  return {
    kind: "unmet",
    expected: unmet.map(({ expected }) => expected).join(" or "),
    actual: unmet.map(({ actual }) => actual).join(", "),
  };
}

const required = new Map([
  ["annotation", "key"],
  ["feature-gate", "value"],
  ["hardware-detection", "detector"],
  ["image", "key"],
  ["hco-field-unconfigured", "path"],
]);

/** Returns the fault of a declaration that the compiler did not check, or undefined if it is valid. */
export function brokenCondition(condition: AssetCondition): string | undefined {
  const { type, ...given } = condition as { type: string } & Readonly<Record<string, unknown>>;
  const field = required.get(type);
  if (field !== undefined) return isText(given[field]) ? undefined : `${type} condition requires ${field} field`;
  if (type === "topology") return brokenTopology(given["field"]);
  if (type !== "anyOf") return `unknown condition type: ${type}`;
  const { of } = condition as Of<"anyOf">;
  if (!Array.isArray(of) || of.length === 0) return "anyOf condition requires of field";
  return of.map(brokenCondition).find((reason) => reason !== undefined);
}

function brokenTopology(field: unknown): string | undefined {
  if (!isText(field)) return "topology condition requires field";
  const isBoolean = topologyFields.some((known) => known === field);
  return isBoolean ? undefined : `topology field "${field}" is not a boolean`;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
