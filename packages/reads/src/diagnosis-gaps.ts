// Finds the inputs that a diagnosis could not read. The advisor and `doctor` share it.

import type { ImpactGap } from "@virt/api";
import type { Assessment } from "@virt/impact";

/** A list or a single read of a kind. A kind with several versions has one input for each version. */
export type DiagnosisInput = readonly [kind: string, input: Assessment<unknown>];

/** Returns one gap for each kind without a readable version, in the order of the inputs. */
export function findDiagnosisGaps(inputs: readonly DiagnosisInput[]): readonly ImpactGap[] {
  return [...Map.groupBy(inputs, ([kind]) => kind)].flatMap(([kind, versions]) => {
    const gaps = versions.flatMap(([, input]) => (input.isAssessed || isNoLoss(kind, input.reason) ? [] : [input]));
    if (versions.some(([, input]) => input.isAssessed)) return [];
    // A version without an informer counts as Listing, as a first list does, so another reason is more useful.
    const gap = gaps.find(({ reason }) => reason !== "Listing") ?? gaps[0];
    return gap === undefined ? [] : [{ what: kind, reason: gap.reason, message: gap.message }];
  });
}

/** If the cluster does not serve the kind, there is nothing to check. */
function isNoLoss(kind: string, reason: string): boolean {
  return reason === "NotServed" && kind !== "MachineConfigPool";
}
