// What an object waits for: inputs that cannot be read, and the rate of writes. Worth an event when it lasts.

import type { EventMessage, Ref } from "@virt/api";
import { type Bucket, fullBucket, isFull } from "@virt/engine";
import type { UnreadInput } from "../evaluate/asset-status.ts";
import { objectName } from "../evaluate/managed-objects.ts";
import type { ReconciledObject, ReconcileOutcome } from "./reconcile-outcome.ts";
import { warningEvent } from "./status-events.ts";

/** How long an input may be missing before it is worth an event. */
const toleratedMs = 60_000;

export type UnreadInputs = {
  /** Since when, in monotonic milliseconds; undefined: all is read. */
  readonly since: number | undefined;
  readonly events: readonly EventMessage[];
  /** When it will have lasted long enough; undefined: all is read, or it has. */
  readonly dueAt?: number;
};

/** `since`: what the reconcile before found. */
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

/** The object itself cannot be read. */
function unreadObject(ref: Ref, outcome: ReconcileOutcome): readonly UnreadInput[] {
  if (outcome.kind !== "decided" || outcome.decision.kind !== "held") return [];
  const { reason, message } = outcome.decision;
  return reason === "InputUnavailable" ? [{ name: objectName(ref), why: message }] : [];
}

export type ThrottlingInput = {
  /** The tokens that were left when writes last had to wait; undefined: they need not. */
  readonly throttled: Bucket | undefined;
  readonly bucket: Bucket | undefined;
  readonly now: number;
};

export type Throttling = { readonly throttled: Bucket | undefined; readonly events: readonly EventMessage[] };

/** Stands from the first write that waits until the object may write as often as any other. */
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
