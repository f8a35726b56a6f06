// I2: what is applied is what was reviewed: the same object, by its uid, with force only over conflicts that were shown.

import { asText, at, equalJson, isMap, type Json } from "@virt/engine";
import { type Audited, isApply } from "./audited.ts";
import { fieldManager, type History } from "./history.ts";
import { type Ground, groundsOf } from "./plan-record.ts";
import { type Violation, violation } from "./violation.ts";

/** Writes without approval are I1's affair and are not judged here. */
export function unreviewedWrites(history: History): readonly Violation[] {
  return history.targetWrites
    .filter(({ verb }) => verb !== "delete" && verb !== "deletecollection")
    .flatMap((write) => {
      const faults = approvedGrounds(history, write).map((ground) => faultOf(write, ground));
      const [first] = faults;
      return first === undefined || faults.includes(undefined) ? [] : [violation("I2", write, first)];
    });
}

function approvedGrounds(history: History, write: Audited): readonly Ground[] {
  return groundsOf(history, write).filter(({ refusal }) => refusal === undefined);
}

function faultOf(write: Audited, ground: Ground): string | undefined {
  if (!isApply(write)) return "a target is written by apply only";
  if (write.fieldManager !== fieldManager) return `the field manager is ${write.fieldManager}`;
  if (ground.item.operation === "Delete") return `item ${ground.item.name} deletes, it does not apply`;
  if (!equalJson(withoutPreconditions(write.request), ground.item.desiredState))
    return `the body is not the desiredState of item ${ground.item.name}`;
  return isBypassed(ground) ? undefined : lockFault(write, ground);
}

/** The person gave up the lock, and pinned no plan. */
function isBypassed({ config }: Ground): boolean {
  return config.spec.bypassOptimisticLock === true && config.spec.approvedPlan === undefined;
}

function lockFault({ request, isForced }: Audited, { item }: Ground): string | undefined {
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
