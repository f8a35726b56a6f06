// Finds the inputs that a diagnosis could not read. The advisor and `doctor` share it.

import type { ImpactGap } from "@virt/api";
import type { Assessment } from "@virt/impact";

/** An input: a list or a single read of a kind. A kind with several API versions has one input for each version. */
export type DiagnosisInput = readonly [kind: string, input: Assessment<unknown>];

/** Returns one gap for each kind of which no version could be read, in the order of the inputs. */
export function findDiagnosisGaps(inputs: readonly DiagnosisInput[]): readonly ImpactGap[] {
  return [...Map.groupBy(inputs, ([kind]) => kind)].flatMap(([kind, versions]) => {
    const gaps = versions.flatMap(([, input]) => (input.isAssessed || isNoLoss(kind, input.reason) ? [] : [input]));
    if (versions.some(([, input]) => input.isAssessed)) return [];
    // A version that is not watched has reason Listing, so the reason of another version is more useful.
    const gap = gaps.find(({ reason }) => reason !== "Listing") ?? gaps[0];
    return gap === undefined ? [] : [{ what: kind, reason: gap.reason, message: gap.message }];
  });
}

/** Reports whether the gap can be ignored: if the cluster does not serve the kind, there is nothing to check. */
function isNoLoss(kind: string, reason: string): boolean {
  return reason === "NotServed" && kind !== "MachineConfigPool";
}
