// I4: the status never goes back in generation, moves only along edges, shows exactly one phase, and keeps its times honest.

import type { History } from "./history.ts";
import { isEdge, isPhase } from "./phase-edges.ts";
import { ownSteps, type Step } from "./steps.ts";
import type { StoredCondition, StoredStatus } from "./stored-config.ts";
import { type Violation, violation } from "./violation.ts";

export function untruthfulStatuses(history: History): readonly Violation[] {
  return ownSteps(history).flatMap((step) => lies(step).map((why) => violation("I4", step.by, why)));
}

function lies(step: Step): readonly string[] {
  const after = step.after.status ?? {};
  const before = step.before?.object?.status ?? {};
  return [
    ...generationLies(step),
    ...edgeLies(step),
    ...phaseLies(after),
    ...movedTimes(before.conditions, after.conditions, conditionKey),
    ...movedTimes(before.items, after.items, itemKey),
  ];
}

function generationLies({ before, after }: Step): readonly string[] {
  const { observedGeneration = 0 } = after.status ?? {};
  const last = before?.object?.status?.observedGeneration ?? 0;
  const { generation } = after.metadata;
  if (observedGeneration < last) return [`observedGeneration went back from ${last} to ${observedGeneration}`];
  return observedGeneration > generation ? [`observedGeneration ${observedGeneration} is above ${generation}`] : [];
}

function edgeLies({ before, after }: Step): readonly string[] {
  const from = before?.object?.status?.phase ?? "";
  const to = after.status?.phase ?? "";
  const isEdited = (after.status?.observedGeneration ?? 0) > (before?.object?.status?.observedGeneration ?? 0);
  const isAllowed = isEdge({ from, to, action: after.spec.action, isEdited });
  return isAllowed
    ? []
    : [`no edge leads from "${from}" to "${to}" with action ${after.spec.action}${isEdited ? "" : " without an edit"}`];
}

function phaseLies({ phase, conditions = [] }: StoredStatus): readonly string[] {
  const shown = conditions.filter(({ type, status }) => isPhase(type) && status === "True").map(({ type }) => type);
  return shown.length === 1 && shown[0] === phase
    ? []
    : [`phase ${phase} has the conditions ${shown.join(", ") || "none"}`];
}

/** What may move its time: its name, and what must have changed for that. */
type Timed = { readonly lastTransitionTime?: string };
type Key<T> = (one: T) => { readonly name: string; readonly value: string };

const conditionKey: Key<StoredCondition> = ({ type, status }) => ({ name: `condition ${type}`, value: status });
const itemKey: Key<NonNullable<StoredStatus["items"]>[number]> = ({ name, state = "Pending" }) => ({
  name: `item ${name}`,
  value: state,
});

function movedTimes<T extends Timed>(
  before: readonly T[] = [],
  after: readonly T[] = [],
  keyOf: Key<T>,
): readonly string[] {
  const known = new Map(before.map((one) => [keyOf(one).name, one]));
  return after.flatMap((one) => {
    const { name, value } = keyOf(one);
    const last = known.get(name);
    const isMoved = last !== undefined && last.lastTransitionTime !== one.lastTransitionTime;
    return isMoved && keyOf(last).value === value ? [`lastTransitionTime of ${name} moved, ${value} did not`] : [];
  });
}
