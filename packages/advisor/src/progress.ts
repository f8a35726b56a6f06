// Advances the items of a running plan: rollouts, timeouts and the next item.

import type { FailurePolicy, Item, Spec } from "@virt/api";
import { equalDiff, shortList } from "@virt/objects";
import { itemDriftText } from "./drift.ts";
import { completeItem, isApplied, isMachineConfig, isSkipped, itemMessages, startItem, withState } from "./items.ts";
import type { Drift, ObservedItem } from "./observed.ts";
import { waitedForTarget } from "./target-problem.ts";
import { readDuration, stamp, startOf, writeDuration } from "./times.ts";
import { waitingForNodesText } from "./unreadable-nodes.ts";

export type ItemFailure = { readonly item: string; readonly why: string };
export type ItemsProgress = { readonly items: readonly Item[]; readonly failure?: ItemFailure };

export function advanceItems(observed: readonly ObservedItem[], spec: Spec, now: number): ItemsProgress {
  const failures: ItemFailure[] = [];
  const items = observed.map((one) => {
    const { item, problem } = one;
    if (!isApplied(item)) return item;
    if (item.state === "Completed" && problem === undefined) return updateCompleted(one);
    const waited = problem === undefined ? now - startOf(item, now) : waitedForTarget(one, observed, now);
    const next = updateWaiting(one, spec, { now, waited });
    if (next.failure !== undefined) failures.push({ item: item.name, why: next.failure });
    return next.item;
  });
  return { items, ...(failures[0] && { failure: failures[0] }) };
}

export function updateCompleted({ item, drift, problem, inSyncMessage }: ObservedItem): Item {
  if (item.state !== "Completed") return item;
  if (drift === undefined) return completeItem(item, problem?.message ?? inSyncMessage, 0);
  return { ...item, message: itemDriftText(item, drift), diff: drift.diff };
}

type WaitTime = { readonly now: number; readonly waited: number };

/** Shows drift in the diff and the message while the item is waiting for its rollout. */
function updateWaiting(
  observed: ObservedItem,
  spec: Spec,
  time: WaitTime,
): { readonly item: Item; readonly failure?: string } {
  const { drift } = observed;
  const next = updateRollout(observed, spec, time);
  if (next.item.state !== "InProgress")
    return drift === undefined ? next : { ...next, item: updateCompleted({ ...observed, item: next.item }) };
  if (drift === undefined) return { ...next, item: { ...next.item, diff: equalDiff(next.item.targetRef) } };
  return { ...next, item: withDrift(next.item, drift) };
}

function withDrift(item: Item, drift: Drift): Item {
  const isNamed = drift.kind === "deleted"; // the message of the rollout shows this
  const message = isNamed ? item.message : `${itemDriftText(item, drift)}; ${item.message}`;
  return { ...item, message, diff: drift.diff };
}

function updateRollout(
  { item: stored, rollout, problem, inSyncMessage }: ObservedItem,
  { waitTimeout }: Spec,
  { now, waited }: WaitTime,
): { readonly item: Item; readonly failure?: string } {
  const item = startedByNow(stored, now);
  const isRolledOut = rollout === undefined || rollout.state === "done";
  if (isRolledOut && problem === undefined) return { item: completeItem(item, rollout?.message ?? inSyncMessage, now) };
  if (rollout?.state === "failed") {
    const message = `Health check failed: ${rollout.message}`;
    return { item: withState(item, "Failed", message, now), failure: message };
  }
  const cause = problem?.message ?? rollout?.message ?? "";
  const limit = waitTimeout === undefined || problem?.kind === "expected" ? undefined : readDuration(waitTimeout);
  if (limit === undefined || waited <= limit) return { item: withState(item, "InProgress", cause, now) };
  const waitedFor = `(waited ${writeDuration(waited)}, timeout ${writeDuration(limit)})`;
  const message = `Timeout waiting for resource to become healthy ${waitedFor}: ${cause}`;
  return { item: withState(item, "Failed", message, now), failure: `timeout after ${writeDuration(waited)}` };
}

/** Corrects a start time in the future, which means that the clock was set back. The wait then starts over. */
function startedByNow(item: Item, now: number): Item {
  if (item.rollout === undefined || startOf(item, now) <= now) return item;
  return { ...item, rollout: { ...item.rollout, startTime: stamp(now) } };
}

export type StartResult = { readonly items: readonly Item[]; readonly begun?: string };

/** Starts the next item. At most one write is unconfirmed at a time. An item that depends on a failed one also fails. */
export function startNextItem(items: readonly Item[], observed: readonly ObservedItem[], now: number): StartResult {
  const settled = items.map((item) => settleItem(item, items, observed, now));
  if (settled.some((item) => item.state === "InProgress" && item.changes && item.appliedTime === undefined))
    return { items: settled };
  const due = settled.find((item) => item.state === "Pending" && blockerOf(item, settled, observed) === undefined);
  if (due === undefined) return { items: settled };
  const pools = observed.find(({ item }) => item.name === due.name)?.pools ?? [];
  const started = startItem({ item: due, pools }, now);
  return { items: settled.map((item) => (item.name === due.name ? started : item)), begun: due.name };
}

function settleItem(item: Item, all: readonly Item[], observed: readonly ObservedItem[], now: number): Item {
  if (item.state !== "Pending") return item;
  if (!item.changes) {
    const seen = observed.find((one) => one.item.name === item.name);
    const settled = settleUnchanged(item, seen, now);
    if (seen?.drift === undefined) return settled;
    return settled.state === "Completed" ? updateCompleted({ ...seen, item: settled }) : withDrift(settled, seen.drift);
  }
  const blocker = blockerOf(item, all, observed);
  if (blocker === undefined) return item;
  if (blocker.state === "Failed") return withState(item, "Failed", `Not applied: item '${blocker.name}' failed`, now);
  return withState(item, "Pending", waitingText(blocker, observed), now);
}

function settleUnchanged(item: Item, observed: ObservedItem | undefined, now: number): Item {
  if (isSkipped(item)) return completeItem(item, item.message, now);
  if (!isMachineConfig(item) || observed?.rollout === undefined) return completeItem(item, itemMessages.unchanged, now);
  if (observed.rollout.state === "done") return completeItem(item, observed.rollout.message, now);
  const rollout = item.rollout ?? { startTime: stamp(now), before: observed.pools };
  return { ...withState(item, "InProgress", observed.rollout.message, now), rollout };
}

/**
 * Returns what the item has to wait for. Items that depend on a MachineConfig wait for all VM nodes, because a pool can
 * be done before nodes outside of it.
 */
function blockerOf(item: Item, all: readonly Item[], observed: readonly ObservedItem[]): Item | undefined {
  const other = item.waitsFor === undefined ? undefined : all.find(({ name }) => name === item.waitsFor);
  if (other === undefined || other.state !== "Completed") return other;
  const countsOnNodes = isMachineConfig(other) && other.operation === "Apply" && !isMachineConfig(item);
  return countsOnNodes && nodesWithout(other, observed)?.length !== 0 ? other : undefined;
}

function nodesWithout({ name }: Item, observed: readonly ObservedItem[]): readonly string[] | undefined {
  return observed.find(({ item }) => item.name === name)?.nodesWithout;
}

function waitingText(blocker: Item, observed: readonly ObservedItem[]): string {
  const refusal = observed.find(({ item }) => item.name === blocker.name)?.nodesRefusal;
  if (blocker.state === "Completed" && refusal !== undefined)
    return waitingForNodesText(blocker.targetRef.name, refusal);
  const nodes = blocker.state === "Completed" ? (nodesWithout(blocker, observed) ?? []) : [];
  if (nodes.length === 0) return `Waiting for item '${blocker.name}'`;
  const config = `MachineConfig '${blocker.targetRef.name}'`;
  return `Waiting for ${config} on nodes that can run VMs: ${shortList(nodes)}. Next: check their MachineConfigPools, or set spec.action to DryRun and back to Apply to plan for the current nodes.`;
}

const pollMs = 30_000;

/** Returns when to check a waiting plan again: in 30 seconds, or earlier if an item times out before that. */
export function nextRequeueAt(items: readonly Item[], { waitTimeout }: Spec, now: number): number {
  const limit = waitTimeout === undefined ? undefined : readDuration(waitTimeout);
  const waiting = items.filter(({ state, rollout }) => state === "InProgress" && rollout !== undefined);
  const deadlines = limit === undefined ? [] : waiting.map((item) => startOf(item, now) + limit + 1_000);
  return Math.min(now + pollMs, ...deadlines.map((deadline) => Math.max(deadline, now + 1_000)));
}

export function isPlanStopped(policy: FailurePolicy, items: readonly Item[]): boolean {
  return policy === "Abort" && items.some(({ state }) => state === "Failed");
}
