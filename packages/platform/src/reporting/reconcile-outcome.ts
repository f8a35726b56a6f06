// The outcome of a reconcile, from which events, metrics, counts and the report are derived.

import type { KubeObject, Ref } from "@virt/api";
import type { Change, WriteResult } from "@virt/objects";
import type { ApplyDecision, ObjectDecision } from "../baseline/decision.ts";
import type { EvaluatedObject } from "../evaluate/evaluate-object.ts";
import { isHeldByInputLimit } from "../reboot/input-limit.ts";
import { isHeldAtGate } from "../reboot/reboot-gate.ts";

/** The outcome of reconciling an object. `excluded`: no asset applies it. */
export type ReconcileOutcome =
  | { readonly kind: "excluded" }
  | { readonly kind: "decided"; readonly decision: ObjectDecision }
  | AppliedOutcome
  /** The reconcile detected an edit war and wrote the pause annotation. */
  | { readonly kind: "paused-now"; readonly decision: Extract<ObjectDecision, { kind: "pause" }> }
  | { readonly kind: "failed"; readonly message: string; readonly isPermanent: boolean };

export type AppliedOutcome = {
  readonly kind: "applied";
  readonly apply: ApplyDecision;
  /** Undefined if the object was created. */
  readonly before: KubeObject | undefined;
  readonly live: KubeObject;
  readonly mutated: readonly Change[];
};

/** The outcome of reconciling an object, with the evaluation that led to it. */
export type ReconciledObject = { readonly outcome: ReconcileOutcome; readonly evaluated: EvaluatedObject };

/**
 * The finality of an outcome. `passing`: a write is pending. `held`: it waits for a user, the reboot gate or the input
 * limit. `blind`: an input is missing. `settled`: none of these.
 */
export type ObjectFinding = "settled" | "passing" | "held" | "blind";

const invalidOverrides: ReadonlySet<string> = new Set([
  "InvalidPatch",
  "InvalidIgnoreFields",
  "InvalidMode",
  "InvalidConfiguration",
  "UnknownAnnotation",
]);

/** Returns whether the outcome is final. Events and metrics depend on this. */
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

/** Event reasons that are undecided while an asset waits for a missing input. */
const ofHeldAssets = [
  "GovernedByPlan",
  "ManagedByAutopilot",
  "AutopilotTookOver",
  "ReleasedByPlan",
  "AlreadyProvided",
  "PurposeConflict",
  "RenderFailed",
  "ValueLimited",
];

/** Returns the event reasons that the outcome cannot confirm or clear. Their recorded events stay. */
export function undecidedReasons(outcome: ReconcileOutcome, { statuses }: EvaluatedObject): ReadonlySet<string> {
  const isHeld = [...statuses.values()].some(({ kind }) => kind === "held");
  const failed = outcome.kind === "failed" ? ["Contested"] : [];
  return new Set([...undecidedBy[objectFindingOf(outcome)], ...failed, ...(isHeld ? ofHeldAssets : [])]);
}

/** Reports whether the object is in sync, with or without a write. */
export function isInSync(outcome: ReconcileOutcome): boolean {
  return (
    (outcome.kind === "applied" && outcome.mutated.length === 0) ||
    (outcome.kind === "decided" && outcome.decision.kind === "in-sync")
  );
}

/** Reports whether the next reconcile may have a different result even if nothing changes. */
export function isUnsettled(outcome: ReconcileOutcome): boolean {
  return outcome.kind === "failed" || objectFindingOf(outcome) !== "settled";
}

/** Returns the reason for a failed write, to complete a sentence. */
export function explainFailure(result: WriteResult, { apiVersion, kind, namespace = "" }: Ref): string {
  switch (result.kind) {
    case "done":
      return "the API server's response does not contain the object";
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
