// Builds events for long waits: inputs that cannot be read, and throttled writes.

import type { EventMessage, Ref } from "@virt/api";
import { type Bucket, fullBucket, isFull } from "@virt/objects";
import type { UnreadInput } from "../evaluate/asset-status.ts";
import { objectName } from "../evaluate/managed-objects.ts";
import type { ReconciledObject, ReconcileOutcome } from "./reconcile-outcome.ts";
import { warningEvent } from "./status-events.ts";

/** How long an input may be missing without an event. */
const toleratedMs = 60_000;

export type UnreadInputs = {
  /** Start of the wait in monotonic milliseconds. Undefined if all inputs are read. */
  readonly since: number | undefined;
  readonly events: readonly EventMessage[];
  /** When the event becomes due. Undefined if all inputs are read or the event exists. */
  readonly dueAt?: number;
};

/** Finds unread inputs. `since` is the result of the previous reconcile. */
export function findUnreadInputs(
  ref: Ref,
  { outcome, evaluated }: ReconciledObject,
  { since, now }: { readonly since: number | undefined; readonly now: number },
): UnreadInputs {
  const unread = [...evaluated.statuses.values()].flatMap((status) =>
    status.kind === "held" ? (status.input ?? []) : [],
  );
  const [first] = [...unread, ...unreadObject(ref, outcome)];
  if (first === undefined) return { since: undefined, events: [] };
  const begun = since ?? now;
  if (now - begun < toleratedMs) return { since: begun, events: [], dueAt: begun + toleratedMs };
  const note = `Input ${first.name} is unavailable; assets keep their last state: ${first.why}`;
  return { since: begun, events: warningEvent("InputUnavailable", note) };
}

function unreadObject(ref: Ref, outcome: ReconcileOutcome): readonly UnreadInput[] {
  if (outcome.kind !== "decided" || outcome.decision.kind !== "held") return [];
  const { reason, message } = outcome.decision;
  return reason === "InputUnavailable" ? [{ name: objectName(ref), why: message }] : [];
}

export type ThrottlingInput = {
  /** The bucket when writes were last throttled. Undefined if they never were. */
  readonly throttled: Bucket | undefined;
  readonly bucket: Bucket | undefined;
  readonly now: number;
};

export type Throttling = { readonly throttled: Bucket | undefined; readonly events: readonly EventMessage[] };

/** Returns a warning from the first throttled write until the bucket is full again. */
export function findThrottling(
  ref: Ref,
  outcome: ReconcileOutcome,
  { throttled, bucket, now }: ThrottlingInput,
): Throttling {
  const isWaiting =
    outcome.kind === "decided" && outcome.decision.kind === "wait" && outcome.decision.why === "throttled";
  if (!isWaiting && isFull(throttled ?? fullBucket, now)) return { throttled: undefined, events: [] };
  const note = `Update throttled for ${objectName(ref)} (limit: 10 updates per 1m0s)`;
  return { throttled: bucket ?? fullBucket, events: warningEvent("Throttled", note) };
}
