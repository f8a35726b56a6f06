// Limits rebooting writes caused by changed inputs, and tracks an object's inputs across reconciles.

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
  readonly inputHold: HeldDecision | undefined;
};

export function noteExcluded(sources: InputSources): NotedInputs {
  return { inputs: settleInputs(noteObserved(sources)), inputHold: undefined };
}

export type LimitedDecision = NotedInputs & { readonly decision: ObjectDecision; readonly observed: ObservedObject };

/** Decides within the limit. During a hold, it still corrects drift from the earlier content. */
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

/** Returns the inputs after a reconcile. Clears the pending change if the object is in sync. */
export function inputsAfter(
  outcome: ReconcileOutcome,
  { inputs, inputHold }: Pick<ObjectRecord, "inputs" | "inputHold">,
): InputMemory | undefined {
  const isWritten = outcome.kind === "applied" || isInSync(outcome);
  return isWritten && inputHold === undefined && inputs !== undefined ? settleInputs(inputs) : inputs;
}
