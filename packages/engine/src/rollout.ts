// How a pool rolls out a configuration over its nodes, as the Machine Config Operator does it: which nodes may start, and what a node goes through.

import { compareUtf8 } from "./utf8.ts";

export type RolloutPool = {
  readonly name: string;
  readonly wanted: string; // the rendered configuration that its spec names
  readonly isPaused: boolean;
  readonly maxUnavailable?: number | string; // as in 2 or "10%"; one node at a time if not given
};

export type NodePhase = "Updated" | "Draining" | "Applying" | "Rebooting" | "Degraded";

/** A node of a pool, and how far it is on its way from `current` to `desired`. */
export type RolloutNode = {
  readonly name: string;
  readonly current: string;
  readonly desired: string;
  readonly phase: NodePhase;
  readonly isReady: boolean;
  readonly isCordoned: boolean;
  readonly zone?: string;
  readonly created?: string; // RFC 3339
  readonly reason?: string; // why it is degraded
};

/** Done with its work and taken back by the cluster. */
export function isDone({ current, desired, phase }: RolloutNode): boolean {
  return current === desired && phase === "Updated";
}

export function isUpdated(node: RolloutNode, pool: RolloutPool): boolean {
  return isDone(node) && node.current === pool.wanted;
}

/** Not ready, cordoned by anybody, or at work. One that failed on its way is not at work: it may be given another target. */
export function isUnavailable(node: RolloutNode): boolean {
  return !node.isReady || node.isCordoned || (!isDone(node) && !isFailing(node));
}

function isFailing({ current, desired, phase }: RolloutNode): boolean {
  return current !== desired && phase === "Degraded";
}

/** The nodes that may start now, in the order in which they would. */
export function nextNodes(pool: RolloutPool, nodes: readonly RolloutNode[]): readonly RolloutNode[] {
  if (pool.isPaused) return [];
  const unavailable = nodes.filter(isUnavailable).length;
  // A node that fails on this configuration may recover: it keeps its place in the budget.
  const failing = nodes.filter((node) => node.desired === pool.wanted && isFailing(node)).length;
  const room = unavailableLimit(pool, nodes.length) - unavailable - failing;
  // One that is past its cordon ends what it has begun, and gets this configuration afterwards.
  const candidates = nodes.filter((node) => node.desired !== pool.wanted && node.isReady && !node.isCordoned);
  return candidates.toSorted(byZoneAndAge).slice(0, Math.max(0, room));
}

/** At least one: a pool is stopped by pausing it. A percentage is rounded down, what cannot be read counts as one. */
export function unavailableLimit({ maxUnavailable = 1 }: RolloutPool, nodes: number): number {
  const percent = typeof maxUnavailable === "string" ? /^([0-9]{1,3})%$/.exec(maxUnavailable)?.[1] : undefined;
  const limit = percent === undefined ? Number(maxUnavailable) : Math.floor((Number(percent) * nodes) / 100);
  return Number.isInteger(limit) && limit > 1 ? limit : 1;
}

// Zone by zone, those without one last; within a zone the oldest first.
function byZoneAndAge(left: RolloutNode, right: RolloutNode): number {
  const zones = lastIfAbsent(left.zone, right.zone);
  return zones || lastIfAbsent(left.created, right.created) || compareUtf8(left.name, right.name);
}

function lastIfAbsent(left: string | undefined, right: string | undefined): number {
  if (left !== undefined && right !== undefined) return compareUtf8(left, right);
  return Number(left === undefined) - Number(right === undefined);
}

export function begin(node: RolloutNode, { wanted }: RolloutPool): RolloutNode {
  return { ...node, desired: wanted, phase: "Draining", isCordoned: true };
}

/** One step further; a node that is done or degraded stays as it is. */
export function advance(node: RolloutNode): RolloutNode {
  switch (node.phase) {
    case "Updated":
      return isDone(node) ? node : { ...node, phase: "Draining", isCordoned: true };
    case "Draining":
      return { ...node, phase: "Applying" };
    case "Applying":
      return { ...node, phase: "Rebooting", isReady: false };
    case "Rebooting":
      return finish(node);
    case "Degraded":
      return node;
  }
}

// The operator uncordons a node after its update, whoever cordoned it.
function finish(node: RolloutNode): RolloutNode {
  return { ...node, phase: "Updated", current: node.desired, isReady: true, isCordoned: false };
}

export type RolloutWaves = {
  readonly waves: readonly (readonly string[])[]; // nodes that reboot at the same time, in the order of their start; those already at work are in the first
  readonly blocked: readonly string[]; // nodes that will not get the wanted configuration by themselves
};

/** What a rollout would do if nothing else happened. A node that is down now stays down, and one that somebody cordoned stays cordoned. */
export function planWaves(pool: RolloutPool, nodes: readonly RolloutNode[]): RolloutWaves {
  const down = new Set(nodes.filter((node) => !node.isReady && !isAtWork(node)).map(({ name }) => name));
  const isMoving = (node: RolloutNode) => isAtWork(node) && !down.has(node.name);
  const waves: (readonly string[])[] = [];
  let present: readonly RolloutNode[] = nodes.toSorted(byZoneAndAge);
  for (;;) {
    const next = new Set(nextNodes(pool, present).map(({ name }) => name));
    const started = present.map((node) => (next.has(node.name) ? begin(node, pool) : node));
    const wave = started.filter(isMoving).map(({ name }) => name);
    if (wave.length === 0 && next.size === 0) break;
    if (wave.length > 0) waves.push(wave);
    present = started.map((node) => (isMoving(node) ? finish(node) : node));
  }
  return { waves, blocked: present.filter((node) => !isUpdated(node, pool)).map(({ name }) => name) };
}

function isAtWork(node: RolloutNode): boolean {
  return !isDone(node) && node.phase !== "Degraded";
}
