// Applies the limit of rebooting writes that changed inputs cause to one reconcile, and remembers the inputs of the object.

import {
  decideObject,
  decisionsFor,
  type EvaluatedObject,
  isHeldByInputLimit,
  isInSync,
  limitInputWrite,
  type ManagedObject,
  nodeWriteOf,
  noteInputs,
  type ObjectDecision,
  type ObservedObject,
  observedBeforeInput,
  type ReconcileOutcome,
  settleInputs,
} from "@virt/platform";
import type { ObjectRecord, PlatformRuntime } from "./runtime.ts";
import type { Snapshot } from "./snapshot.ts";

export type InputReconcile = {
  readonly object: ManagedObject;
  readonly evaluated: EvaluatedObject;
  readonly snapshot: Snapshot;
  readonly record: ObjectRecord;
  readonly runtime: Pick<PlatformRuntime, "version">;
};

/** No asset of the object is active. */
export function forgetWanted(reconcile: InputReconcile): void {
  const { record } = reconcile;
  noteObserved(reconcile);
  if (record.inputs !== undefined) record.inputs = settleInputs(record.inputs);
  record.inputHold = undefined;
}

/** A decision, and what it was made from. */
export type LimitedDecision = { readonly decision: ObjectDecision; readonly observed: ObservedObject };

/** Decides. During a hold, drift from the content before the change is still corrected. */
export function decideWithinLimit(observed: ObservedObject, reconcile: InputReconcile): LimitedDecision {
  const { object, record } = reconcile;
  const inputs = noteObserved(reconcile);
  const { live, shapeOf, now } = observed;
  const decided = decideObject(observed);
  const decision = limitInputWrite(decided, { write: nodeWriteOf(object, decided, { live, shapeOf }), inputs, now });
  record.inputHold = isHeldByInputLimit(decision) ? decision : undefined;
  const before = record.inputHold && observedBeforeInput(observed, inputs);
  const correction = before && decideObject(before);
  return before !== undefined && correction?.kind === "apply" && correction.apply.cause === "drift"
    ? { decision: correction, observed: before }
    : { decision, observed };
}

function noteObserved({ object, evaluated, snapshot, record, runtime }: InputReconcile) {
  const { wanted } = evaluated;
  record.inputs = noteInputs(record.inputs, {
    wanted: wanted.kind === "object" ? { baseline: wanted.baseline, parts: wanted.parts } : undefined,
    decisions: decisionsFor(snapshot.hco, evaluated),
    version: runtime.version,
    live: snapshot.facts.live(object.ref),
  });
  return record.inputs;
}

/** Once the object is as wanted, no change of an input is pending. */
export function settleInputsAfter(outcome: ReconcileOutcome, record: ObjectRecord): void {
  const isWritten = outcome.kind === "applied" || isInSync(outcome);
  if (isWritten && record.inputHold === undefined && record.inputs !== undefined)
    record.inputs = settleInputs(record.inputs);
}
