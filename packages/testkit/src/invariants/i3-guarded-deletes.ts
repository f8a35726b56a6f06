// I3: nothing is deleted but the one object that a reviewed item names, by its uid; a Namespace never.

import { asText, at } from "@virt/engine";
import type { Audited } from "./audited.ts";
import type { History } from "./history.ts";
import { groundsOf } from "./plan-record.ts";
import { type Violation, violation } from "./violation.ts";

export function unguardedDeletes(history: History): readonly Violation[] {
  return history.writes.flatMap((write) => {
    const why = whyNot(history, write);
    return why === undefined ? [] : [violation("I3", write, why)];
  });
}

function whyNot(history: History, write: Audited): string | undefined {
  if (write.verb === "deletecollection") return "a whole collection is deleted";
  if (write.verb !== "delete") return undefined;
  if (write.group === "" && write.resource === "namespaces") return "a Namespace is never deleted";
  const uid = asText(at(write.request, "preconditions", "uid"));
  if (uid === undefined) return "no uid precondition";
  return isReviewed(history, write, uid) ? undefined : "no item reviewed the deletion of this uid";
}

function isReviewed(history: History, write: Audited, uid: string): boolean {
  return groundsOf(history, write).some(({ item }) => item.operation === "Delete" && item.reviewed?.uid === uid);
}
