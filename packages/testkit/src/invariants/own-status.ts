// Invariants for status writes: executions are approved (I1), statuses are consistent (I4).

import {
  type ConfigVersion,
  type History,
  type OwnStatusWrite,
  ownStatusWrites,
  type Violation,
  violation,
} from "./history.ts";
import { isEdge, isPhase } from "./phase-edges.ts";
import type { StoredCondition, StoredConfig, StoredStatus } from "./stored-config.ts";

/** I1: an execution needs a new generation or an automatic drift correction, and after a forced review, that plan. */
export function unapprovedExecutions(history: History): readonly Violation[] {
  return ownStatusWrites(history)
    .filter(startsExecution)
    .flatMap(({ before, after, by }) => {
      const why = missingApproval(before?.object, after);
      return why === undefined ? [] : [violation("I1", by, `${after.metadata.name} begins although ${why}`)];
    });
}

function startsExecution({ before, after }: OwnStatusWrite): boolean {
  const isEntry = after.status?.phase === "InProgress" && before?.object?.status?.phase !== "InProgress";
  // An execution that changes nothing needs no approval.
  return isEntry && after.status?.items?.some(({ diff = "" }) => !diff.endsWith("(no changes)\n")) === true;
}

function missingApproval(before: ConfigVersion["object"], after: StoredConfig): string | undefined {
  const { generation } = after.metadata;
  const { executedGeneration = 0, review, phase } = before?.status ?? {};
  const isCorrection = phase === "Drifted" && after.spec.bypassOptimisticLock === true;
  if (generation <= executedGeneration && !isCorrection) return `generation ${generation} was carried out before`;
  if (review?.forced !== true) return undefined;
  if (generation <= (review.generation ?? 0)) return "no user has answered the forced review";
  return after.status?.planHash === review.planHash ? undefined : "the forced review showed another plan";
}

/**
 * I4: generations never decrease, phases follow the edges, one phase is shown (plus Drifted), and transition times
 * change only with their state.
 */
export function inconsistentStatuses(history: History): readonly Violation[] {
  return ownStatusWrites(history).flatMap((write) => statusFaults(write).map((why) => violation("I4", write.by, why)));
}

function statusFaults(write: OwnStatusWrite): readonly string[] {
  const after = write.after.status ?? {};
  const before = write.before?.object?.status ?? {};
  return [
    ...generationFaults(write),
    ...edgeFaults(write),
    ...phaseFaults(after),
    ...movedTimes(before.conditions, after.conditions, conditionKey),
    ...movedTimes(before.items, after.items, itemKey),
  ];
}

function generationFaults({ before, after }: OwnStatusWrite): readonly string[] {
  const { observedGeneration = 0 } = after.status ?? {};
  const last = before?.object?.status?.observedGeneration ?? 0;
  const { generation } = after.metadata;
  if (observedGeneration < last) return [`observedGeneration went back from ${last} to ${observedGeneration}`];
  return observedGeneration > generation ? [`observedGeneration ${observedGeneration} is above ${generation}`] : [];
}

function edgeFaults({ before, after }: OwnStatusWrite): readonly string[] {
  const from = before?.object?.status?.phase ?? "";
  const to = after.status?.phase ?? "";
  const isEdited = (after.status?.observedGeneration ?? 0) > (before?.object?.status?.observedGeneration ?? 0);
  const isAllowed = isEdge({ from, to, action: after.spec.action, isEdited });
  return isAllowed
    ? []
    : [`no edge leads from "${from}" to "${to}" with action ${after.spec.action}${isEdited ? "" : " without an edit"}`];
}

function phaseFaults({ phase, conditions = [] }: StoredStatus): readonly string[] {
  const shown = conditions.filter(({ type, status }) => isPhase(type) && status === "True").map(({ type }) => type);
  // An applied target may drift without a phase change.
  const others = shown.filter((type) => type !== phase);
  const mayDrift = phase === "InProgress" || phase === "Failed";
  return shown.length === others.length + 1 && others.every((type) => type === "Drifted" && mayDrift)
    ? []
    : [`phase ${phase} has the conditions ${shown.join(", ") || "none"}`];
}

/** An entry whose time may change only if its `value` changes. */
type TimedEntry = { readonly lastTransitionTime?: string };
type EntryKey<T> = (one: T) => { readonly name: string; readonly value: string };

const conditionKey: EntryKey<StoredCondition> = ({ type, status }) => ({ name: `condition ${type}`, value: status });
const itemKey: EntryKey<NonNullable<StoredStatus["items"]>[number]> = ({ name, state = "Pending" }) => ({
  name: `item ${name}`,
  value: state,
});

function movedTimes<T extends TimedEntry>(
  before: readonly T[] = [],
  after: readonly T[] = [],
  keyOf: EntryKey<T>,
): readonly string[] {
  const known = new Map(before.map((one) => [keyOf(one).name, one]));
  return after.flatMap((one) => {
    const { name, value } = keyOf(one);
    const last = known.get(name);
    const isMoved = last !== undefined && last.lastTransitionTime !== one.lastTransitionTime;
    return isMoved && keyOf(last).value === value ? [`lastTransitionTime of ${name} moved, ${value} did not`] : [];
  });
}
