// Limits writes that reboot nodes because of a changed input to one per object in 6 hours.

import type { KubeObject } from "@virt/api";
import { canonicalJson, equalJson, sha256, writeTime } from "@virt/objects";
import type { HeldDecision, ObjectDecision } from "../baseline/decision.ts";
import type { ObservedObject, Part } from "../baseline/observe-object.ts";
import { type Overrides, readOverrides } from "../baseline/overrides.ts";
import { type InputWrite, readState, storeState } from "../baseline/state.ts";
import type { NodeWrite } from "./node-write.ts";

export const inputLimitMs = 6 * 3_600_000;
export const inputLimitReason = "InputChanged";

/** The merged content of an object's active assets. Undefined if no asset is active. */
export type WantedContent = { readonly baseline: KubeObject; readonly parts: readonly Part[] };

/** The last seen inputs of an object. After a restart, the state annotation has the last decisions. */
export type InputMemory = {
  readonly wanted: WantedContent | undefined;
  /** The desired content when the object was last in sync. */
  readonly settled: WantedContent | undefined;
  /** The administrator's settings that affect the object, from the HyperConverged and from plans. */
  readonly decisions: string;
  /** The administrator's annotations on the object itself. */
  readonly overrides: Overrides;
  /** The operator's version. Undefined in a preview. */
  readonly version: string | undefined;
  /** True if an input, not a user, changed the desired content, and the object has not been updated yet. */
  readonly isInputPending: boolean;
};

export type InputObservation = Pick<InputMemory, "wanted" | "decisions" | "version"> & {
  readonly live: KubeObject | undefined;
};

/** Detects whether a user or an input changed the desired content. A user's change also releases pending changes. */
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

/** Returns the memory of an object that is in sync with its wanted content. */
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
  /** Undefined if the write does not affect nodes. */
  readonly write: NodeWrite | undefined;
  readonly inputs: InputMemory;
  /** Wall clock in milliseconds. */
  readonly now: number;
};

/** Blocks a write that reboots nodes because of an input, or records its time. Returns all other decisions unchanged. */
export function limitInputWrite(decision: ObjectDecision, { write, inputs, now }: LimitedWrite): ObjectDecision {
  if (decision.kind !== "apply" || write === undefined) return decision;
  const { apply } = decision;
  const { inputWrite: last, ...state } = readState(apply.object);
  const isCausedByInput = inputs.isInputPending && apply.cause !== "drift";
  const untilMs = last === undefined ? now : last.at + inputLimitMs;
  // Ignores a time far in the future, which may be forged or wrong and would block the object for years.
  const isLimited = untilMs > now && untilMs <= now + 2 * inputLimitMs;
  if (last !== undefined && isCausedByInput && isLimited) return heldUntil(last.at, untilMs, now);
  if (!isCausedByInput && !isLimited) return decision;
  const at = isCausedByInput || last === undefined ? now : last.at;
  const inputWrite = { at, decisions: digestOf(inputs), version: inputs.version ?? "" };
  return { ...decision, apply: { ...apply, object: storeState(apply.object, { ...state, inputWrite }) } };
}

function heldUntil(lastMs: number, untilMs: number, now: number): HeldDecision {
  const message = `a cluster input changed again, and the new configuration reboots nodes. The operator applies such a change at most once every 6 hours; the last one was at ${writeTime(lastMs)}. It applies this change automatically at ${writeTime(untilMs)}, unless the input changes back`;
  return { kind: "held", reason: inputLimitReason, message, inMs: untilMs - now };
}

/** Reports whether the limit for changed inputs blocks the write. */
export function isHeldByInputLimit(decision: ObjectDecision): decision is HeldDecision {
  return decision.kind === "held" && decision.reason === inputLimitReason;
}

/** Returns the observation as before the input change. While the change is on hold, the operator still corrects drift from it. */
export function observedBeforeInput(observed: ObservedObject, { settled }: InputMemory): ObservedObject | undefined {
  return settled === undefined ? undefined : { ...observed, ...settled };
}
