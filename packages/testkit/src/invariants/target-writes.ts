// Invariants for target writes: approved (I1), as reviewed (I2), deleted by uid (I3), never while ignored (I6).

import { profileManager } from "@virt/api";
import { asText, at, equalJson, isMap, type Json } from "@virt/objects";
import { type AuditedRequest, isApply } from "./audited-requests.ts";
import { type GoverningItem, governingItems } from "./governing-items.ts";
import { type History, type Violation, violation } from "./history.ts";

/** I1: a target is written only while its plan is approved and its item in progress. */
export function unapprovedWrites(history: History): readonly Violation[] {
  return history.targetWrites.flatMap((write) => {
    const why = unapprovedReason(history, write);
    return why === undefined ? [] : [violation("I1", write, why)];
  });
}

function unapprovedReason(history: History, write: AuditedRequest): string | undefined {
  const items = governingItems(history, write);
  if (items.some(({ refusal }) => refusal === undefined)) return undefined;
  const last = items.at(-1);
  if (last === undefined) return "no plan names this object";
  return `${last.config.metadata.name} does not allow it: ${last.refusal}`;
}

/** I2: the applied object is the reviewed one, by uid, and force is used only for conflicts that were shown. */
export function unreviewedWrites(history: History): readonly Violation[] {
  return history.targetWrites
    .filter(({ verb }) => verb !== "delete" && verb !== "deletecollection")
    .flatMap((write) => {
      const faults = approvingItems(history, write).map((governing) => reviewDifference(write, governing));
      const [first] = faults;
      return first === undefined || faults.includes(undefined) ? [] : [violation("I2", write, first)];
    });
}

function approvingItems(history: History, write: AuditedRequest): readonly GoverningItem[] {
  return governingItems(history, write).filter(({ refusal }) => refusal === undefined);
}

function reviewDifference(write: AuditedRequest, governing: GoverningItem): string | undefined {
  if (!isApply(write)) return "a target is written by apply only";
  if (write.fieldManager !== profileManager(governing.config.metadata.name))
    return `the field manager is ${write.fieldManager}`;
  if (governing.item.operation === "Delete") return `item ${governing.item.name} deletes, it does not apply`;
  if (!equalJson(withoutPreconditions(write.request), governing.item.desiredState))
    return `the body is not the desiredState of item ${governing.item.name}`;
  return isLockBypassed(governing) ? undefined : lockDifference(write, governing);
}

/** Reports whether the user disabled the optimistic lock and did not approve a specific hash. */
function isLockBypassed({ config }: GoverningItem): boolean {
  return config.spec.bypassOptimisticLock === true && config.spec.approvedPlan === undefined;
}

function lockDifference({ request, isForced }: AuditedRequest, { item }: GoverningItem): string | undefined {
  const uid = asText(at(request, "metadata", "uid")) ?? "";
  const version = asText(at(request, "metadata", "resourceVersion")) ?? "";
  const reviewed = item.reviewed?.uid ?? "";
  if (uid !== reviewed) return `the uid is "${uid}", reviewed was "${reviewed}"`;
  if (reviewed === "" && version !== "") return "reviewed as absent, applied at a resourceVersion";
  if (reviewed !== "" && version === "") return "applied without a resourceVersion";
  const hasConflicts = (item.conflicts ?? []).length > 0;
  return isForced && !hasConflicts ? `forced, but item ${item.name} showed no conflict` : undefined;
}

function withoutPreconditions(body: Json | undefined): Json | undefined {
  if (!isMap(body) || !isMap(body["metadata"])) return body;
  const { uid: _uid, resourceVersion: _version, ...metadata } = body["metadata"];
  return { ...body, metadata };
}

/** I3: only reviewed objects are deleted, by uid. A Namespace is never deleted. */
export function unguardedDeletes(history: History): readonly Violation[] {
  return history.writes.flatMap((write) => {
    const why = unguardedReason(history, write);
    return why === undefined ? [] : [violation("I3", write, why)];
  });
}

function unguardedReason(history: History, write: AuditedRequest): string | undefined {
  if (write.verb === "deletecollection") return "a whole collection is deleted";
  if (write.verb !== "delete") return undefined;
  if (write.group === "" && write.resource === "namespaces") return "a Namespace is never deleted";
  const uid = asText(at(write.request, "preconditions", "uid"));
  if (uid === undefined) return "no uid precondition";
  return isReviewedDelete(history, write, uid) ? undefined : "no item reviewed the deletion of this uid";
}

function isReviewedDelete(history: History, write: AuditedRequest, uid: string): boolean {
  return governingItems(history, write).some(({ item }) => item.operation === "Delete" && item.reviewed?.uid === uid);
}

/** I6: no target is written while the action is Ignore. Does not cover the platform controller. */
export function ignoredWrites(history: History): readonly Violation[] {
  return history.targetWrites.flatMap((write) => {
    const items = governingItems(history, write);
    const isIgnored = items.length > 0 && items.every(({ config }) => config.spec.action === "Ignore");
    return isIgnored ? [violation("I6", write, `${items[0]?.config.metadata.name} is ignored`)] : [];
  });
}
