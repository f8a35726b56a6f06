// Decides the action for one managed object. Reads only caches.

import type { KubeObject } from "@virt/api";
import { fullBucket } from "@virt/objects";
import {
  type EvaluatedObject,
  type ManagedObject,
  noteThere,
  type ObjectDecision,
  type ObjectMemory,
  type ObservedObject,
  observeObject,
  type ReconcileOutcome,
} from "@virt/platform";
import { managedInformer } from "@virt/reads";
import { decideWithinLimit, type NotedInputs, noteExcluded } from "./input-hold.ts";
import type { GateResult } from "./reboot-impact.ts";
import type { ObjectRecord, PlatformRuntime } from "./runtime.ts";
import type { Snapshot } from "./snapshot.ts";

export type ReadyObject = {
  readonly object: ManagedObject;
  readonly snapshot: Snapshot;
  readonly record: ObjectRecord;
};

export type DecidedObject = { readonly evaluated: EvaluatedObject } & (
  | { readonly kind: "excluded"; readonly inputs: NotedInputs }
  | { readonly kind: "on-hold"; readonly outcome: ReconcileOutcome }
  | DueAction
);

export type DueAction = {
  readonly kind: "decided";
  readonly evaluated: EvaluatedObject;
  readonly decision: ObjectDecision;
  readonly observed: ObservedObject;
  readonly live: KubeObject | undefined;
  readonly memory: ObjectMemory;
  readonly inputs: NotedInputs;
  readonly gate: GateResult;
};

export function decide({ object, snapshot, record }: ReadyObject, runtime: PlatformRuntime): DecidedObject {
  const evaluated = snapshot.evaluate(object);
  const { wanted } = evaluated;
  const sources = { object, evaluated, snapshot, record, runtime };
  if (wanted.kind === "excluded") return { kind: "excluded", evaluated, inputs: noteExcluded(sources) };
  if (wanted.kind === "held") return onHold(wanted, evaluated);
  // Before the first list, a missing object may exist. The end of that list enqueues the object.
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
  const { decision } = gate;
  return { kind: "decided", evaluated, decision, observed, live, memory, inputs: { inputs, inputHold }, gate };
}

function onHold(why: { readonly reason: string; readonly message: string }, evaluated: EvaluatedObject): DecidedObject {
  const { reason, message } = why;
  return { kind: "on-hold", evaluated, outcome: { kind: "decided", decision: { kind: "held", reason, message } } };
}
