// How the pools of a plan would roll out: which nodes change, in which order, how many at once, and what holds the others.

import type { DisruptionClass, Holdup, KubeObject, PoolDisruption } from "@virt/api";
import { asList, asNumber, asText, at, compareUtf8, member, type RenderedOf } from "@virt/engine";
import { poolOfNode } from "@virt/facts";
import { type Assessment, assessedOr } from "./assessed.ts";
import { classOfChange, type DisruptionPolicies, diffConfigs, worstClass } from "./disruption-class.ts";
import { refusedKubeletConfigs } from "./kubelet-configs.ts";
import { type NodeFact, rolloutNodeOf } from "./nodes.ts";
import {
  inRolloutOrder,
  isUnavailable,
  planWaves,
  type RolloutNode,
  type RolloutPool,
  rolloutOfPool,
  unavailableLimit,
} from "./rollout.ts";

/** How a pool would roll out. */
export type AssessedPool = {
  readonly name: string;
  /** The worst that happens to a node of it. */
  readonly class: DisruptionClass;
  /** All nodes that change, with what happens to each, in the order of their start; those that wait come last. */
  readonly nodes: readonly AssessedNode[];
  /** Names of the nodes that start by themselves, in the order of their start. */
  readonly starting: readonly string[];
  readonly held: readonly string[];
  readonly atOnce: number;
  readonly waves: readonly (readonly string[])[];
  /** Why the pool cannot be evaluated: some of its nodes do not start automatically. */
  readonly holdup: Holdup | undefined;
  /** The name of the object that causes the holdup. */
  readonly heldBy?: string;
};

/** A node of a pool that changes. */
export type AssessedNode = { readonly node: NodeFact; readonly class: DisruptionClass };

/** What says how pools roll out. */
export type PoolRolloutInput = {
  readonly disruption: readonly PoolDisruption[];
  readonly pools: readonly KubeObject[];
  readonly nodes: readonly NodeFact[];
  readonly policies: Assessment<DisruptionPolicies>;
  readonly renderedOf: RenderedOf;
  readonly kubeletConfigs: Assessment<readonly KubeObject[]>;
};

/** A name that no rendered configuration has: every node has yet to get what the plan will make. */
const planned = "as planned";

/** Pools without nodes, and those to which nothing happens, are left out; by name. */
export function assessPools(input: PoolRolloutInput): readonly AssessedPool[] {
  const byPool = Map.groupBy(input.nodes, ({ labels }) => poolOfNode(labels, input.pools));
  const queued = queuedClasses(input);
  return input.disruption
    .toSorted((left, right) => compareUtf8(left.pool, right.pool))
    .flatMap((own) => {
      const pool = input.pools.find(({ metadata }) => metadata.name === own.pool);
      const members = byPool.get(own.pool) ?? [];
      if (pool === undefined || members.length === 0 || own.class === "None") return [];
      const target = asText(at(pool, "spec", "configuration", "name")) ?? "";
      const classOf = (node: NodeFact) => worstClass([own.class, queued(node, target)]);
      return [
        assessPool(
          pool,
          members.map((node) => ({ node, class: classOf(node) })),
          refusedKubeletConfigs(pool, assessedOr(input.kubeletConfigs, []))[0]?.name,
        ),
      ];
    });
}

/** What waits in a pool already comes with the plan. The same two configurations are compared once. */
export function queuedClasses({
  policies,
  renderedOf,
}: Pick<PoolRolloutInput, "policies" | "renderedOf">): (node: NodeFact, target: string) => DisruptionClass {
  const known = new Map<string, DisruptionClass>();
  const between = (from: string, to: string) => {
    const [before, after] = [renderedOf(from), renderedOf(to)];
    return before && after ? classOfChange(diffConfigs(before, after), policies) : "Reboot";
  };
  return ({ currentConfig, hasDesiredImage }, target) => {
    if (hasDesiredImage) return "Reboot";
    if (currentConfig === target || currentConfig === "" || target === "") return "None";
    const key = `${currentConfig} ${target}`;
    const found = known.get(key) ?? between(currentConfig, target);
    known.set(key, found);
    return found;
  };
}

function assessPool(object: KubeObject, members: readonly AssessedNode[], refused: string | undefined): AssessedPool {
  const pool = rolloutOfPool(object, planned);
  const nodes = members.map(({ node }) => rolloutNodeOf(node)).toSorted(inRolloutOrder);
  // A paused pool is computed as if it ran.
  const running = { ...pool, isPaused: false };
  const isUnrendered = hasTrueCondition(object, "RenderDegraded") || refused !== undefined;
  const { waves, blocked } = isUnrendered
    ? { waves: [], blocked: nodes.map(({ name }) => name) }
    : planWaves(running, nodes);
  const isBlocked = new Set(blocked);
  const inOrder = [...new Set([...waves.flat(), ...blocked])];
  const started = inOrder.filter((name) => !isBlocked.has(name));
  const byName = new Map(members.map((each) => [each.node.name, each]));
  return {
    name: pool.name,
    class: worstClass(members.map((each) => each.class)),
    nodes: inOrder.flatMap((name) => byName.get(name) ?? []),
    starting: pool.isPaused ? [] : started,
    held: pool.isPaused ? inOrder : blocked,
    atOnce: Math.min(started.length, lastingRoom(running, nodes)),
    waves,
    ...holdupOf(object, pool, { nodes, blocked: nodes.filter(({ name }) => isBlocked.has(name)), refused }),
  };
}

function hasTrueCondition(pool: KubeObject, type: string): boolean {
  return asList(at(pool, "status", "conditions")).some(
    (condition) => member(condition, "type") === type && member(condition, "status") === "True",
  );
}

/** How many nodes go down together once those at work have come back: what stays away takes its place in the limit for good. */
export function lastingRoom(pool: RolloutPool, nodes: readonly RolloutNode[]): number {
  const limit = unavailableLimit(pool, nodes.length) ?? 0;
  const stays = ({ current, isReady, isCordoned, desired, phase }: RolloutNode) =>
    current === "" || phase === "Degraded" || (current === desired && phase === "Updated" && (!isReady || isCordoned));
  return Math.max(0, limit - nodes.filter((node) => stays(node) && isUnavailable(node)).length);
}

type PoolMembers = {
  readonly nodes: readonly RolloutNode[];
  /** Those that do not get the configuration automatically. */
  readonly blocked: readonly RolloutNode[];
  /** The first KubeletConfig of the pool that is refused. */
  readonly refused: string | undefined;
};

/** Every blocked node has a reason here, even if others start: sooner or later it gets the configuration too. */
function holdupOf(
  object: KubeObject,
  pool: RolloutPool,
  { nodes, blocked, refused }: PoolMembers,
): Pick<AssessedPool, "holdup" | "heldBy"> {
  if (refused !== undefined && !pool.isPaused) return { holdup: "KubeletConfigRefused", heldBy: refused };
  return { holdup: nodeHoldup(object, pool, { nodes, blocked }) };
}

function nodeHoldup(
  object: KubeObject,
  pool: RolloutPool,
  { nodes, blocked }: Pick<PoolMembers, "nodes" | "blocked">,
): Holdup | undefined {
  if (pool.isPaused) return "Paused";
  const limit = unavailableLimit(pool, nodes.length);
  if (limit === undefined) return "InvalidMaxUnavailable";
  if (hasTrueCondition(object, "RenderDegraded")) return "Degraded";
  const away = nodes.filter((node) => isUnavailable(node) && node.phase !== "Degraded");
  if (blocked.length === nodes.length && away.length >= limit) return "MaxUnavailableUsed";
  if (isDegraded(object) || nodes.some(({ phase }) => phase === "Degraded")) return "Degraded";
  if (blocked.some(({ isReady, current }) => !isReady || current === "")) return "NotReady";
  return blocked.length > 0 ? "Cordoned" : undefined;
}

const degradedConditions = ["Degraded", "NodeDegraded"] as const;

function isDegraded(pool: KubeObject): boolean {
  const isCounted = (asNumber(at(pool, "status", "degradedMachineCount")) ?? 0) > 0;
  return isCounted || degradedConditions.some((type) => hasTrueCondition(pool, type));
}
