// Decides what to do with one managed object, based on caches only. Limits reboots that are caused by changed inputs.

import type { KubeObject } from "@virt/api";
import { fullBucket } from "@virt/objects";
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
  noteThere,
  type ObjectDecision,
  type ObjectMemory,
  type ObservedObject,
  observedBeforeInput,
  observeObject,
  type ReconcileOutcome,
  settleInputs,
} from "@virt/platform";
import { managedInformer } from "@virt/reads";
import type { GateResult } from "./reboot-impact.ts";
import type { ObjectRecord, PlatformRuntime } from "./runtime.ts";
import type { Snapshot } from "./snapshot.ts";

export type ReadyObject = {
  readonly object: ManagedObject;
  readonly snapshot: Snapshot;
  readonly record: ObjectRecord;
};

type NotedInputs = {
  readonly inputs: InputMemory | undefined;
  readonly inputHold: HeldDecision | undefined;
};

export type DecidedObject = { readonly evaluated: EvaluatedObject } & (
  | ({ readonly kind: "excluded" } & NotedInputs)
  | { readonly kind: "on-hold"; readonly outcome: ReconcileOutcome }
  | DueAction
);

export type DueAction = NotedInputs & {
  readonly kind: "decided";
  readonly evaluated: EvaluatedObject;
  readonly decision: ObjectDecision;
  readonly observed: ObservedObject;
  readonly live: KubeObject | undefined;
  readonly memory: ObjectMemory;
  readonly gate: GateResult;
};

export function decide({ object, snapshot, record }: ReadyObject, runtime: PlatformRuntime): DecidedObject {
  const evaluated = snapshot.evaluate(object);
  const { wanted } = evaluated;
  const sources = { object, evaluated, snapshot, record, runtime };
  if (wanted.kind === "excluded")
    return { kind: "excluded", evaluated, inputs: settleInputs(noteObserved(sources)), inputHold: undefined };
  if (wanted.kind === "held") return onHold(wanted, evaluated);
  // Until the informer has synced, an object that is not in the cache may still exist. The sync enqueues the object
  // again.
  const informer = runtime.find(managedInformer(object.ref, runtime.settings.hcoNamespace));
  if (informer?.state !== "synced")
    return onHold({ reason: "InputUnavailable", message: informer?.lastError ?? "cache not synced" }, evaluated);
  const live = snapshot.facts.live(object.ref);
  const before = record.memory ?? { bucket: fullBucket, wasThere: false };
  const memory = live === undefined ? before : noteThere(before, live);
  const times = { now: runtime.clock.wall(), monotonicMs: runtime.clock.monotonic() };
  const limited = decideWithinLimit(
    observeObject(object, wanted, { facts: snapshot.facts, ...times, memory }),
    sources,
  );
  const { observed, inputs, inputHold } = limited;
  const gate = runtime.rebootImpact.passGate(limited.decision, { object, live, shapeOf: observed.shapeOf, snapshot });
  return { kind: "decided", evaluated, decision: gate.decision, observed, live, memory, inputs, inputHold, gate };
}

function onHold(why: { readonly reason: string; readonly message: string }, evaluated: EvaluatedObject): DecidedObject {
  const { reason, message } = why;
  return { kind: "on-hold", evaluated, outcome: { kind: "decided", decision: { kind: "held", reason, message } } };
}

type InputSources = ReadyObject & {
  readonly evaluated: EvaluatedObject;
  readonly runtime: Pick<PlatformRuntime, "version">;
};

type LimitedDecision = NotedInputs & { readonly decision: ObjectDecision; readonly observed: ObservedObject };

/** Decides the action. If a changed input is on hold, still corrects drift from the previous content. */
function decideWithinLimit(observed: ObservedObject, sources: InputSources): LimitedDecision {
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
    decisions: decisionsFor(snapshot.hco, evaluated, snapshot.facts.activation),
    version: runtime.version,
    live: snapshot.facts.live(object.ref),
  });
}

/** Returns the remembered inputs after a reconcile. Clears the pending change if the object is in sync. */
export function inputsAfter(
  outcome: ReconcileOutcome,
  { inputs, inputHold }: Pick<ObjectRecord, "inputs" | "inputHold">,
): InputMemory | undefined {
  const isWritten = outcome.kind === "applied" || isInSync(outcome);
  return isWritten && inputHold === undefined && inputs !== undefined ? settleInputs(inputs) : inputs;
}
