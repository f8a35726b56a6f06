// Composes a plan from the items of a profile and their dry runs.

import {
  type Conflict,
  type Item,
  isAdvisorManager,
  type KubeObject,
  managedByLabel,
  profileManager,
  type Severity,
} from "@virt/api";
import { type Health } from "@virt/cluster";
import {
  type Assessment,
  classOfWrite,
  type DisruptionPolicies,
  disruptionOf,
  type MachineConfigWrite,
  notAssessed,
  publishedDisruption,
  severityOfClass,
} from "@virt/impact";
import {
  type Change,
  changeDiff,
  contentChanges,
  creationDiff,
  deletionDiff,
  equalDiff,
  givesUpFields,
  isMadeBy,
  readOwners,
} from "@virt/objects";
import { autopilotWarning, hasAutopilotWarning, isRevertedByAutopilot } from "./autopilot-targets.ts";
import { admissionChanges, mutationWarning } from "./drift.ts";
import type { ReconcileFacts } from "./facts.ts";
import { planHash, reviewedNow, snapshotHash, specHash, type WithLive } from "./hashes.ts";
import { draftInputs } from "./inputs.ts";
import { isMachineConfig, worstImpact } from "./items.ts";
import type { Draft } from "./observed.ts";
import { poolWarnings } from "./pool-warnings.ts";
import type { PlannedItem } from "./profile.ts";
import { countNodesOf } from "./rollout/rollout-changes.ts";
import { poolsOf, rolloutOf, withNodeReport } from "./rollout/rollouts.ts";
import { unreadableNodesWarnings } from "./unreadable-nodes.ts";

/** A planned item, its target, and the result of its dry run. */
export type ComparedItem = {
  readonly planned: PlannedItem;
  readonly live: KubeObject | undefined;
  /** The result of the dry run. Undefined for deletions and skipped items, which have none. */
  readonly predicted?: KubeObject;
  readonly conflicts: readonly Conflict[];
};

/**
 * Composes the plan. Does not delete objects that the advisor did not create, but warns about them. If disruption
 * policies are unknown, assumes that any changed file or unit reboots nodes.
 */
export function composeDraft(
  facts: ReconcileFacts,
  all: readonly ComparedItem[],
  policies: Assessment<DisruptionPolicies> = notAssessed("NotServed"),
): Extract<Draft, { kind: "drafted" }> {
  const manager = profileManager(facts.config.spec.profile);
  const isForeign = (one: ComparedItem) =>
    one.planned.operation === "Delete" && one.live !== undefined && !isOurs(one, manager);
  const foreign = all.filter(isForeign).map(({ planned: { target } }) => leftInPlace(target, manager));
  const compared = all.filter((one) => one.planned.operation === "Apply" || isOurs(one, manager));
  const items = compared.map((one, at) => ({
    ...itemOf(one, facts, { foreign: at === 0 ? foreign : [], policies }),
    live: one.live,
  }));
  const writes = compared.flatMap(machineConfigWrite);
  const disruption = publishedDisruption(disruptionOf(writes, facts.pools, policies));
  const stored = items.map(({ live: _live, ...item }): Item => item);
  const byItem = <T>(make: (item: WithLive<Item>) => T | undefined): Record<string, T> =>
    Object.fromEntries(
      items.flatMap((item) => {
        const made = make(item);
        return made === undefined ? [] : [[item.name, made] as const];
      }),
    );
  const countOf = countNodesOf(facts);
  return {
    kind: "drafted",
    items: stored,
    planHash: planHash(facts.config.spec, items, disruption),
    snapshotHash: snapshotHash(items),
    impact: worstImpact(stored, facts.profile?.impact ?? "Low"),
    disruption,
    writes,
    reverted: stored.filter(hasAutopilotWarning).map(({ targetRef }) => targetRef),
    specHash: specHash(facts.config.spec),
    inputs: draftInputs(facts),
    rollouts: byItem((item): Health | undefined => {
      if (item.changes) return undefined;
      const rollout = rolloutOf(item, item.live, { ...facts, countOf });
      return withNodeReport(rollout, plannedOf(compared, item), facts);
    }),
    pools: byItem((item) => poolsOf(item, item.live, facts)),
  };
}

function itemOf(
  { planned, live, predicted, conflicts }: ComparedItem,
  facts: ReconcileFacts,
  { foreign, policies }: { readonly foreign: readonly string[]; readonly policies: Assessment<DisruptionPolicies> },
): Item {
  const { name, operation, target, managedFields } = planned;
  const changes = isChange(planned, live, predicted);
  const learned = predicted === undefined ? [] : (facts.profile?.dryRunWarnings?.(planned, { live, predicted }) ?? []);
  const mutated =
    predicted === undefined || planned.operation === "Delete"
      ? []
      : admissionChanges(planned.desired, predicted, profileManager(facts.config.spec.profile));
  const warnings = [
    ...foreign,
    ...planned.warnings,
    ...learned,
    ...(mutated.length > 0 ? [mutationWarning(mutated)] : []),
    ...rolloutWarnings({ planned, live, changes }, facts),
    ...governedWarning(planned, live),
    ...(isReverted({ planned, live, predicted }, facts) ? [autopilotWarning(target)] : []),
    ...unreadableNodesWarnings(planned, facts),
  ];
  const reviewed = reviewedNow({ targetRef: target, managedFields }, live);
  const keptRollout = changes ? undefined : rolloutInFlight(name, facts);
  return {
    name,
    operation,
    targetRef: target,
    impactSeverity: impactOf({ planned, live, conflicts, ...(predicted && { predicted }) }, facts.pools, policies),
    changes,
    diff: diffOf({ planned, live, changes, ...(predicted && { predicted }) }),
    ...(planned.operation === "Apply" && { desiredState: planned.desired }),
    managedFields,
    ...(conflicts.length > 0 && { conflicts }),
    ...(warnings.length > 0 && { warnings }),
    ...(planned.waitsFor !== undefined && { waitsFor: planned.waitsFor }),
    state: "Pending",
    message: changes ? planned.message : unchangedMessage(planned, mutated),
    reviewed,
    sourceHash: reviewed.hash,
    ...(keptRollout && { rollout: keptRollout }),
  };
}

type DryRunItem = Pick<ComparedItem, "planned" | "live"> & { readonly predicted: KubeObject | undefined };

function isReverted({ planned, live, predicted }: DryRunItem, { autopilot }: ReconcileFacts): boolean {
  if (planned.operation === "Delete" || !isChange(planned, live, predicted)) return false;
  return isRevertedByAutopilot({ desired: planned.desired, live }, autopilot);
}

function unchangedMessage(planned: PlannedItem, mutated: readonly Change[]): string {
  const { kind, name } = planned.target;
  if (planned.operation === "Delete" || planned.isSkipped === true) return planned.message;
  if (mutated.length > 0) return `${kind} '${name}' keeps the values set by admission`;
  return planned.messageInPlace ?? `${kind} '${name}' is already in place`;
}

function plannedOf(compared: readonly ComparedItem[], { name }: Item): PlannedItem | undefined {
  return compared.find(({ planned }) => planned.name === name)?.planned;
}

function rolloutWarnings({ planned, live, changes }: ShownItem, { pools }: ReconcileFacts): readonly string[] {
  const isApplied = planned.operation === "Apply" && planned.isSkipped !== true;
  const machineConfig = isApplied ? planned.desired : planned.operation === "Delete" ? live : undefined;
  if (machineConfig === undefined || !isMachineConfig({ targetRef: planned.target })) return [];
  return poolWarnings(pools, machineConfig, changes);
}

function isChange(planned: PlannedItem, live: KubeObject | undefined, predicted: KubeObject | undefined): boolean {
  if (planned.operation === "Delete") return true;
  if (planned.isSkipped === true || predicted === undefined) return false;
  if (live === undefined || contentChanges(live, predicted).length > 0) return true;
  return planned.isRelease === true && isAdvisorReleased(live, predicted);
}

function isAdvisorReleased(live: KubeObject, predicted: KubeObject): boolean {
  const managers = readOwners(live).map(({ manager }) => manager);
  return managers.some((manager) => isAdvisorManager(manager) && givesUpFields(live, predicted, manager));
}

/** Reports whether the plan writes MachineConfigs. If it does, the draft needs the disruption policies. */
export function changesMachineConfigs(compared: readonly ComparedItem[]): boolean {
  return compared.flatMap(machineConfigWrite).length > 0;
}

function machineConfigWrite({ planned, live, predicted }: ComparedItem): readonly MachineConfigWrite[] {
  const isWritten = isMachineConfig({ targetRef: planned.target }) && isChange(planned, live, predicted);
  return isWritten ? [{ before: live, after: planned.operation === "Delete" ? undefined : predicted }] : [];
}

/** Returns the severity: for a MachineConfig, derived from its disruption class; for other kinds, set by the profile. */
function impactOf(one: ComparedItem, pools: readonly KubeObject[], policies: Assessment<DisruptionPolicies>): Severity {
  const { planned, live, predicted } = one;
  if (!isChange(planned, live, predicted)) return "Low";
  const [write] = machineConfigWrite(one);
  if (write !== undefined) return severityOfClass(classOfWrite(write, pools, policies));
  if (planned.operation === "Delete") return planned.impact;
  if (live === undefined) return planned.impact.create;
  const ofChange = predicted && planned.changeImpact?.({ live, predicted });
  return ofChange ?? planned.impact.change;
}

type ShownItem = Pick<ComparedItem, "planned" | "live" | "predicted"> & { readonly changes: boolean };

function diffOf({ planned, live, predicted, changes }: ShownItem): string {
  if (planned.operation === "Delete" && live !== undefined) return deletionDiff(live);
  if (!changes || predicted === undefined) return equalDiff(planned.target);
  return live === undefined ? creationDiff(predicted) : changeDiff(live, predicted);
}

function governedWarning({ target }: PlannedItem, live: KubeObject | undefined): readonly string[] {
  if (live?.metadata.labels?.[managedByLabel.key] !== managedByLabel.value) return [];
  return [
    `${target.kind} '${target.name}' is managed by ${managedByLabel.value}, which releases it when this plan is approved`,
  ];
}

/** Returns the rollout in progress, so that a new draft keeps its start time. */
function rolloutInFlight(name: string, { config }: ReconcileFacts): Item["rollout"] {
  const stored = config.status?.items?.find((item) => item.name === name);
  const isWaiting = stored?.state === "InProgress" || (stored?.state === "Pending" && !stored.changes);
  return isWaiting ? stored.rollout : undefined;
}

function isOurs({ planned, live }: ComparedItem, manager: string): boolean {
  return live !== undefined && isMadeBy(live, manager, planned.managedFields);
}

function leftInPlace({ kind, name }: PlannedItem["target"], manager: string): string {
  return `${kind} '${name}' was not created by ${manager} and is left in place`;
}
