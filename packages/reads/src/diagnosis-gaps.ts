// The inputs that a diagnosis could not read. The advisor and `doctor` find the same gaps in the same lists.

import type { ImpactGap } from "@virt/api";
import type { Assessment } from "@virt/impact";

/** A list or a single read of a kind. A kind with several versions has an input for each. */
export type DiagnosisInput = readonly [kind: string, input: Assessment<unknown>];

/** Returns one gap for each kind of which no version could be read, in the order of the inputs. */
export function findDiagnosisGaps(inputs: readonly DiagnosisInput[]): readonly ImpactGap[] {
  return [...Map.groupBy(inputs, ([kind]) => kind)].flatMap(([kind, versions]) => {
    const gaps = versions.flatMap(([, input]) => (input.isAssessed || isNoLoss(kind, input.reason) ? [] : [input]));
    if (versions.some(([, input]) => input.isAssessed)) return [];
    // A version that is not wanted has no informer, which looks like a first list.
    const gap = gaps.find(({ reason }) => reason !== "Listing") ?? gaps[0];
    return gap === undefined ? [] : [{ what: kind, reason: gap.reason, message: gap.message }];
  });
}

/** A cluster without these kinds has nothing to check. */
function isNoLoss(kind: string, reason: string): boolean {
  return reason === "NotServed" && kind !== "MachineConfigPool";
}
