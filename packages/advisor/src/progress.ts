// How far the items of a running plan are: rollouts, timeouts, and which item is due.

import type { FailurePolicy, Item, Spec } from "@virt/api";
import { readTime } from "@virt/engine";
import { readDuration, writeDuration } from "./duration.ts";
import { begun, completed, inState, isMachineConfig, isSkipped } from "./items.ts";
import type { ItemSeen } from "./observed.ts";
import { stamp } from "./stamp.ts";
import { texts } from "./texts.ts";

export type Failure = { readonly item: string; readonly why: string };
export type Progress = { readonly items: readonly Item[]; readonly failure?: Failure };

/** Waiting items as their pools stand, completed ones as their targets stand. */
export function advance(seen: readonly ItemSeen[], spec: Spec, now: number): Progress {
  const failures: Failure[] = [];
  const items = seen.map((one) => {
    const { item } = one;
    if (item.state === "Completed") return watched(one);
    if (item.state !== "InProgress" || (item.changes && item.appliedTime === undefined)) return item;
    const next = waited(one, spec, now);
    if (next.failure !== undefined) failures.push({ item: item.name, why: next.failure });
    return next.item;
  });
  return { items, ...(failures[0] && { failure: failures[0] }) };
}

/** A completed item says when its target drifts, and when its pools are not done any more. */
export function watched({ item, drift, restingMessage }: ItemSeen): Item {
  if (item.state !== "Completed") return item;
  if (drift === undefined) return completed(item, restingMessage, 0);
  const message = `Configuration has drifted from desired state: ${drift.changes.join(", ")}`;
  return { ...item, message, diff: drift.diff };
}

function waited(
  { item, rollout, restingMessage }: ItemSeen,
  { waitTimeout }: Spec,
  now: number,
): { readonly item: Item; readonly failure?: string } {
  if (rollout === undefined || rollout.state === "done")
    return { item: completed(item, rollout?.message ?? restingMessage, now) };
  if (rollout.state === "failed") {
    const message = `Health check failed: ${rollout.message}`;
    return { item: inState(item, "Failed", message, now), failure: message };
  }
  const elapsed = now - startOf(item, now);
  const limit = waitTimeout === undefined ? undefined : readDuration(waitTimeout);
  if (limit === undefined || elapsed <= limit) return { item: inState(item, "InProgress", rollout.message, now) };
  const waitedFor = `(waited ${writeDuration(elapsed)}, timeout ${writeDuration(limit)})`;
  const message = `Timeout waiting for resource to become healthy ${waitedFor}: ${rollout.message}`;
  return { item: inState(item, "Failed", message, now), failure: `timeout after ${writeDuration(elapsed)}` };
}

export function startOf({ rollout }: Item, otherwise: number): number {
  return (rollout && readTime(rollout.startTime)) ?? otherwise;
}

export type Beginning = { readonly items: readonly Item[]; readonly begun?: string };

/**
 * Settles the items that change nothing, and begins the next one that is due. At most one is begun and not confirmed.
 * One that waits for a failed item fails with it.
 */
export function beginNext(items: readonly Item[], seen: readonly ItemSeen[], now: number): Beginning {
  const settled = items.map((item) => settle(item, items, seen, now));
  if (settled.some((item) => item.state === "InProgress" && item.changes && item.appliedTime === undefined))
    return { items: settled };
  const due = settled.find((item) => item.state === "Pending" && blockerOf(item, settled) === undefined);
  if (due === undefined) return { items: settled };
  const pools = seen.find(({ item }) => item.name === due.name)?.pools ?? [];
  const started = begun({ item: due, pools }, now);
  return { items: settled.map((item) => (item.name === due.name ? started : item)), begun: due.name };
}

function settle(item: Item, all: readonly Item[], seen: readonly ItemSeen[], now: number): Item {
  if (item.state !== "Pending") return item;
  if (!item.changes)
    return unchanged(
      item,
      seen.find((one) => one.item.name === item.name),
      now,
    );
  const blocker = blockerOf(item, all);
  if (blocker === undefined) return item;
  if (blocker.state === "Failed") return inState(item, "Failed", `Not applied: item '${blocker.name}' failed`, now);
  return inState(item, "Pending", `Waiting for item '${blocker.name}'`, now);
}

function unchanged(item: Item, seen: ItemSeen | undefined, now: number): Item {
  if (isSkipped(item)) return completed(item, item.message, now);
  if (!isMachineConfig(item) || seen?.rollout === undefined) return completed(item, texts.unchangedItem, now);
  if (seen.rollout.state === "done") return completed(item, seen.rollout.message, now);
  const rollout = item.rollout ?? { startTime: stamp(now), before: seen.pools };
  return { ...inState(item, "InProgress", seen.rollout.message, now), rollout };
}

function blockerOf({ waitsFor }: Item, all: readonly Item[]): Item | undefined {
  const other = waitsFor === undefined ? undefined : all.find(({ name }) => name === waitsFor);
  return other === undefined || other.state === "Completed" ? undefined : other;
}

const waitMs = 30_000;

/** When a waiting plan is looked at again without an event: every 30 s, and when the time of an item is over. */
export function nextLook(items: readonly Item[], { waitTimeout }: Spec, now: number): number {
  const limit = waitTimeout === undefined ? undefined : readDuration(waitTimeout);
  const waiting = items.filter(({ state, rollout }) => state === "InProgress" && rollout !== undefined);
  const deadlines = limit === undefined ? [] : waiting.map((item) => startOf(item, now) + limit + 1_000);
  return Math.min(now + waitMs, ...deadlines.map((deadline) => Math.max(deadline, now + 1_000)));
}

export function stops(policy: FailurePolicy, items: readonly Item[]): boolean {
  return policy === "Abort" && items.some(({ state }) => state === "Failed");
}
