// Tracks rollouts. They are stored separately from the plan, because the plan may change before a rollout ends.

import type { Condition, Item, KubeObject, PendingRollout, Phase, Ref, Status } from "@virt/api";
import {
  affectedPools,
  type CountOfPool,
  type Health,
  type MachineConfigChange,
  type PoolProgress,
  poolOfNode,
  readMachineConfigPool,
  rolloutHealth,
} from "@virt/cluster";
import { conditionIs } from "../conditions/status-conditions.ts";
import type { ReconcileFacts } from "../facts.ts";
import { isApplied, isMachineConfig, isSkipped, isWriteOpen } from "../items.ts";
import type { Observed, ObservedItem } from "../observed.ts";
import type { PlannedItem } from "../profile.ts";
import { elapsedSince, startOf } from "../times.ts";

type RolloutFacts = Pick<ReconcileFacts, "pools" | "renderedOf" | "now"> & { readonly countOf?: CountOfPool };

/** Returns the rollout of an item, or undefined if it starts none. */
export function rolloutOf(item: Item, live: KubeObject | undefined, facts: RolloutFacts): Health | undefined {
  if (!isMachineConfig(item) || isSkipped(item)) return undefined;
  const change = changeOfItem(item, live, facts.now);
  const health = rolloutHealth(facts.pools, change, facts.renderedOf, facts.countOf);
  if (item.state !== "InProgress" || !isTargetGone(item, live)) return health;
  const text = goneText(item);
  const pools = (health.pools ?? []).map((pool) => ({ ...pool, updated: 0 }));
  return { state: "waiting", message: text, problem: text, ...(pools.length > 0 && { pools }) };
}

export function changeOfItem(item: Item, live: KubeObject | undefined, now: number): MachineConfigChange {
  const { targetRef, operation, reviewed, rollout } = item;
  return {
    machineConfig: item.desiredState ?? live ?? objectWithoutContent(targetRef),
    operation,
    // Ignored for a completed item, whose `reviewed` describes the advisor's own write.
    wasThere: item.state !== "Completed" && reviewed !== undefined && reviewed.uid !== "",
    before: new Map(rollout?.before.map(({ pool, configuration }) => [pool, configuration])),
    startedMsAgo: now - startOf(item, now),
    ...(operation === "Delete" && rollout && { pools: rollout.before.map(({ pool }) => pool) }),
  };
}

/** Reports whether another client deleted an object that the plan applied. */
export function isTargetGone(item: Item, live: KubeObject | undefined): boolean {
  return item.operation === "Apply" && live === undefined && !isSkipped(item) && isWritten(item);
}

function isWritten({ state, changes, appliedTime }: Item): boolean {
  if (state === "Completed") return true;
  return state === "Pending" ? false : appliedTime !== undefined || (state === "InProgress" && !changes);
}

function goneText({ targetRef: { kind, name } }: Item): string {
  return `${kind} '${name}' was deleted by an unknown client (see the API server's audit log); no node counts as updated until it is restored`;
}

export function itemsWithoutTarget({ items }: Pick<Observed, "items">): readonly Item[] {
  return items.filter(({ item, isGone }) => item.state === "InProgress" && isGone === true).map(({ item }) => item);
}

/** Appends the profile's report about nodes to the message of a finished rollout. */
export function withNodeReport(
  rollout: Health | undefined,
  planned: PlannedItem | undefined,
  { vmNodes = [], pools }: Pick<ReconcileFacts, "vmNodes" | "pools">,
): Health | undefined {
  if (rollout?.state !== "done" || planned?.operation !== "Apply" || planned.reportOn === undefined) return rollout;
  const affected = affectedPools(pools, planned.desired);
  const nodes = vmNodes.filter(({ metadata }) => affected.includes(poolOfNode(metadata.labels ?? {}, pools) ?? ""));
  if (nodes.length === 0) return rollout;
  return { ...rollout, message: `${rollout.message}; ${planned.reportOn(nodes, pools)}` };
}

export function poolsOf(item: Item, live: KubeObject | undefined, { pools }: RolloutFacts): ObservedItem["pools"] {
  if (!isMachineConfig(item)) return [];
  return affectedPools(pools, item.desiredState ?? live ?? objectWithoutContent(item.targetRef)).map((name) => {
    const pool = pools.find(({ metadata }) => metadata.name === name);
    return { pool: name, configuration: (pool && readMachineConfigPool(pool).target.name) ?? "" };
  });
}

export type ObservedRollout = { readonly record: PendingRollout; readonly health: Health };

/** Returns the reference to a MachineConfig with this name. */
export function rolloutTarget(name: string): Ref {
  return { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig", name };
}

/** Observes all rollouts. Uses the current objects, because a write may have failed, or another client may have reverted it. */
export function observeRollouts(facts: ReconcileFacts & RolloutFacts): readonly ObservedRollout[] {
  return (facts.config.status?.rollouts ?? []).map((record) => ({ record, health: healthOf(record, facts) }));
}

function healthOf(record: PendingRollout, facts: ReconcileFacts & RolloutFacts): Health {
  if (facts.profile === undefined) return { state: "waiting", message: "MachineConfigPool status not available" };
  const isThere = (name: string) => facts.pools.some(({ metadata }) => metadata.name === name);
  const pools = record.before.map(({ pool }) => pool).filter(isThere); // skips deleted pools
  const change = { ...changeOfRecord(record, facts.live(rolloutTarget(record.machineConfig)), facts.now), pools };
  return rolloutHealth(facts.pools, change, facts.renderedOf, facts.countOf);
}

/** Returns the change for a rollout that belongs to no item, based on the current object. */
export function changeOfRecord(
  { machineConfig, startTime, before }: PendingRollout,
  live: KubeObject | undefined,
  now: number,
): MachineConfigChange {
  return {
    machineConfig: live ?? objectWithoutContent(rolloutTarget(machineConfig)),
    operation: live === undefined ? "Delete" : "Apply",
    wasThere: true,
    before: new Map(before.map(({ pool, configuration }) => [pool, configuration])),
    startedMsAgo: elapsedSince(startTime, now),
    pools: before.map(({ pool }) => pool),
  };
}

/** Reports whether nodes are still rolling out MachineConfigs of this config, including changes by other clients. */
export function isRolloutOpen({ phase, items = [], rollouts = [], conditions = [] }: Status): boolean {
  if (phase === "Ignored") return false;
  const isAwaited = ({ state, rollout }: Item) =>
    phase === "InProgress" && state === "InProgress" && rollout !== undefined;
  const isUnconverged = ({ type, reason }: Condition) => type === "Ready" && reason === "NotConverged";
  return rollouts.length > 0 || items.some(isAwaited) || conditions.some(isUnconverged);
}

export function areRolloutsDone({ rollouts }: Pick<Observed, "rollouts">): boolean {
  return rollouts.every(({ health }) => health.state === "done");
}

export function pendingRolloutText({ rollouts }: Pick<Observed, "rollouts">): string | undefined {
  const open = rollouts.filter(({ health }) => health.state !== "done");
  return open.length === 0 ? undefined : [...new Set(open.map(({ health }) => health.message))].join("; ");
}

/** Returns the rollouts to store: unfinished ones, and those of items that are being applied. */
export function pendingRollouts(
  { rollouts }: Pick<Observed, "rollouts">,
  items: readonly Item[],
  phase: Phase,
): Pick<Status, "rollouts"> | { readonly rollouts: undefined } {
  if (phase === "Ignored") return { rollouts: undefined };
  const open = rollouts.flatMap(({ record, health }) => (health.state === "done" ? [] : [record]));
  const ours = phase === "InProgress" ? items.flatMap((item) => startedRollout(item, open) ?? []) : [];
  const isReplaced = ({ machineConfig }: PendingRollout) => ours.some((one) => one.machineConfig === machineConfig);
  const all = [...open.filter((record) => !isReplaced(record)), ...ours];
  return { rollouts: all.length === 0 ? undefined : all.slice(-mostRollouts) };
}

const mostRollouts = 16;

/** Records a rollout before its write, so that it is not lost if the process crashes after the write. */
function startedRollout(item: Item, open: readonly PendingRollout[]): PendingRollout | undefined {
  const { rollout, changes, state, targetRef } = item;
  if (!isMachineConfig(item) || !changes || state !== "InProgress" || rollout === undefined) return undefined;
  const earlier = open.find(({ machineConfig }) => machineConfig === targetRef.name)?.before ?? [];
  const others = earlier.filter(({ pool }) => !rollout.before.some((one) => one.pool === pool));
  return { machineConfig: targetRef.name, startTime: rollout.startTime, before: [...rollout.before, ...others] };
}

const rolloutStates: readonly Item["state"][] = ["InProgress", "Completed"];

/** Returns the pools whose rollouts a decision starts or has just started. Their known node counts are out of date. */
export function begunPools(
  { rollouts = [], items = [] }: Status,
  { stored, items: observed }: Pick<Observed, "stored" | "items">,
): ReadonlySet<string> {
  const isOld = ({ machineConfig, startTime }: PendingRollout) =>
    stored.rollouts?.some((one) => one.machineConfig === machineConfig && one.startTime === startTime) === true;
  const isWritten = ({ item, isInPlace }: ObservedItem) =>
    !isInPlace && isWriteOpen(item) && items.some((one) => one.name === item.name && isApplied(one));
  const written = observed.filter(isWritten).flatMap(({ pools }) => pools);
  const begun = rollouts.filter((one) => !isOld(one)).flatMap(({ before }) => before);
  return new Set([...begun, ...written].map(({ pool }) => pool));
}

/** Returns a string such as `4/12 nodes`, or undefined if no rollout is in progress or a count is unknown. */
export function nodeProgress(
  { items }: Pick<Observed, "items">,
  begun: ReadonlySet<string> = new Set(),
): string | undefined {
  const pools = new Map<string, PoolProgress>();
  for (const counted of unfinishedRollouts(items).flatMap(({ rollout }) => rollout?.pools ?? [])) {
    const one = begun.has(counted.pool) ? { pool: counted.pool, nodes: counted.nodes } : counted;
    const known = pools.get(one.pool);
    if (known === undefined || (one.updated ?? -1) < (known.updated ?? -1)) pools.set(one.pool, one);
  }
  return progressText([...pools.values()].map(({ nodes, updated }) => ({ total: nodes, done: updated })));
}

export function progressText(
  pools: readonly { readonly total: number; readonly done: number | undefined }[],
): string | undefined {
  const updated = pools.map(({ done }) => done);
  if (pools.length === 0 || updated.includes(undefined)) return undefined;
  const sum = (counts: readonly (number | undefined)[]) => counts.reduce<number>((all, one) => all + (one ?? 0), 0);
  return `${sum(updated)}/${sum(pools.map(({ total }) => total))} nodes`;
}

/** Returns `status.progress`. It marks a blocked rollout as stuck. */
export function progressColumn(status: Status, counted: string | undefined): string | undefined {
  if (!conditionIs(status, "Stalled", "True")) return counted;
  if (counted !== undefined) return `stuck: ${counted}`;
  return status.phase === "InProgress" ? "stuck" : undefined;
}

/** Returns the problems that block the rollout of a running plan until the user acts. */
export function rolloutProblem({ items }: Pick<Observed, "items">): string | undefined {
  const problems = items.flatMap(({ item, rollout }) => (item.state === "InProgress" ? (rollout?.problem ?? []) : []));
  return problems.length === 0 ? undefined : [...new Set(problems)].join("; ");
}

function unfinishedRollouts(items: readonly ObservedItem[]): readonly ObservedItem[] {
  return items.filter(({ item, rollout }) => rolloutStates.includes(item.state) && rollout?.state !== "done");
}

function objectWithoutContent({ apiVersion, kind, name }: Ref): KubeObject {
  return { apiVersion, kind, metadata: { name } };
}
