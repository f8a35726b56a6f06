// Limits the rebooting writes that changed inputs cause, and follows the inputs of an object from one reconcile to the next.

import {
  decideObject,
  decisionsFor,
  type EvaluatedObject,
  type HeldDecision,
  type InputMemory,
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

export type InputSources = {
  readonly object: ManagedObject;
  readonly evaluated: EvaluatedObject;
  readonly snapshot: Snapshot;
  readonly record: Pick<ObjectRecord, "inputs">;
  readonly runtime: Pick<PlatformRuntime, "version">;
};

export type NotedInputs = {
  readonly inputs: InputMemory | undefined;
  /** Set while the limit blocks a write. */
  readonly inputHold: HeldDecision | undefined;
};

/** Notes that no asset of the object is active. */
export function noteExcluded(sources: InputSources): NotedInputs {
  return { inputs: settleInputs(noteObserved(sources)), inputHold: undefined };
}

/** A decision, and the observation that it was made from. */
export type LimitedDecision = NotedInputs & { readonly decision: ObjectDecision; readonly observed: ObservedObject };

/** Decides. During a hold, drift from the content before the change is still corrected. */
export function decideWithinLimit(observed: ObservedObject, sources: InputSources): LimitedDecision {
  const inputs = noteObserved(sources);
  const { live, shapeOf, now } = observed;
  const decided = decideObject(observed);
  const write = nodeWriteOf(sources.object, decided, { live, shapeOf });
  const decision = limitInputWrite(decided, { write, inputs, now });
  const inputHold = isHeldByInputLimit(decision) ? decision : undefined;
  const before = inputHold && observedBeforeInput(observed, inputs);
  const correction = before && decideObject(before);
  return before !== undefined && correction?.kind === "apply" && correction.apply.cause === "drift"
    ? { decision: correction, observed: before, inputs, inputHold }
    : { decision, observed, inputs, inputHold };
}

function noteObserved({ object, evaluated, snapshot, record, runtime }: InputSources): InputMemory {
  const { wanted } = evaluated;
  return noteInputs(record.inputs, {
    wanted: wanted.kind === "object" ? { baseline: wanted.baseline, parts: wanted.parts } : undefined,
    decisions: decisionsFor(snapshot.hco, evaluated),
    version: runtime.version,
    live: snapshot.facts.live(object.ref),
  });
}

/** Returns the inputs after a reconcile. Once the object has the wanted content, no change of an input is pending. */
export function inputsAfter(
  outcome: ReconcileOutcome,
  { inputs, inputHold }: Pick<ObjectRecord, "inputs" | "inputHold">,
): InputMemory | undefined {
  const isWritten = outcome.kind === "applied" || isInSync(outcome);
  return isWritten && inputHold === undefined && inputs !== undefined ? settleInputs(inputs) : inputs;
}
