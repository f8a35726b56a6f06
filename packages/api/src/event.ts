// Event messages and the rate-limit priority of their reasons.

/** The content of an event, without its object and time. */
export type EventMessage = { readonly type: "Normal" | "Warning"; readonly reason: string; readonly note: string };

/** `important` events are never dropped, only combined by reason. `routine` events are rate-limited per object. */
export type EventPriority = "important" | "routine";

/** Reasons of routine events. Approvals, writes, drift, reviews and failures are never routine. */
const routineReasons: ReadonlySet<string> = new Set([
  // advisor
  "ProfileAdvertised",
  "PlanDrafted",
  "PlanRefreshed",
  "ImpactAssessed",
  "PrerequisitesMissing",
  "PrerequisitesAvailable",
  // platform: annotations on the HyperConverged and on managed objects
  "InvalidConfiguration",
  "InvalidExclusions",
  "InvalidIgnoreFields",
  "InvalidMode",
  "InvalidPatch",
  "UnknownAnnotation",
  "UnknownAssetName",
  "UnmanagedMode",
  "PatchApplied",
  // platform: asset states
  "AlreadyProvided",
  "CRDMissing",
  "CRDDiscovered",
  "GovernedByPlan",
  "PurposeConflict",
  "ReconcileSucceeded",
]);

/**
 * Returns the priority of an event. An unknown reason is `important`, so that events with a new reason are not dropped
 * by mistake.
 */
export function priorityOfEvent(reason: string): EventPriority {
  return routineReasons.has(reason) ? "routine" : "important";
}
