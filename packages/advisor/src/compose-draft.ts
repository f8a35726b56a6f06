// Makes a plan of what a profile wants and what the API server said it would become. Pure.

import { type Conflict, fieldManagers, type Item, type KubeObject, managedByLabel, type Severity } from "@virt/api";
import { changeDiff, contentChanges, creationDiff, deletionDiff, equalDiff, type Health, isMadeBy } from "@virt/engine";
import type { PassFacts } from "./facts.ts";
import { planHash, reviewedNow, snapshotHash, specHash, type WithLive } from "./hashes.ts";
import type { Draft } from "./observed.ts";
import { plannedInputs } from "./plan.ts";
import type { PlannedItem } from "./planned-item.ts";
import { poolsOf, rolloutOf } from "./rollouts.ts";
import { worstOf } from "./severity.ts";

/** One planned item beside its target and the answer to its dry run. */
export type Compared = {
  readonly planned: PlannedItem;
  readonly live: KubeObject | undefined;
  /** By a dry run; undefined where none was made: removals, and what is in force without us. */
  readonly predicted?: KubeObject;
  readonly conflicts: readonly Conflict[];
};

export function composeDraft(facts: PassFacts, compared: readonly Compared[]): Extract<Draft, { kind: "drafted" }> {
  const foreign = compared.filter(isForeign).map(({ planned: { target } }) => leftInPlace(target));
  const items = compared
    .filter((one) => one.planned.operation === "Apply" || isOurs(one))
    .map((one, at) => ({ ...itemOf(one, facts, at === 0 ? foreign : []), live: one.live }));
  const stored = items.map(({ live: _live, ...item }): Item => item);
  const byItem = <T>(make: (item: WithLive<Item>) => T | undefined): Record<string, T> =>
    Object.fromEntries(
      items.flatMap((item) => {
        const made = make(item);
        return made === undefined ? [] : [[item.name, made] as const];
      }),
    );
  return {
    kind: "drafted",
    items: stored,
    planHash: planHash(facts.config.spec.profile, items),
    snapshotHash: snapshotHash(items),
    impact: worstOf(stored, facts.profile?.impact ?? "Low"),
    specHash: specHash(facts.config.spec),
    inputs: inputsOf(facts),
    rollouts: byItem((item): Health | undefined => (item.changes ? undefined : rolloutOf(item, item.live, facts))),
    pools: byItem((item) => poolsOf(item, item.live, facts)),
  };
}

function itemOf({ planned, live, predicted, conflicts }: Compared, facts: PassFacts, foreign: readonly string[]): Item {
  const { name, operation, target, managedFields, message } = planned;
  const changes = isChange(planned, live, predicted);
  const warnings = [...foreign, ...planned.warnings, ...governedWarning(planned, live)];
  const keptRollout = changes ? undefined : rolloutInFlight(name, facts);
  return {
    name,
    operation,
    targetRef: target,
    impactSeverity: changes ? impactOf(planned, live) : "Low",
    changes,
    diff: diffOf({ planned, live, changes, ...(predicted && { predicted }) }),
    ...(planned.operation === "Apply" && { desiredState: planned.desired }),
    managedFields,
    ...(conflicts.length > 0 && { conflicts }),
    ...(warnings.length > 0 && { warnings }),
    ...(planned.waitsFor !== undefined && { waitsFor: planned.waitsFor }),
    state: "Pending",
    message,
    reviewed: reviewedNow({ targetRef: target, managedFields }, live),
    ...(keptRollout && { rollout: keptRollout }),
  };
}

function isChange(planned: PlannedItem, live: KubeObject | undefined, predicted: KubeObject | undefined): boolean {
  if (planned.operation === "Delete") return true;
  if (planned.isSkipped === true || predicted === undefined) return false;
  return live === undefined || contentChanges(live, predicted).length > 0;
}

function impactOf(planned: PlannedItem, live: KubeObject | undefined): Severity {
  if (planned.operation === "Delete") return planned.impact;
  return live === undefined ? planned.impact.create : planned.impact.change;
}

type Shown = Pick<Compared, "planned" | "live" | "predicted"> & { readonly changes: boolean };

function diffOf({ planned, live, predicted, changes }: Shown): string {
  if (planned.operation === "Delete" && live !== undefined) return deletionDiff(live);
  if (!changes || predicted === undefined) return equalDiff(planned.target);
  return live === undefined ? creationDiff(predicted) : changeDiff(live, predicted);
}

function governedWarning({ target }: PlannedItem, live: KubeObject | undefined): readonly string[] {
  if (live?.metadata.labels?.[managedByLabel.key] !== managedByLabel.value) return [];
  return [
    `${target.kind} '${target.name}' is managed by ${managedByLabel.value}, which yields once this plan is approved`,
  ];
}

/** A draft made while a rollout runs keeps its clock, and so does the next one. */
function rolloutInFlight(name: string, { config }: PassFacts): Item["rollout"] {
  const stored = config.status?.items?.find((item) => item.name === name);
  const isWaiting = stored?.state === "InProgress" || (stored?.state === "Pending" && !stored.changes);
  return isWaiting ? stored.rollout : undefined;
}

function isOurs({ planned, live }: Compared): boolean {
  return live !== undefined && isMadeBy(live, fieldManagers.advisor, planned.managedFields);
}

function isForeign(one: Compared): boolean {
  return one.planned.operation === "Delete" && one.live !== undefined && !isOurs(one);
}

function leftInPlace({ kind, name }: PlannedItem["target"]): string {
  return `${kind} '${name}' was not created by ${fieldManagers.advisor} and is left in place`;
}

function inputsOf(facts: PassFacts) {
  return plannedInputs(facts).map(({ name, now }) => {
    const applied = facts.config.status?.inputs?.find((record) => record.name === name)?.applied;
    return { name, ...(now !== undefined && { used: now }), ...(applied !== undefined && { applied }) };
  });
}
