// Finds problems in operators that a rollout depends on, as they report them.

import type { KubeObject } from "@virt/api";
import { conditionsOf } from "@virt/cluster";
import { compareUtf8 } from "@virt/objects";
import type { DoctorFacts, RolloutCause } from "./rollout-view.ts";

const idsByKind = new Map<string, "VirtDegraded" | "DeschedulerDegraded">([
  ["HyperConverged", "VirtDegraded"],
  ["KubeVirt", "VirtDegraded"],
  ["KubeDescheduler", "DeschedulerDegraded"],
]);

/**
 * Returns the causes, sorted by kind and name. A missing PSI in the descheduler is not a cause, because this rollout
 * enables PSI.
 */
export function operatorCauses({ operators }: DoctorFacts): readonly RolloutCause[] {
  return operators
    .toSorted(
      (left, right) => compareUtf8(left.kind, right.kind) || compareUtf8(left.metadata.name, right.metadata.name),
    )
    .flatMap((object): readonly RolloutCause[] => {
      const id = idsByKind.get(object.kind);
      const problem = problemOf(object);
      if (id === undefined || problem === undefined) return [];
      if (id === "DeschedulerDegraded" && `${problem.reason} ${problem.text ?? ""}`.includes("PSI")) return [];
      const { name, namespace } = object.metadata;
      const values = { Kind: object.kind, ...problem };
      return [{ id, object: { kind: object.kind, name, ...(namespace !== undefined && { namespace }) }, values }];
    });
}

// Matches the suffixes of condition types, because the descheduler operator has conditions for each of its controllers.
function problemOf(object: KubeObject): { readonly reason: string; readonly text?: string } | undefined {
  const found = conditionsOf(object).find(
    ({ type, status }) =>
      (type.endsWith("Available") && status === "False") || (type.endsWith("Degraded") && status === "True"),
  );
  if (found === undefined) return undefined;
  const { type, reason, message } = found;
  return { reason: reason || type, ...(message !== "" && { text: message }) };
}
