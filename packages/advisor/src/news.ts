// What people are told: events, derived from how the status changed.

import type { Item, Phase, Status } from "@virt/api";
import { equalDiff } from "@virt/engine";
import { conditionIs, conditionOf } from "./conditions/read.ts";

export type News = { readonly type: "Normal" | "Warning"; readonly reason: string; readonly note: string };

/** `moved` are the sentences of all inputs that moved, `managers` those who made the drift. */
export type Beside = { readonly moved: readonly string[]; readonly managers: readonly string[] };

export function newsOf(before: Status, after: Status, beside: Beside): readonly News[] {
  return [
    ...phaseNews(before, after, beside),
    ...markNews(before, after, beside),
    ...driftNews(before, after),
    ...(after.items ?? []).flatMap((item) =>
      itemNews(
        before.items?.find(({ name }) => name === item.name),
        item,
      ),
    ),
  ];
}

const normal = (reason: string, note: string): readonly News[] => [{ type: "Normal", reason, note }];
const warning = (reason: string, note: string): readonly News[] => [{ type: "Warning", reason, note }];

function phaseNews(before: Status, after: Status, { managers }: Beside): readonly News[] {
  if (after.phase === undefined) return [];
  if (before.phase === after.phase)
    return after.phase === "ReviewRequired" ? planNews(before, after, "PlanRefreshed") : [];
  const own = conditionOf(after, after.phase)?.message ?? "";
  return [...leavingNews(before, after), ...entering[after.phase]({ before, after, own, managers })];
}

type Entry = {
  readonly before: Status;
  readonly after: Status;
  /** What the phase says of itself. */
  readonly own: string;
  readonly managers: readonly string[];
};

const silent = (): readonly News[] => [];

const entering: Readonly<Record<Phase, (entry: Entry) => readonly News[]>> = {
  Pending: silent,
  Drafting: silent,
  Ignored: ({ own }) => normal("Ignored", own),
  PrerequisiteFailed: ({ own }) => warning("PrerequisitesMissing", own),
  ReviewRequired: ({ before, after }) => planNews(before, after, "PlanDrafted"),
  InProgress: ({ before, after }) => approvalNews(before, after),
  Completed: ({ before, own }) => normal(before.phase === "Drifted" ? "DriftCleared" : "PlanCompleted", own),
  CompletedWithErrors: ({ own }) => warning("PlanCompletedWithErrors", own),
  CompletedWithUpgrade: ({ after, own }) =>
    normal("UpgradeAvailable", conditionOf(after, "UpgradeAvailable")?.message ?? own),
  Failed: ({ own }) => warning("PlanFailed", own),
  Drifted: ({ own, managers }) =>
    warning("DriftDetected", managers.length > 0 ? `${own}, by ${managers.join(", ")}` : own),
};

function leavingNews(before: Status, after: Status): readonly News[] {
  if (before.phase === "Ignored")
    return normal("Resumed", "Action is not Ignore any more: the configuration is managed again");
  const isEdited = before.observedGeneration !== after.observedGeneration; // then nobody looked yet
  if (before.phase !== "PrerequisiteFailed" || after.phase !== "Drafting" || isEdited) return [];
  return normal("PrerequisitesAvailable", "All prerequisites are available; drafting the plan");
}

function planNews(before: Status, after: Status, reason: "PlanDrafted" | "PlanRefreshed"): readonly News[] {
  const isNewPlan = before.planHash !== after.planHash || reason === "PlanDrafted";
  const note = `Plan ${after.planHash ?? ""}, impact ${after.impactSeverity ?? ""}`;
  const isNewForce = after.review?.forced === true && (before.review?.forced !== true || isNewPlan);
  const why = `The plan is not executed although action is Apply or something changed that nobody asked for: ${after.review?.reason ?? ""}`;
  return [...(isNewPlan ? normal(reason, note) : []), ...(isNewForce ? warning("ReviewForced", why) : [])];
}

function approvalNews(before: Status, after: Status): readonly News[] {
  if (before.executedGeneration === after.executedGeneration) return [];
  return normal("PlanApproved", `Generation ${after.executedGeneration} approves plan ${after.planHash ?? ""}`);
}

function markNews(before: Status, after: Status, { moved }: Beside): readonly News[] {
  const turned = (type: string, status: "True" | "False") =>
    conditionIs(after, type, status) && !conditionIs(before, type, status) && conditionOf(after, type);
  const changed = turned("InputDependencyDrift", "True");
  const settled = conditionIs(before, "InputDependencyDrift", "True") && turned("InputDependencyDrift", "False");
  const stale = turned("PlanStale", "True");
  const stalled = turned("Stalled", "True");
  const ready = conditionOf(after, "Ready");
  const isUnhealthy = ready?.reason === "NotConverged" && conditionOf(before, "Ready")?.reason !== "NotConverged";
  return [
    ...(changed ? warning("InputDependencyChanged", moved.join("; ") || changed.message) : []),
    ...(settled && settled.reason === "DriftResolved" ? normal("InputDependencyResolved", settled.message) : []),
    ...(settled && settled.reason === "Acknowledged" ? normal("InputDependencyAcknowledged", settled.message) : []),
    ...(stale ? warning("PlanStale", stale.message) : []),
    ...(stalled && stalled.reason === "DriftFight" ? warning("DriftFight", stalled.message) : []),
    ...(isUnhealthy ? warning("RolloutUnhealthy", ready.message) : []),
  ];
}

function itemNews(before: Item | undefined, after: Item): readonly News[] {
  const { name, targetRef, operation, corrections = [] } = after;
  const what = `${targetRef.kind} '${targetRef.name}' (item ${name})`;
  const isBegun = after.state === "InProgress" && before?.state !== "InProgress" && after.changes;
  if (isBegun) return takeOver(after, what);
  if (after.appliedTime !== undefined && before?.appliedTime !== after.appliedTime) {
    if (corrections.length > 0) return normal("DriftCorrected", `Applied ${what} again`);
    return operation === "Delete" ? normal("ItemDeleted", `Deleted ${what}`) : normal("ItemApplied", `Applied ${what}`);
  }
  if (after.state === "Failed" && before?.state !== "Failed") return warning("ItemFailed", `${what}: ${after.message}`);
  return [];
}

/** While others run, drift of a completed item has no phase of its own to show in. */
function driftNews(before: Status, after: Status): readonly News[] {
  if (before.phase !== "InProgress" || after.phase !== "InProgress") return [];
  const isClean = ({ state, diff, targetRef }: Item) => state === "Completed" && diff === equalDiff(targetRef);
  return (after.items ?? [])
    .filter((item) => item.state === "Completed" && !isClean(item))
    .filter(({ name }) => before.items?.some((item) => item.name === name && isClean(item)) === true)
    .flatMap(({ targetRef, message }) => warning("DriftDetected", `${targetRef.kind} '${targetRef.name}': ${message}`));
}

function takeOver({ conflicts = [] }: Item, what: string): readonly News[] {
  if (conflicts.length === 0) return [];
  const fields = conflicts.map(({ field, manager }) => `${field} (${manager})`).join(", ");
  return warning("FieldsTakenOver", `Taking over fields of ${what}: ${fields}`);
}
