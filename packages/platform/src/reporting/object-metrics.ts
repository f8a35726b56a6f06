import type { KubeObject } from "@virt/api";
import { readIgnoreFields } from "@virt/objects";
import { readOverrides } from "../baseline/overrides.ts";
import { inputLimitReason } from "../reboot/input-limit.ts";
import { rebootGateReason } from "../reboot/reboot-gate.ts";
import { isInSync, isUnsettled, objectFindingOf, type ReconcileOutcome } from "./reconcile-outcome.ts";

/** Values of the `reason` label on the metric for paused objects. */
export const pauseReasons = ["edit-war", "manual", "deletion-fight"] as const;
/** Values of the `reason` label on the metric for rebooting writes that are on hold. */
export const holdReasons = [rebootGateReason, inputLimitReason] as const;
/** Values of the `type` label on the metric for active overrides. */
export const customizationTypes = ["patch", "ignore", "unmanaged"] as const;
/** Values of the `type` label on the metric for invalid overrides. */
export const invalidOverrideTypes = ["patch", "ignore", "mode", "annotation"] as const;

/** The values of an object's metrics. Undefined values have no series. */
export type ObjectMetrics = {
  /** 1 if the object is in sync, 0 after a failure. Undefined if the operator cannot or should not decide. */
  readonly compliance: 0 | 1 | undefined;
  readonly paused: (typeof pauseReasons)[number] | undefined;
  readonly customizations: readonly (typeof customizationTypes)[number][];
  readonly invalid: readonly (typeof invalidOverrideTypes)[number][];
  readonly contested: number;
  readonly held: (typeof holdReasons)[number] | undefined;
};

export type ObjectMetricsInput = {
  readonly live: KubeObject | undefined;
  readonly last: ObjectMetrics | undefined;
  /** True if the failure may be temporary. */
  readonly isPassing: boolean;
};

/** Returns the metrics of an object, or undefined if it is not managed. */
export function objectMetricsOf(outcome: ReconcileOutcome, input: ObjectMetricsInput): ObjectMetrics | undefined {
  const { last } = input;
  if (outcome.kind === "excluded") return undefined;
  if (objectFindingOf(outcome) === "blind" && last !== undefined) return last;
  return {
    compliance: complianceOf(outcome, input),
    paused: pausedOf(outcome),
    ...overrideMetrics(outcome, input),
    contested: contestedIn(outcome) ?? (isUnsettled(outcome) ? (last?.contested ?? 0) : 0),
    held: holdReasons.find((reason) => reason === heldReasonOf(outcome)),
  };
}

function heldReasonOf(outcome: ReconcileOutcome): string | undefined {
  return outcome.kind === "decided" && outcome.decision.kind === "held" ? outcome.decision.reason : undefined;
}

/** Returns the compliance. It keeps its last value until a failure is certain. */
function complianceOf(outcome: ReconcileOutcome, { last, isPassing }: ObjectMetricsInput): ObjectMetrics["compliance"] {
  if (isInSync(outcome)) return 1;
  if ((outcome.kind === "failed" && !isPassing) || isMutated(outcome)) return 0;
  return isUnsettled(outcome) ? last?.compliance : undefined;
}

function isMutated(outcome: ReconcileOutcome): boolean {
  return outcome.kind === "applied"
    ? outcome.mutated.length > 0
    : outcome.kind === "decided" && outcome.decision.kind === "mutated";
}

function contestedIn(outcome: ReconcileOutcome): number | undefined {
  if (outcome.kind === "applied") return outcome.apply.contested.length;
  if (outcome.kind !== "decided") return undefined;
  const { decision } = outcome;
  return decision.kind === "contested" || decision.kind === "in-sync" || decision.kind === "mutated"
    ? decision.contested.length
    : undefined;
}

function overrideMetrics(
  outcome: ReconcileOutcome,
  { live }: ObjectMetricsInput,
): Pick<ObjectMetrics, "customizations" | "invalid"> {
  const { patch, ignoreFields, mistakes } = readOverrides(live);
  const decision = outcome.kind === "decided" ? outcome.decision : undefined;
  const mistaken = [...new Set(mistakes.map(({ reason }) => (reason === "InvalidMode" ? "mode" : "annotation")))];
  if (decision?.kind === "unmanaged") return { customizations: ["unmanaged"], invalid: mistaken };
  const isPatchInvalid = decision?.kind === "held" && decision.reason === "InvalidPatch";
  const isMaskHeld = decision?.kind === "held" && decision.reason === "InvalidIgnoreFields";
  const isMaskInvalid = isMaskHeld || (ignoreFields !== undefined && readIgnoreFields(ignoreFields).kind === "refused");
  return {
    customizations: [
      ...(patch !== undefined && !isPatchInvalid ? (["patch"] as const) : []),
      ...(ignoreFields !== undefined && !isMaskInvalid ? (["ignore"] as const) : []),
    ],
    invalid: [
      ...(isPatchInvalid ? (["patch"] as const) : []),
      ...(isMaskInvalid ? (["ignore"] as const) : []),
      ...mistaken,
    ],
  };
}

/** Returns the reason for the pause, or undefined if the object is not paused. */
export function pausedOf(outcome: ReconcileOutcome): ObjectMetrics["paused"] {
  if (outcome.kind === "paused-now") return "edit-war";
  if (outcome.kind !== "decided") return undefined;
  if (outcome.decision.kind === "deletion-fight") return "deletion-fight";
  return outcome.decision.kind === "paused" ? outcome.decision.reason : undefined;
}
