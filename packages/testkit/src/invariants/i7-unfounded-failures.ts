// Invariant I7: a temporary error never leads to a terminal phase. A failure needs a rollout or consecutive rejections.

import { type AuditedRequest, describeObject } from "./audited-requests.ts";
import { isTarget } from "./governing-items.ts";
import { type History, type OwnStatusWrite, ownStatusWrites, type Violation, violation } from "./history.ts";
import type { StoredItem } from "./stored-config.ts";

/** The controller requires consecutive rejections, because webhooks and RBAC may change. */
const refusalsNeeded = 3;

export function unfoundedFailures(history: History): readonly Violation[] {
  return ownStatusWrites(history).flatMap((write) => {
    const attempts = history.attempts.filter(({ completedMs }) => completedMs <= write.by.receivedMs);
    return [...unfoundedItems(write, attempts), ...unfoundedDraft(write, attempts)].map((why) =>
      violation("I7", write.by, why),
    );
  });
}

function unfoundedItems(write: OwnStatusWrite, attempts: readonly AuditedRequest[]): readonly string[] {
  const items = write.after.status?.items ?? [];
  const before = write.before?.object?.status?.items ?? [];
  const hasFailedNow = ({ name, state }: StoredItem) =>
    state === "Failed" && before.find((item) => item.name === name)?.state !== "Failed";
  return items
    .filter((item) => hasFailedNow(item) && isUnwritten(item, items))
    .filter((item) => {
      const writes = attempts.filter((attempt) => !attempt.isDryRun && isTarget(item, attempt));
      return !isRefusedForGood(writes, write);
    })
    .map(({ name }) => `item ${name} failed, but its last answers are not a permanent refusal`);
}

/** True if neither a rollout nor an earlier item explains the failure. */
function isUnwritten({ changes, appliedTime, waitsFor }: StoredItem, items: readonly StoredItem[]): boolean {
  const isBlocked = items.some(({ name, state }) => name === waitsFor && state === "Failed");
  return changes !== false && appliedTime === undefined && !isBlocked;
}

function unfoundedDraft(write: OwnStatusWrite, attempts: readonly AuditedRequest[]): readonly string[] {
  const isFailedDraft = write.after.status?.phase === "Failed" && write.before?.object?.status?.phase === "Drafting";
  if (!isFailedDraft) return [];
  const byTarget = Map.groupBy(
    attempts.filter(({ isDryRun }) => isDryRun),
    describeObject,
  );
  const isFounded = [...byTarget.values()].some((dryRuns) => isRefusedForGood(dryRuns, write));
  return isFounded ? [] : ["the draft failed, but no dry run of it was refused for good"];
}

/** Requires that the last response belongs to the reconcile that wrote the status. */
function isRefusedForGood(attempts: readonly AuditedRequest[], { before }: OwnStatusWrite): boolean {
  const last = attempts.at(-1);
  if (last === undefined || !isRefusal(last) || last.completedMs <= (before?.by.receivedMs ?? 0)) return false;
  const row = attempts.filter((attempt) => !isPassing(attempt)).slice(-refusalsNeeded);
  return row.length === refusalsNeeded && row.every(isRefusal);
}

/** A temporary failure is not a rejection and does not end the sequence. */
function isPassing(attempt: AuditedRequest): boolean {
  const { code } = attempt;
  return (
    !isRefusal(attempt) && (code === 0 || code === 401 || code === 403 || code === 408 || code === 429 || code >= 500)
  );
}

const refusalCodes = [400, 403, 405, 413, 415, 422];

/** True if a retry would get the same response. */
function isRefusal({ code, failure: { message, causes } }: AuditedRequest): boolean {
  if (code === 500) return message.startsWith("failed to create typed patch object"); // a field that the schema lacks
  if (code === 409) return causes.length > 0 && causes.every(({ reason }) => reason !== "FieldManagerConflict");
  const isOtherObject = causes.some(({ field }) => field === "metadata.uid");
  const isCrdEnding = message.includes("custom resource definition is terminating");
  return refusalCodes.includes(code) && !isOtherObject && !isCrdEnding;
}
