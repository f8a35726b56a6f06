// Limits rebooting writes that a changed input causes: one per object in 6 hours, whatever nodes report meanwhile.

import type { KubeObject } from "@virt/api";
import { canonicalJson, equalJson, sha256, writeTime } from "@virt/engine";
import type { HeldDecision, ObjectDecision } from "../baseline/decision.ts";
import type { ObservedObject, Part } from "../baseline/observe-object.ts";
import { type Overrides, readOverrides } from "../baseline/overrides.ts";
import { type InputWrite, readState, storeState } from "../baseline/state.ts";
import type { NodeWrite } from "./node-write.ts";

export const inputLimitMs = 6 * 3_600_000;
export const inputLimitReason = "InputChanged";

/** The content that assets want of an object. Undefined: no asset is active. */
export type WantedContent = { readonly baseline: KubeObject; readonly parts: readonly Part[] };

/** The inputs of an object as the process last saw them. It may be lost: the object itself has the last decisions then. */
export type InputMemory = {
  readonly wanted: WantedContent | undefined;
  /** The wanted content when the object last had it. */
  readonly settled: WantedContent | undefined;
  /** The administrator's decisions that reach the object through the HyperConverged and plans. */
  readonly decisions: string;
  /** The administrator's decisions on the object itself. */
  readonly overrides: Overrides;
  /** The version of the operator. Undefined: not known, as in a preview. */
  readonly version: string | undefined;
  /** The wanted content changed without a decision, and the object does not have it yet. */
  readonly isInputPending: boolean;
};

export type InputObservation = Pick<InputMemory, "wanted" | "decisions" | "version"> & {
  readonly live: KubeObject | undefined;
};

/** Finds out whether a decision or an input changed the wanted content. A decision passes with all that is pending. */
export function noteInputs(
  before: InputMemory | undefined,
  { wanted, decisions, version, live }: InputObservation,
): InputMemory {
  const overrides = readOverrides(live);
  const seen = { wanted, settled: before?.settled, decisions, overrides, version };
  if (before === undefined) {
    const { inputWrite } = readState(live);
    const isDecided = inputWrite !== undefined && !isSameBasis(inputWrite, seen);
    return { ...seen, isInputPending: wanted !== undefined && live !== undefined && !isDecided };
  }
  const isOverridden = !equalJson(before.overrides, overrides);
  if (equalJson(before.wanted?.baseline, wanted?.baseline))
    return { ...seen, isInputPending: before.isInputPending && !isOverridden };
  const isDecided = before.decisions !== decisions || isOverridden;
  return { ...seen, isInputPending: wanted !== undefined && !isDecided };
}

/** After the object has the wanted content, nothing is pending. */
export function settleInputs(memory: InputMemory): InputMemory {
  return { ...memory, settled: memory.wanted, isInputPending: false };
}

type Basis = Pick<InputMemory, "decisions" | "overrides" | "version">;

function isSameBasis(written: InputWrite, basis: Basis): boolean {
  const isSameVersion = basis.version === undefined || written.version === basis.version;
  return isSameVersion && written.decisions === digestOf(basis);
}

function digestOf({ decisions, overrides }: Basis): string {
  const { mistakes: _none, ...said } = overrides;
  return sha256(canonicalJson([decisions, JSON.stringify(said)])).slice(0, 12);
}

export type LimitedWrite = {
  /** Undefined: no node changes by it. */
  readonly write: NodeWrite | undefined;
  readonly inputs: InputMemory;
  /** Wall time in milliseconds. */
  readonly now: number;
};

/** Records the time of a write that an input causes, or holds the write. Any other decision stays as it is. */
export function limitInputWrite(decision: ObjectDecision, { write, inputs, now }: LimitedWrite): ObjectDecision {
  if (decision.kind !== "apply" || write === undefined) return decision;
  const { apply } = decision;
  const { inputWrite: last, ...state } = readState(apply.object);
  const isCausedByInput = inputs.isInputPending && apply.cause !== "drift";
  const untilMs = last === undefined ? now : last.at + inputLimitMs;
  // A time that no clock of ours can have written must not hold the object for years.
  const isLimited = untilMs > now && untilMs <= now + 2 * inputLimitMs;
  if (last !== undefined && isCausedByInput && isLimited) return heldUntil(last.at, untilMs, now);
  if (!isCausedByInput && !isLimited) return decision;
  const at = isCausedByInput || last === undefined ? now : last.at;
  const inputWrite = { at, decisions: digestOf(inputs), version: inputs.version ?? "" };
  return { ...decision, apply: { ...apply, object: storeState(apply.object, { ...state, inputWrite }) } };
}

function heldUntil(lastMs: number, untilMs: number, now: number): HeldDecision {
  const message = `a cluster input changed again, and the new configuration reboots nodes. The operator applies such a change at most once in 6 hours; the last one was at ${writeTime(lastMs)}. It applies this change automatically at ${writeTime(untilMs)}, unless the input changes back`;
  return { kind: "held", reason: inputLimitReason, message, inMs: untilMs - now };
}

/** Reports whether the limit holds the object. */
export function isHeldByInputLimit(decision: ObjectDecision): decision is HeldDecision {
  return decision.kind === "held" && decision.reason === inputLimitReason;
}

/** The object as it was wanted before the input changed: drift from it is corrected during a hold. */
export function observedBeforeInput(observed: ObservedObject, { settled }: InputMemory): ObservedObject | undefined {
  return settled === undefined ? undefined : { ...observed, ...settled };
}
