// Events before anybody decides where and how often they are written, and which may be dropped when there are many.

/** What an event tells, before anybody decides where and how often it is written. */
export type EventMessage = { readonly type: "Normal" | "Warning"; readonly reason: string; readonly note: string };

/**
 * `important`: never dropped, only combined with others of its reason when there are very many. `routine`: limited for each
 * object.
 */
export type EventPriority = "important" | "routine";

/** Approvals, writes, drift, reviews and failures are not among them; neither is a reason that is new. */
const routineReasons: ReadonlySet<string> = new Set([
  // advisor
  "ProfileAdvertised",
  "PlanDrafted",
  "PlanRefreshed",
  "ImpactAssessed",
  "PrerequisitesMissing",
  "PrerequisitesAvailable",
  // platform: what annotations on the HyperConverged and on managed objects say
  "InvalidConfiguration",
  "InvalidExclusions",
  "InvalidIgnoreFields",
  "InvalidMode",
  "InvalidPatch",
  "UnknownAnnotation",
  "UnknownAssetName",
  "UnmanagedMode",
  "PatchApplied",
  // platform: how assets stand
  "AlreadyProvided",
  "CRDMissing",
  "CRDDiscovered",
  "GovernedByPlan",
  "PurposeConflict",
  "ReconcileSucceeded",
]);

/** `important` for a reason that is not known: only events that anybody can provoke by editing may be dropped. */
export function priorityOfEvent(reason: string): EventPriority {
  return routineReasons.has(reason) ? "routine" : "important";
}
