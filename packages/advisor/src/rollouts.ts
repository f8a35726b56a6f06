// The rollouts of MachineConfigs: of the items of a plan, and of earlier writes of this config, which are remembered apart from the
// plan because it may be another one by the time the nodes are done.

import type { Item, KubeObject, PendingRollout, Phase, Ref, Status } from "@virt/api";
import {
  affectedPools,
  asText,
  at,
  type CountOfPool,
  type Health,
  type MachineConfigChange,
  type PoolProgress,
  rolloutHealth,
} from "@virt/engine";
import { poolOfNode } from "@virt/facts";
import { conditionIs } from "./conditions/status-conditions.ts";
import type { ReconcileFacts } from "./facts.ts";
import { isApplied, isMachineConfig, isSkipped, isWriteOpen } from "./items.ts";
import type { Observed, ObservedItem } from "./observed.ts";
import type { PlannedItem } from "./profile.ts";
import { elapsedSince, startOf } from "./times.ts";

type RolloutFacts = Pick<ReconcileFacts, "pools" | "renderedOf" | "now"> & { readonly countOf?: CountOfPool };

/** Undefined where nothing is rolled out: other kinds, and what is in force without us. */
export function rolloutOf(item: Item, live: KubeObject | undefined, facts: RolloutFacts): Health | undefined {
  if (!isMachineConfig(item) || isSkipped(item)) return undefined;
  const change = changeOfItem(item, live, facts.now);
  const health = rolloutHealth(facts.pools, change, facts.renderedOf, facts.countOf);
  if (item.state !== "InProgress" || !isTargetGone(item, live)) return health;
  const text = goneText(item);
  const pools = (health.pools ?? []).map((pool) => ({ ...pool, updated: 0 }));
  return { state: "waiting", message: text, problem: text, ...(pools.length > 0 && { pools }) };
}

/** The change that an item makes, with the state of its pools before it. */
export function changeOfItem(item: Item, live: KubeObject | undefined, now: number): MachineConfigChange {
  const { targetRef, operation, reviewed, rollout } = item;
  return {
    machineConfig: item.desiredState ?? live ?? objectWithoutContent(targetRef),
    operation,
    // Once it is completed its content was in force; what is reviewed then is what we wrote ourselves.
    wasThere: item.state !== "Completed" && reviewed !== undefined && reviewed.uid !== "",
    before: new Map(rollout?.before.map(({ pool, configuration }) => [pool, configuration])),
    startedMsAgo: now - startOf(item, now),
    ...(operation === "Delete" && rollout && { pools: rollout.before.map(({ pool }) => pool) }),
  };
}

/** Reports whether another client deleted an object that the plan applied. To delete it is the goal of a Delete item. */
export function isTargetGone(item: Item, live: KubeObject | undefined): boolean {
  return item.operation === "Apply" && live === undefined && !isSkipped(item) && isWritten(item);
}

/** The write of this plan is confirmed, or the target was as desired without a write. */
function isWritten({ state, changes, appliedTime }: Item): boolean {
  if (state === "Completed") return true;
  return state === "Pending" ? false : appliedTime !== undefined || (state === "InProgress" && !changes);
}

function goneText({ targetRef: { kind, name } }: Item): string {
  return `${kind} '${name}' was deleted by an unknown client (the audit log of the API server names it); no node counts as updated until it is restored`;
}

/** Running items whose target another client deleted. */
export function itemsWithoutTarget({ items }: Pick<Observed, "items">): readonly Item[] {
  return items.filter(({ item, isGone }) => item.state === "InProgress" && isGone === true).map(({ item }) => item);
}

/** Adds to the message of a finished rollout what the profile reports about the nodes, if it reports anything. */
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
    return { pool: name, configuration: asText(at(pool, "spec", "configuration", "name")) ?? "" };
  });
}

export type ObservedRollout = { readonly record: PendingRollout; readonly health: Health };

/** The MachineConfig of a pending rollout. */
export function rolloutTarget(name: string): Ref {
  return { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig", name };
}

/** What is there now decides, not what was meant: the write may not have come about, or somebody may have taken it back. */
export function observeRollouts(facts: ReconcileFacts & RolloutFacts): readonly ObservedRollout[] {
  return (facts.config.status?.rollouts ?? []).map((record) => ({ record, health: healthOf(record, facts) }));
}

function healthOf(record: PendingRollout, facts: ReconcileFacts & RolloutFacts): Health {
  if (facts.profile === undefined) return { state: "waiting", message: "MachineConfigPool status not available" };
  const isThere = (name: string) => facts.pools.some(({ metadata }) => metadata.name === name);
  const pools = record.before.map(({ pool }) => pool).filter(isThere); // one that is gone rolls nothing out
  const change = { ...changeOfRecord(record, facts.live(rolloutTarget(record.machineConfig)), facts.now), pools };
  return rolloutHealth(facts.pools, change, facts.renderedOf, facts.countOf);
}

/** The change of a rollout that no item of the plan waits for: the object that exists now decides. */
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

export function areRolloutsDone({ rollouts }: Pick<Observed, "rollouts">): boolean {
  return rollouts.every(({ health }) => health.state === "done");
}

/** The messages of the pools that are not done. */
export function pendingRolloutText({ rollouts }: Pick<Observed, "rollouts">): string | undefined {
  const open = rollouts.filter(({ health }) => health.state !== "done");
  return open.length === 0 ? undefined : [...new Set(open.map(({ health }) => health.message))].join("; ");
}

/** The rollouts to remember: those that are not done, and those of the items that are being applied. */
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

/** On record with the intent to write, so that a crash behind the write does not lose it. */
function startedRollout(item: Item, open: readonly PendingRollout[]): PendingRollout | undefined {
  const { rollout, changes, state, targetRef } = item;
  if (!isMachineConfig(item) || !changes || state !== "InProgress" || rollout === undefined) return undefined;
  const earlier = open.find(({ machineConfig }) => machineConfig === targetRef.name)?.before ?? [];
  const others = earlier.filter(({ pool }) => !rollout.before.some((one) => one.pool === pool));
  return { machineConfig: targetRef.name, startTime: rollout.startTime, before: [...rollout.before, ...others] };
}

const rolloutStates: readonly Item["state"][] = ["InProgress", "Completed"];

/** Returns the pools of rollouts that a decision begins, and of targets that it has just written. Known counts of their nodes are outdated. */
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

/**
 * `4/12 nodes`, over the pools of unfinished rollouts, each counted once; undefined if nothing rolls or a count is not known, as in pools
 * that have just begun.
 */
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

/** `4/12 nodes`; undefined without pools, and if the count of one is not known. */
export function progressText(
  pools: readonly { readonly total: number; readonly done: number | undefined }[],
): string | undefined {
  const updated = pools.map(({ done }) => done);
  if (pools.length === 0 || updated.includes(undefined)) return undefined;
  const sum = (counts: readonly (number | undefined)[]) => counts.reduce<number>((all, one) => all + (one ?? 0), 0);
  return `${sum(updated)}/${sum(pools.map(({ total }) => total))} nodes`;
}

/** `status.progress`, for the column of `kubectl get`: a blocked rollout must not look like one that continues. */
export function progressColumn(status: Status, counted: string | undefined): string | undefined {
  if (!conditionIs(status, "Stalled", "True")) return counted;
  if (counted !== undefined) return `stuck: ${counted}`;
  return status.phase === "InProgress" ? "stuck" : undefined;
}

/** What needs a person before the rollout of a running plan can end: pool, nodes and cause. */
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
