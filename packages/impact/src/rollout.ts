// Simulates the rollout of a MachineConfigPool by the rules of the Machine Config Operator.

import type { DisruptionClass, KubeObject } from "@virt/api";
import { type NodeFact, readMachineConfigPool } from "@virt/cluster";
import { compareUtf8 } from "@virt/objects";

/** The parts of a MachineConfigPool that determine its rollout. */
export type RolloutPool = {
  readonly name: string;
  readonly wanted: string; // the rendered configuration in its spec
  readonly isPaused: boolean;
  readonly maxUnavailable?: number | string; // such as 2 or "10%". Default: 1
};

/** Returns the pool, updating to `wanted`, which may not be rendered yet. */
export function rolloutOfPool(pool: KubeObject, wanted: string): RolloutPool {
  const { name, isPaused, maxUnavailable } = readMachineConfigPool(pool);
  return { name, wanted, isPaused, ...(maxUnavailable !== undefined && { maxUnavailable }) };
}

/** The step of a modeled node. `Updated` nodes run their desired configuration. */
export type NodePhase = "Updated" | "Draining" | "Applying" | "Rebooting" | "Uncordoning" | "Degraded";

/** A node on its way from `current` to `desired`. */
export type RolloutNode = {
  readonly name: string;
  readonly current: string; // empty until the node has joined
  readonly desired: string;
  readonly phase: NodePhase;
  readonly isReady: boolean;
  readonly isCordoned: boolean;
  readonly zone?: string;
  readonly created?: string;
  readonly reason?: string;
};

export function rolloutNodeOf(node: NodeFact): RolloutNode {
  const zone = node.labels["topology.kubernetes.io/zone"];
  return {
    name: node.name,
    current: node.currentConfig,
    desired: node.desiredConfig === "" ? node.currentConfig : node.desiredConfig,
    phase: phaseOf(node),
    isReady: node.isReady,
    isCordoned: node.isCordoned,
    ...(zone !== undefined && zone !== "" && { zone }),
    ...(node.created !== undefined && { created: node.created }),
  };
}

// The exact step does not matter, because waves do not depend on it.
function phaseOf({ state }: NodeFact): NodePhase {
  if (state === "Degraded" || state === "Unreconcilable") return "Degraded";
  return state === "Working" || state === "Rebooting" ? "Applying" : "Updated";
}

function isDone({ current, desired, phase }: RolloutNode): boolean {
  return hasJoined({ current }) && current === desired && phase === "Updated";
}

function hasJoined({ current }: Pick<RolloutNode, "current">): boolean {
  return current !== "";
}

/** Reports whether the node runs the configuration that the pool wants. */
export function isUpdated(node: RolloutNode, pool: RolloutPool): boolean {
  return isDone(node) && node.current === pool.wanted;
}

/**
 * Reports whether the node counts as unavailable: it is not ready, cordoned, updating, or has not joined. A node whose
 * update failed can still get a new target config.
 */
export function isUnavailable(node: RolloutNode): boolean {
  return !node.isReady || node.isCordoned || (!isDone(node) && !isFailing(node));
}

function isFailing({ current, desired, phase }: RolloutNode): boolean {
  return hasJoined({ current }) && current !== desired && phase === "Degraded";
}

/** Returns how many more nodes may start now, or undefined if the limit is invalid. */
function roomToStart(pool: RolloutPool, nodes: readonly RolloutNode[]): number | undefined {
  const limit = unavailableLimit(pool, nodes.length);
  if (limit === undefined) return undefined;
  // A node that is failing on this config may recover, so it counts towards the limit.
  const isFailingOnIt = (node: RolloutNode) => node.desired === pool.wanted && isFailing(node);
  const taken = nodes.reduce((sum, node) => sum + Number(isUnavailable(node)) + Number(isFailingOnIt(node)), 0);
  return Math.max(0, limit - taken);
}

/** Returns the nodes that may start now, in order. */
export function nextNodes(pool: RolloutPool, nodes: readonly RolloutNode[]): readonly RolloutNode[] {
  return nextInOrder(pool, nodes.toSorted(inRolloutOrder));
}

function nextInOrder(pool: RolloutPool, nodes: readonly RolloutNode[]): readonly RolloutNode[] {
  const room = pool.isPaused ? 0 : (roomToStart(pool, nodes) ?? 0);
  if (room === 0) return [];
  // Cordoned nodes are not started. They first complete their current update.
  const candidates = nodes.filter(
    (node) => hasJoined(node) && node.desired !== pool.wanted && node.isReady && !node.isCordoned,
  );
  return candidates.slice(0, room);
}

/**
 * Returns the limit, at least 1, with percentages rounded down. Returns undefined if it is invalid, because the
 * operator then starts no nodes.
 */
export function unavailableLimit({ maxUnavailable = 1 }: RolloutPool, nodes: number): number | undefined {
  const percent = typeof maxUnavailable === "string" ? /^([-+]?[0-9]{1,9})%$/.exec(maxUnavailable)?.[1] : undefined;
  if (typeof maxUnavailable === "string" && percent === undefined) return undefined;
  const limit = percent === undefined ? Number(maxUnavailable) : Math.floor((Number(percent) * nodes) / 100);
  return Number.isInteger(limit) && limit >= 0 ? Math.max(1, limit) : undefined;
}

/** Sorts by zone, then by age (oldest first), then by name. Nodes without a zone come last. */
export function inRolloutOrder(left: RolloutNode, right: RolloutNode): number {
  const zones = lastIfAbsent(left.zone, right.zone);
  return zones || lastIfAbsent(left.created, right.created) || compareUtf8(left.name, right.name);
}

/**
 * Reports whether the order is unknown: the operator sorts only by zone and creation time. See `sortNodeList` in
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

/** Returns the node at the start of its update: cordoned, with its drain started. */
export function beginRollout(node: RolloutNode, { wanted }: RolloutPool): RolloutNode {
  return { ...node, desired: wanted, phase: "Draining", isCordoned: true };
}

/** `isDrained` is true if the cluster drains nodes before updates. */
export type NodeUpdate = { readonly disruption: DisruptionClass; readonly isDrained: boolean };

/** Returns the node after its next step. Completed and degraded nodes do not change. */
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

// The operator uncordons a node after its update, even if an administrator cordoned it.
function finish(node: RolloutNode): RolloutNode {
  return { ...node, phase: "Updated", current: node.desired, isReady: true, isCordoned: false };
}

export type RolloutWaves = {
  readonly waves: readonly (readonly string[])[]; // nodes that update in parallel, in order
  readonly blocked: readonly string[]; // nodes that do not get the configuration automatically
};

/** Simulates the rollout. Assumes that unavailable and cordoned nodes do not change. */
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
