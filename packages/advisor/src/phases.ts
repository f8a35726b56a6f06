// The properties of each phase, in one table. Its stage is in transition.ts: a new phase is a row here and a stage there.

import type { Phase } from "@virt/api";

type Property =
  /** The plan can be approved or is being applied: targets and inputs are compared with the review, and the impact is shown. */
  | "open"
  /** The plan is being applied or has ended. In other phases, stored items belong to a stopped plan or to one under review. */
  | "begun"
  /** The plan was applied to its end. */
  | "finished"
  /** A missing CRD ends the phase. */
  | "needs kinds"
  /** Drift of an applied item is a condition beside the phase. */
  | "drift beside"
  /** Only a person can continue. */
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
/** Reports whether a plan was applied to its end. */
export const isPlanFinished = has("finished");
export const needsServedKinds = has("needs kinds");
export const showsDriftBeside = has("drift beside");
export const isStalledPhase = has("stalled");

/** Reports whether a plan has ended and its items are watched for drift. */
export function isPlanGuarded(phase: Phase | undefined): boolean {
  return hasPlanBegun(phase) && !isPlanOpen(phase);
}

/** A config without a status has no property. */
function has(property: Property) {
  return (phase: Phase | undefined): boolean => phase !== undefined && (properties[phase] ?? []).includes(property);
}
