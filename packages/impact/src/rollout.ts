// How a MachineConfigPool rolls out a configuration as the Machine Config Operator does: which nodes may start, and what a node
// goes through.

import type { DisruptionClass, KubeObject } from "@virt/api";
import { at, compareUtf8 } from "@virt/engine";

/** A pool as a rollout knows it. */
export type RolloutPool = {
  readonly name: string;
  readonly wanted: string; // the rendered configuration that its spec names
  readonly isPaused: boolean;
  readonly maxUnavailable?: number | string; // as in 2 or "10%"; one node at a time if not given
};

/** The pool of a MachineConfigPool that rolls out `wanted`, which may be a configuration that is not rendered yet. */
export function rolloutOfPool(pool: KubeObject, wanted: string): RolloutPool {
  const maxUnavailable = at(pool, "spec", "maxUnavailable");
  const isLimit = typeof maxUnavailable === "number" || typeof maxUnavailable === "string";
  return {
    name: pool.metadata.name,
    wanted,
    isPaused: at(pool, "spec", "paused") === true,
    ...(isLimit && { maxUnavailable }),
  };
}

/** How far a node is on its way. */
export type NodePhase = "Updated" | "Draining" | "Applying" | "Rebooting" | "Uncordoning" | "Degraded";

/** A node of a pool, and how far it is on its way from `current` to `desired`. */
export type RolloutNode = {
  readonly name: string;
  readonly current: string; // empty: it has not joined
  readonly desired: string;
  readonly phase: NodePhase;
  readonly isReady: boolean;
  readonly isCordoned: boolean;
  readonly zone?: string;
  readonly created?: string; // RFC 3339
  readonly reason?: string; // why it is degraded
};

/** Done with its work and taken back by the cluster. */
function isDone({ current, desired, phase }: RolloutNode): boolean {
  return hasJoined({ current }) && current === desired && phase === "Updated";
}

function hasJoined({ current }: Pick<RolloutNode, "current">): boolean {
  return current !== "";
}

/** Whether the node runs what its pool wants. */
export function isUpdated(node: RolloutNode, pool: RolloutPool): boolean {
  return isDone(node) && node.current === pool.wanted;
}

/** Not ready, cordoned by anybody, not joined, or at work. One that failed on its way is not at work: it may be given another target. */
export function isUnavailable(node: RolloutNode): boolean {
  return !node.isReady || node.isCordoned || (!isDone(node) && !isFailing(node));
}

function isFailing({ current, desired, phase }: RolloutNode): boolean {
  return hasJoined({ current }) && current !== desired && phase === "Degraded";
}

/** How many more nodes may go down now: what the limit leaves. Undefined where the limit cannot be read. */
function roomToStart(pool: RolloutPool, nodes: readonly RolloutNode[]): number | undefined {
  const limit = unavailableLimit(pool, nodes.length);
  if (limit === undefined) return undefined;
  // A node that fails on this configuration may recover: it keeps its place in the budget.
  const isFailingOnIt = (node: RolloutNode) => node.desired === pool.wanted && isFailing(node);
  const taken = nodes.reduce((sum, node) => sum + Number(isUnavailable(node)) + Number(isFailingOnIt(node)), 0);
  return Math.max(0, limit - taken);
}

/** The nodes that may start now, in the order in which they would. */
export function nextNodes(pool: RolloutPool, nodes: readonly RolloutNode[]): readonly RolloutNode[] {
  return nextInOrder(pool, nodes.toSorted(inRolloutOrder));
}

function nextInOrder(pool: RolloutPool, nodes: readonly RolloutNode[]): readonly RolloutNode[] {
  const room = pool.isPaused ? 0 : (roomToStart(pool, nodes) ?? 0);
  if (room === 0) return [];
  // One that is past its cordon ends what it has begun, and gets this configuration afterwards.
  const candidates = nodes.filter(
    (node) => hasJoined(node) && node.desired !== pool.wanted && node.isReady && !node.isCordoned,
  );
  return candidates.slice(0, room);
}

/**
 * How many nodes may be unavailable, at least one: a pool is stopped by pausing it. A percentage is rounded down. Undefined for a
 * text without a percent sign, a negative number and what is no number: the operator reports an error and starts nothing.
 */
export function unavailableLimit({ maxUnavailable = 1 }: RolloutPool, nodes: number): number | undefined {
  const percent = typeof maxUnavailable === "string" ? /^([-+]?[0-9]{1,9})%$/.exec(maxUnavailable)?.[1] : undefined;
  if (typeof maxUnavailable === "string" && percent === undefined) return undefined;
  const limit = percent === undefined ? Number(maxUnavailable) : Math.floor((Number(percent) * nodes) / 100);
  return Number.isInteger(limit) && limit >= 0 ? Math.max(1, limit) : undefined;
}

/** Zone by zone, those without one last; within a zone the oldest first, then by name. */
export function inRolloutOrder(left: RolloutNode, right: RolloutNode): number {
  const zones = lastIfAbsent(left.zone, right.zone);
  return zones || lastIfAbsent(left.created, right.created) || compareUtf8(left.name, right.name);
}

/**
 * Reports whether the order of some nodes is not known: the operator sorts by zone and creation time alone. Checked against `sortNodeList` in
 * pkg/controller/node/node_controller.go of openshift/machine-config-operator at 7ff337a.
 */
export function hasTies(nodes: readonly RolloutNode[]): boolean {
  const places = nodes.flatMap(({ zone = "", created }) => (created === undefined ? [] : [`${zone} ${created}`]));
  return new Set(places).size < places.length;
}

function lastIfAbsent(left: string | undefined, right: string | undefined): number {
  if (left !== undefined && right !== undefined) return compareUtf8(left, right);
  return Number(left === undefined) - Number(right === undefined);
}

/** The node with its new target, cordoned. */
export function beginRollout(node: RolloutNode, { wanted }: RolloutPool): RolloutNode {
  return { ...node, desired: wanted, phase: "Draining", isCordoned: true };
}

/** What an update is to a node: `isDrained` says that its cluster drains nodes at all. */
export type NodeUpdate = { readonly disruption: DisruptionClass; readonly isDrained: boolean };

/** One step further; a node that is done or degraded stays as it is. */
export function advanceRollout(node: RolloutNode, { disruption, isDrained }: NodeUpdate): RolloutNode {
  switch (node.phase) {
    case "Updated": {
      if (isDone(node)) return node;
      const isEvicted = isDrained && (disruption === "Reboot" || disruption === "Drain");
      return isEvicted ? { ...node, phase: "Draining", isCordoned: true } : { ...node, phase: "Applying" };
    }
    case "Draining":
      return { ...node, phase: "Applying" };
    case "Applying":
      return disruption === "Reboot"
        ? { ...node, phase: "Rebooting", isReady: false }
        : { ...node, phase: "Uncordoning" };
    case "Rebooting":
      return { ...node, phase: "Uncordoning", isReady: true };
    case "Uncordoning":
      return finish(node);
    case "Degraded":
      return node;
  }
}

// The operator uncordons a node after its update, whoever cordoned it.
function finish(node: RolloutNode): RolloutNode {
  return { ...node, phase: "Updated", current: node.desired, isReady: true, isCordoned: false };
}

/** The waves of a rollout, and who is left over. */
export type RolloutWaves = {
  readonly waves: readonly (readonly string[])[]; // nodes that reboot at the same time, in the order of their start; those already at work are in the first
  readonly blocked: readonly string[]; // nodes that will not get the wanted configuration by themselves
};

/** What a rollout would do if nothing else happened. A node that is down now stays down, and one that somebody cordoned stays cordoned. */
export function planWaves(pool: RolloutPool, nodes: readonly RolloutNode[]): RolloutWaves {
  const down = new Set(nodes.filter((node) => !node.isReady && !isAtWork(node)).map(({ name }) => name));
  const isMoving = (node: RolloutNode) => isAtWork(node) && !down.has(node.name);
  const waves: (readonly string[])[] = [];
  const present = nodes.toSorted(inRolloutOrder);
  const placeOf = new Map(present.map(({ name }, place) => [name, place]));
  const replace = (node: RolloutNode) => present.splice(placeOf.get(node.name) ?? 0, 1, node);
  for (;;) {
    for (const node of nextInOrder(pool, present)) replace(beginRollout(node, pool));
    const wave = present.filter(isMoving);
    if (wave.length === 0) break;
    waves.push(wave.map(({ name }) => name));
    for (const node of wave) replace(finish(node));
  }
  return { waves, blocked: present.filter((node) => !isUpdated(node, pool)).map(({ name }) => name) };
}

function isAtWork(node: RolloutNode): boolean {
  return hasJoined(node) && !isDone(node) && node.phase !== "Degraded";
}
