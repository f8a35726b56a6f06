// The properties of each phase. A new phase needs a row here and a stage in transition.ts.

import type { Phase } from "@virt/api";

type Property =
  /** The plan is under review or being applied. Its targets and inputs are compared with the review. */
  | "open"
  /** The plan is being applied or has ended. In other phases, the stored items are not in effect. */
  | "begun"
  | "finished"
  /** The phase ends if a required CRD is missing. */
  | "needs kinds"
  /** If an applied item drifts, condition Drifted is True in addition to that of the phase. */
  | "drift beside"
  /** The plan continues only if the user acts. */
  | "stalled";

const properties: Readonly<Record<Phase, readonly Property[]>> = {
  Pending: [],
  Ignored: [],
  Drafting: [],
  PrerequisiteFailed: ["stalled"],
  ReviewRequired: ["open", "needs kinds"],
  InProgress: ["open", "begun", "needs kinds", "drift beside"],
  Completed: ["begun", "finished", "needs kinds"],
  CompletedWithUpgrade: ["begun", "finished", "needs kinds"],
  CompletedWithErrors: ["begun", "finished", "needs kinds", "drift beside", "stalled"],
  Drifted: ["begun", "needs kinds"],
  Failed: ["begun", "drift beside", "stalled"],
};

/** Reports whether a plan is under review or being applied. */
export const isPlanOpen = has("open");
/** Reports whether a plan is being applied or has ended. The advisor then watches its applied items for drift. */
export const hasPlanBegun = has("begun");
export const isPlanFinished = has("finished");
export const needsServedKinds = has("needs kinds");
export const showsDriftBeside = has("drift beside");
export const isStalledPhase = has("stalled");

/** Reports whether a plan has ended and its applied items are watched for drift. */
export function isPlanGuarded(phase: Phase | undefined): boolean {
  return hasPlanBegun(phase) && !isPlanOpen(phase);
}

/** Returns a function that reports whether a phase has the property. Without a phase, the result is false. */
function has(property: Property) {
  return (phase: Phase | undefined): boolean => phase !== undefined && (properties[phase] ?? []).includes(property);
}
