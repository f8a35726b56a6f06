// Checks that the plan in the status is the one that this operator would draft, because other clients can forge the
// status.

import type { Item, JsonMap, ReviewReason } from "@virt/api";
import { equalJson, type Json, targetKey } from "@virt/objects";
import { otherWarnings } from "./autopilot-targets.ts";
import { type ReconcileFacts, withLiveTargets } from "./facts.ts";
import { hashOrigin, reviewedNow } from "./hashes.ts";
import { plannedInputs, plannedItems } from "./plan.ts";
import type { PlannedItem } from "./profile.ts";

export type PlanCheck =
  /** The plan could not be checked, because not all of its inputs were read. Nothing may be written. */
  { readonly kind: "unchecked" } | { readonly kind: "intact" } | PlanDifference;

export type PlanDifference = {
  readonly kind: "differs";
  readonly reason: Extract<ReviewReason, "InputChanged" | "OperatorUpgraded" | "PlanStale" | "PlanTampered">;
  readonly text: string;
};

/** Check this before other findings, because tampering can cause them. */
export function isTampered(check: PlanCheck): check is PlanDifference & { readonly reason: "PlanTampered" } {
  return check.kind === "differs" && check.reason === "PlanTampered";
}

/** Renders the plan from the spec and the cluster, and compares the result with the stored plan. Also checks the hash. */
export function checkPlan(facts: ReconcileFacts): PlanCheck {
  if (!facts.isForDraft) return { kind: "unchecked" };
  const { items = [] } = facts.config.status ?? {};
  const differences = rendersOf(facts, items).map((planned) => differenceOf(items, planned));
  if (!differences.includes(undefined)) return explainDifference(facts, differences[0] ?? "");
  return earlierHash(facts) ?? checkSeal(facts);
}

/** Returns the hash that an earlier release stored, if the plan is already running. A pending plan gets a new hash instead. */
function earlierHash({ config: { spec, status = {} } }: ReconcileFacts): PlanDifference | undefined {
  const origin = hashOrigin(status.planHash, spec, status.items ?? [], status.disruption);
  if (origin.kind !== "earlier" || status.phase === "InProgress") return undefined;
  const text = `the plan hash now also covers ${origin.additions.join(" and ")}`;
  return { kind: "differs", reason: "OperatorUpgraded", text };
}

function checkSeal(facts: ReconcileFacts): PlanCheck {
  const text = sealDifference(facts);
  return text === undefined ? { kind: "intact" } : explainDifference(facts, text);
}

/** Reports whether rendering gives these items. With bypassOptimisticLock, the plan may also result from the current targets. */
function rendersOf(facts: ReconcileFacts, items: readonly Item[]): readonly (readonly PlannedItem[])[] {
  const now = plannedItems(facts);
  if (!facts.config.spec.bypassOptimisticLock) return [now];
  const applied = new Map(items.map(({ targetRef, desiredState }) => [targetKey(targetRef), desiredState]));
  return [now, plannedItems(withLiveTargets(facts, applied))];
}

/** Returns the first difference, as a clause for a message. A deletion is in the stored plan only if its target existed. */
function differenceOf(items: readonly Item[], planned: readonly PlannedItem[]): string | undefined {
  const isStored = ({ name }: PlannedItem) => items.some((item) => item.name === name);
  const expected = planned.filter((one) => one.operation === "Apply" || isStored(one));
  const [names, wanted] = [items, expected].map((all) => all.map(({ name }) => name).join(", "));
  if (names !== wanted) return `its items are ${names || "none"}, but should be ${wanted || "none"}`;
  for (const [index, item] of items.entries()) {
    const field = expected[index] && differingField(item, expected[index]);
    if (field !== undefined) return `${field} of item '${item.name}' differs`;
  }
  return undefined;
}

function differingField(item: Item, planned: PlannedItem): string | undefined {
  const { operation, targetRef, desiredState = null, managedFields = [], waitsFor = null } = item;
  const stored: JsonMap = { operation, targetRef: { ...targetRef }, desiredState, managedFields, waitsFor };
  const rendered: Readonly<Record<string, Json>> = {
    operation: planned.operation,
    targetRef: { ...planned.target },
    desiredState: planned.operation === "Apply" ? planned.desired : null,
    managedFields: planned.managedFields,
    waitsFor: planned.waitsFor ?? null,
  };
  const isSkipped = planned.operation === "Apply" && planned.isSkipped === true;
  const differing = Object.keys(stored).find((field) => !equalJson(stored[field], rendered[field]));
  return differing ?? (isSkipped && item.changes ? "changes" : undefined);
}

/** Checks the plan hash and the hashes of the reviewed targets. Skips items whose drift was corrected. */
function sealDifference({ config: { spec, status = {} } }: ReconcileFacts): string | undefined {
  const { items = [], disruption, planHash } = status;
  if (hashOrigin(planHash, spec, items, disruption).kind === "unknown")
    return "its content does not match its planHash";
  const isCorrected = ({ corrections = [] }: Item) => spec.bypassOptimisticLock && corrections.length > 0;
  const moved = items.find(
    (item) => item.state !== "Completed" && !isCorrected(item) && item.reviewed?.hash !== item.sourceHash,
  );
  return moved && `field reviewed of item '${moved.name}' differs`;
}

/** Looks for another explanation of the difference first, because tampering is the least likely cause. */
function explainDifference(facts: ReconcileFacts, text: string): PlanDifference {
  const { operatorVersion = "", inputs = [] } = facts.config.status ?? {};
  const moved = plannedInputs(facts).find(({ name, now, planned }) => {
    const used = inputs.find((record) => record.name === name)?.used;
    return used !== undefined && now !== undefined && now !== used && now !== planned;
  });
  if (moved !== undefined) {
    const used = inputs.find(({ name }) => name === moved.name)?.used;
    return { kind: "differs", reason: "InputChanged", text: moved.describe(used ?? "", moved.now ?? "") };
  }
  // Another operator version may render or hash differently, so the difference is not a sign of tampering.
  if (operatorVersion !== facts.operator.version)
    return {
      kind: "differs",
      reason: "OperatorUpgraded",
      text: `it was drafted by operator version ${operatorVersion}`,
    };
  if (isTargetMoved(facts)) return { kind: "differs", reason: "PlanStale", text };
  // The status is still as this process wrote it, so the inputs must have changed.
  if (facts.statusOrigin === "own")
    return {
      kind: "differs",
      reason: "InputChanged",
      text: `the profile now renders a different plan: ${text}`,
    };
  return { kind: "differs", reason: "PlanTampered", text };
}

/** Reports whether a target changed. Uses the profile's list of managed fields, because the one in the status may be forged. */
function isTargetMoved(facts: ReconcileFacts): boolean {
  const planned = plannedItems(facts);
  return (facts.config.status?.items ?? []).some(({ name, state, sourceHash, targetRef: stored }) => {
    const one = planned.find((each) => each.name === name);
    if (one === undefined || state !== "Pending") return false;
    const { target: targetRef, managedFields } = one;
    if (targetKey(targetRef) !== targetKey(stored)) return false; // the real target is not watched
    return reviewedNow({ targetRef, managedFields }, facts.live(targetRef)).hash !== sourceHash;
  });
}

export type ShownDifference = Pick<PlanDifference, "reason" | "text">;

/** Compares the parts of the plans that reviewers see. Returns the first difference, or undefined. */
export function shownDifference(stored: readonly Item[], fresh: readonly Item[]): ShownDifference | undefined {
  if (stored.length !== fresh.length) return { reason: "PlanTampered", text: "its items differ" };
  for (const item of stored) {
    const other = fresh.find(({ name }) => name === item.name);
    const [shown, anew] = [item, other].map((one) => one && displayOf(one));
    const field = shown && anew && Object.keys(shown).find((key) => !equalJson(shown[key], anew[key]));
    if (field === undefined) continue;
    const reason = incidentalFields.includes(field) ? "PlanStale" : "PlanTampered";
    return { reason, text: `${field} of item '${item.name}' differs` };
  }
  return undefined;
}

/** These parts also depend on fields that the advisor does not manage, so they may change without tampering. */
const incidentalFields: readonly string[] = ["conflicts", "warnings", "message"];

function displayOf(item: Item): JsonMap {
  const { impactSeverity, changes, message, conflicts = [] } = item;
  return {
    impactSeverity,
    changes,
    message,
    warnings: otherWarnings(item),
    conflicts: conflicts.map(({ field, manager }) => ({ field, manager })),
    diff: changedLines(item.diff),
  };
}

/** Returns the changed lines. Context lines may contain fields of other clients, so they are ignored. */
function changedLines(diff: string): readonly string[] {
  return diff.split("\n").filter((line) => !line.startsWith(" ") && !line.startsWith("@@"));
}
