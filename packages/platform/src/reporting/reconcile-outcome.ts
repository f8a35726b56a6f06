// What became of an object in a reconcile: events, metrics, counts and the report are made of it.

import type { KubeObject, Ref } from "@virt/api";
import type { Change, WriteResult } from "@virt/engine";
import type { ApplyDecision, ObjectDecision } from "../baseline/decision.ts";
import type { EvaluatedObject } from "../evaluate/evaluate-object.ts";
import { isHeldByInputLimit } from "../reboot/input-limit.ts";
import { isHeldAtGate } from "../reboot/reboot-gate.ts";

/** What became of one object in one reconcile. */
export type ReconcileOutcome =
  | { readonly kind: "excluded" }
  /** Nothing was written. */
  | { readonly kind: "decided"; readonly decision: ObjectDecision }
  | AppliedOutcome
  /** The marker that ends an edit war was written. */
  | { readonly kind: "paused-now"; readonly decision: Extract<ObjectDecision, { kind: "pause" }> }
  | { readonly kind: "failed"; readonly message: string; readonly isPermanent: boolean };

export type AppliedOutcome = {
  readonly kind: "applied";
  readonly apply: ApplyDecision;
  /** Undefined: it was created. */
  readonly before: KubeObject | undefined;
  readonly live: KubeObject;
  /** What admission made of it. */
  readonly mutated: readonly Change[];
};

/** An object's outcome, with the evaluation that it came from. */
export type ReconciledObject = { readonly outcome: ReconcileOutcome; readonly evaluated: EvaluatedObject };

/**
 * What a reconcile found out. Settled: all. Passing: something is due and not done yet. Held: people have to correct an
 * override first, or set a gate that is closed. Blind: an input is missing, and nothing is known.
 */
export type ObjectFinding = "settled" | "passing" | "held" | "blind";

const invalidOverrides: ReadonlySet<string> = new Set([
  "InvalidPatch",
  "InvalidIgnoreFields",
  "InvalidMode",
  "InvalidConfiguration",
  "UnknownAnnotation",
]);

/** What an outcome says about the object. */
export function objectFindingOf(outcome: ReconcileOutcome): ObjectFinding {
  if (outcome.kind === "failed") return outcome.isPermanent ? "settled" : "passing";
  if (outcome.kind !== "decided") return "settled";
  if (outcome.decision.kind === "wait") return "passing";
  if (outcome.decision.kind !== "held") return "settled";
  const { decision } = outcome;
  const isHeld = invalidOverrides.has(decision.reason) || isHeldAtGate(decision) || isHeldByInputLimit(decision);
  return isHeld ? "held" : "blind";
}

const undecidedBy: Readonly<Record<ObjectFinding, readonly string[]>> = {
  settled: [],
  passing: ["Contested", "ApplyFailed", "DriftDetected"],
  held: ["Contested", "ApplyFailed"],
  blind: [
    "Contested",
    "ApplyFailed",
    "DriftDetected",
    "InvalidPatch",
    "InvalidIgnoreFields",
    "InvalidMode",
    "InvalidConfiguration",
    "UnknownAnnotation",
    "UnmanagedMode",
    "ThrashingDetected",
  ],
};

/** Of an asset whose input is missing nobody knows whether it would still yield, or render. */
const ofHeldAssets = [
  "GovernedByPlan",
  "ReleasedByPlan",
  "AlreadyProvided",
  "PurposeConflict",
  "RenderFailed",
  "ValueLimited",
];

/** Reasons of events that a reconcile says nothing about: what was recorded of them is not over. */
export function undecidedReasons(outcome: ReconcileOutcome, { statuses }: EvaluatedObject): ReadonlySet<string> {
  const isHeld = [...statuses.values()].some(({ kind }) => kind === "held");
  const failed = outcome.kind === "failed" ? ["Contested"] : [];
  return new Set([...undecidedBy[objectFindingOf(outcome)], ...failed, ...(isHeld ? ofHeldAssets : [])]);
}

/** Whether the object is as it is wanted, by a write or without one. */
export function isInSync(outcome: ReconcileOutcome): boolean {
  return (
    (outcome.kind === "applied" && outcome.mutated.length === 0) ||
    (outcome.kind === "decided" && outcome.decision.kind === "in-sync")
  );
}

/** Whether the next reconcile may find something else without anything having changed. */
export function isUnsettled(outcome: ReconcileOutcome): boolean {
  return outcome.kind === "failed" || objectFindingOf(outcome) !== "settled";
}

/** Why a write failed, for people; of a write to this object. */
export function explainFailure(result: WriteResult, { apiVersion, kind, namespace = "" }: Ref): string {
  switch (result.kind) {
    case "done":
      return "the response of the API server does not contain the object";
    case "stale":
      return "the object was modified concurrently";
    case "absent":
      return "the object was deleted concurrently";
    case "conflict":
      return `other clients own fields: ${result.conflicts.map(({ field, manager }) => `${field} (${manager})`).join(", ")}`;
    case "missing":
      return result.what === "namespace"
        ? `namespace ${namespace} does not exist`
        : `kind ${kind} of ${apiVersion} is not served`;
    case "rejected":
    case "unavailable":
      return result.message;
  }
}
