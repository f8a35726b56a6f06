import type { Conflict, EventMessage, Item, Phase, Status } from "@virt/api";
import { equalDiff } from "@virt/objects";
import { conditionIs, conditionOf } from "./conditions/status-conditions.ts";
import { impactEvents } from "./impact/impact-events.ts";
import { isApplied } from "./items.ts";
import { shortHash } from "./plan-names.ts";
import { readyTextWithoutFinding } from "./publish-status.ts";
import { rolloutEvents } from "./rollout/rollout-events.ts";

/** Facts for events, in addition to the two statuses. */
export type EventContext = {
  readonly moved: readonly string[];
  /** A problem that blocks a rollout until the user acts. */
  readonly rolloutProblem?: string;
  /** The field manager of the approval, if known. */
  readonly approver?: string;
  readonly isPlanNamed?: boolean;
  /** The user who approved the plan, as recorded by the client. Not verified. */
  readonly approvedBy?: string;
  /** A change that another client made to the stored status. */
  readonly foreignChange?: string;
  /** True if a warning about a worse impact was recorded recently. */
  readonly isImpactWarned?: boolean;
  /** The fields that this reconcile's write took over from other field managers, by item. */
  readonly tookOver?: Readonly<Record<string, readonly Conflict[]>>;
};

/** Returns the events for a status change. If the statuses are equal, there are none. */
export function eventsForStatusChange(before: Status, after: Status, context: EventContext): readonly EventMessage[] {
  return [
    ...tamperEvents(before, after, context),
    ...phaseEvents(before, after, context),
    ...conditionEvents(before, after, context),
    ...impactEvents(before, after, context.isImpactWarned !== true),
    ...rolloutEvents(before, after),
    ...driftEvents(before, after),
    ...(after.items ?? []).flatMap((item) => [
      ...takeOverEvents(item, context),
      ...itemEvents(
        before.items?.find(({ name }) => name === item.name),
        item,
        shortHash(after.planHash),
      ),
    ]),
  ];
}

const normal = (reason: string, note: string): readonly EventMessage[] => [{ type: "Normal", reason, note }];
const warning = (reason: string, note: string): readonly EventMessage[] => [{ type: "Warning", reason, note }];

function tamperEvents(
  { review: was }: Status,
  { review }: Status,
  { foreignChange }: EventContext,
): readonly EventMessage[] {
  const isFound = review?.reason === "PlanTampered" && was?.reason !== "PlanTampered";
  const what = foreignChange ?? (isFound ? review.message : undefined);
  if (what === undefined) return [];
  const next = "search the API server's audit log for the client that wrote virtplatformconfigs/status";
  return warning(
    "PlanTampered",
    `Another client changed the status (${what}). The change is not applied. Next: ${next}.`,
  );
}

function phaseEvents(before: Status, after: Status, context: EventContext): readonly EventMessage[] {
  if (after.phase === undefined) return [];
  if (before.phase === after.phase)
    return after.phase === "ReviewRequired" ? planEvents(before, after, "PlanRefreshed") : [];
  const own = conditionOf(after, after.phase)?.message ?? "";
  return [
    ...leavingEvents(before, after),
    ...eventsOnEntry[after.phase]({ before, after, own, plan: shortHash(after.planHash), context }),
  ];
}

type PhaseChange = {
  readonly before: Status;
  readonly after: Status;
  readonly own: string;
  readonly plan: string;
  readonly context: EventContext;
};

const noEvents = (): readonly EventMessage[] => [];

const eventsOnEntry: Readonly<Record<Phase, (entry: PhaseChange) => readonly EventMessage[]>> = {
  Pending: noEvents,
  Drafting: noEvents,
  Ignored: ({ own }) => normal("Ignored", own),
  PrerequisiteFailed: ({ own }) => warning("PrerequisitesMissing", own),
  ReviewRequired: ({ before, after }) => planEvents(before, after, "PlanDrafted"),
  InProgress: approvalEvents,
  Completed: ({ before, plan, own }) =>
    before.phase === "Drifted"
      ? normal("DriftCleared", `All targets match plan ${plan} again`)
      : normal("PlanCompleted", `Plan ${plan} completed: ${own}`),
  CompletedWithErrors: ({ after, plan }) =>
    warning("PlanCompletedWithErrors", `Plan ${plan} completed with errors: ${failuresOf(after)}`),
  CompletedWithUpgrade: ({ after, own }) =>
    normal("UpgradeAvailable", conditionOf(after, "UpgradeAvailable")?.message ?? own),
  Failed: ({ before, plan, own }) =>
    warning("PlanFailed", before.phase === "InProgress" ? `Plan ${plan} failed: ${own}` : own),
  Drifted: ({ own }) => warning("DriftDetected", own),
};

function failuresOf({ items = [] }: Status): string {
  const failed = items.filter(({ state }) => state === "Failed");
  return failed.map(({ name, message }) => `item '${name}': ${message}`).join("; ");
}

function leavingEvents(before: Status, after: Status): readonly EventMessage[] {
  if (before.phase === "Ignored")
    return normal("Resumed", "The action changed from Ignore: the operator manages this configuration again");
  const isEdited = before.observedGeneration !== after.observedGeneration; // not evaluated yet
  if (before.phase !== "PrerequisiteFailed" || after.phase !== "Drafting" || isEdited) return [];
  return normal("PrerequisitesAvailable", "All prerequisites are available; drafting the plan");
}

function planEvents(before: Status, after: Status, reason: "PlanDrafted" | "PlanRefreshed"): readonly EventMessage[] {
  const isNewPlan = before.planHash !== after.planHash || reason === "PlanDrafted";
  const isNewForce = after.review?.forced === true && (before.review?.forced !== true || isNewPlan);
  const why = conditionOf(after, "Ready")?.message ?? "";
  return [
    ...(isNewPlan ? normal(reason, planText(before, after, reason)) : []),
    ...(isNewForce ? warning("ReviewForced", why) : []),
  ];
}

function planText(before: Status, after: Status, reason: "PlanDrafted" | "PlanRefreshed"): string {
  const { planHash, impactSeverity = "Low", items = [] } = after;
  const changing = items.filter(({ changes }) => changes).length;
  const what = `${changing} of ${items.length} items have changes, impact ${impactSeverity}`;
  if (reason === "PlanDrafted") return `Plan ${shortHash(planHash)} drafted: ${what}`;
  const { operatorVersion = "" } = before;
  const isUpgraded = operatorVersion !== "" && operatorVersion !== after.operatorVersion;
  const why = isUpgraded ? `drafted by operator version ${operatorVersion}` : "whose targets changed";
  return `Plan ${shortHash(planHash)} replaces plan ${shortHash(before.planHash)}, ${why}: ${what}`;
}

function approvalEvents({ before, after, plan, context }: PhaseChange): readonly EventMessage[] {
  if (before.executedGeneration === after.executedGeneration) return [];
  const { approver, approvedBy } = context;
  const impact = `(impact ${after.impactSeverity ?? "Low"})`;
  if (!isReviewed(before, after, context)) {
    const edited = approver === undefined ? "" : `, and the spec was last changed through ${approver}`;
    return normal("PlanApproved", `Plan ${plan} started without a review: action is Apply${edited} ${impact}`);
  }
  const by = approvedBy === undefined ? "" : ` by ${approvedBy} (not verified)`;
  const through = approver === undefined ? "" : ` through ${approver}`;
  return normal("PlanApproved", `Plan ${plan} approved${by}${through} ${impact}`);
}

/** Reports whether the plan was under review before it started, or the approval names it. */
function isReviewed(before: Status, after: Status, { isPlanNamed }: EventContext): boolean {
  return before.phase === "ReviewRequired" || before.planHash === after.planHash || isPlanNamed === true;
}

function conditionEvents(
  before: Status,
  after: Status,
  { moved, rolloutProblem }: EventContext,
): readonly EventMessage[] {
  const turned = (type: string, status: "True" | "False") =>
    conditionIs(after, type, status) && !conditionIs(before, type, status) && conditionOf(after, type);
  const changed = turned("InputDependencyDrift", "True");
  const settled = conditionIs(before, "InputDependencyDrift", "True") && turned("InputDependencyDrift", "False");
  const stale = turned("PlanStale", "True");
  const stalled = turned("Stalled", "True");
  const ready = conditionOf(after, "Ready");
  const hasNewProblem = after.phase === "InProgress" && ready?.message !== conditionOf(before, "Ready")?.message;
  const isDegraded = ready?.reason === "TargetDegraded" && conditionOf(before, "Ready")?.reason !== "TargetDegraded";
  const isUnhealthy = ready?.reason === "NotConverged" && conditionOf(before, "Ready")?.reason !== "NotConverged";
  return [
    ...(changed ? warning("InputDependencyChanged", moved.join("; ") || changed.message) : []),
    ...(settled && settled.reason === "DriftResolved" ? normal("InputDependencyResolved", settled.message) : []),
    ...(settled && settled.reason === "Acknowledged" ? normal("InputDependencyAcknowledged", settled.message) : []),
    ...(stale ? warning("PlanStale", stale.message) : []),
    ...(stalled && stalled.reason === "DriftFight" ? warning("DriftFight", stalled.message) : []),
    ...(hasNewProblem && rolloutProblem !== undefined
      ? warning("RolloutUnhealthy", `The rollout of plan ${shortHash(after.planHash)} is unhealthy: ${rolloutProblem}`)
      : []),
    ...(isDegraded ? warning("TargetDegraded", ready.message) : []),
    ...(isUnhealthy ? warning("RolloutUnhealthy", readyTextWithoutFinding(after)) : []),
  ];
}

function itemEvents(before: Item | undefined, after: Item, plan: string): readonly EventMessage[] {
  const { name, targetRef, operation, corrections = [] } = after;
  const what = `${targetRef.kind} '${targetRef.name}' (item ${name} of plan ${plan})`;
  if (after.appliedTime !== undefined && before?.appliedTime !== after.appliedTime) {
    if (corrections.length > 0) return normal("DriftCorrected", `Corrected the drift of ${what}`);
    return operation === "Delete" ? normal("ItemDeleted", `Deleted ${what}`) : normal("ItemApplied", `Applied ${what}`);
  }
  if (after.state === "Failed" && before?.state !== "Failed") return warning("ItemFailed", `${what}: ${after.message}`);
  return [];
}

/** Returns events about drift while the phase is not Drifted: one per item, and one when all items are in sync again. */
function driftEvents(before: Status, after: Status): readonly EventMessage[] {
  if (before.phase === "Drifted" || after.phase === "Drifted") return [];
  if (!conditionIs(after, "Drifted", "True")) {
    const isCleared = before.phase === after.phase && conditionIs(before, "Drifted", "True");
    return isCleared ? normal("DriftCleared", `All applied targets match plan ${shortHash(after.planHash)} again`) : [];
  }
  const isDrifted = (item: Item) => isApplied(item) && item.diff !== equalDiff(item.targetRef);
  const wasClean = ({ name }: Item) => before.items?.some((item) => item.name === name && !isDrifted(item)) === true;
  return (after.items ?? [])
    .filter((item) => isDrifted(item) && wasClean(item))
    .flatMap(({ targetRef, message }) => warning("DriftDetected", `${targetRef.kind} '${targetRef.name}': ${message}`));
}

/** Returns the event about a takeover. It follows the write, because the write may fail. */
function takeOverEvents({ name, targetRef }: Item, { tookOver }: EventContext): readonly EventMessage[] {
  const conflicts = tookOver?.[name] ?? [];
  if (conflicts.length === 0) return [];
  const fields = conflicts.map(({ field, manager }) => `${field} (${manager})`).join(", ");
  return warning(
    "FieldsTakenOver",
    `Took over fields of ${targetRef.kind} '${targetRef.name}' (item ${name}): ${fields}`,
  );
}
