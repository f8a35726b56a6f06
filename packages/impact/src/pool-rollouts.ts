// Predicts the rollout of a plan's pools: the nodes, their order, the parallelism and the causes of holdups, such as
// rejected KubeletConfigs. While one selects a pool, the Machine Config Operator does not render the pool.

import type { DisruptionClass, Holdup, KubeObject, PoolDisruption } from "@virt/api";
import {
  findTrue,
  type NodeFact,
  poolOfNode,
  type RenderedOf,
  readKubeletConfig,
  readMachineConfigPool,
} from "@virt/cluster";
import { compareUtf8, isMap, matchesSelector } from "@virt/objects";
import { type Assessment, assessedOr } from "./assessed.ts";
import { classOfChange, type DisruptionPolicies, diffConfigs, worstClass } from "./disruption-class.ts";
import {
  inRolloutOrder,
  isUnavailable,
  planWaves,
  type RolloutNode,
  type RolloutPool,
  rolloutNodeOf,
  rolloutOfPool,
  unavailableLimit,
} from "./rollout.ts";

export type AssessedPool = {
  readonly name: string;
  /** The worst effect on any node of the pool. */
  readonly class: DisruptionClass;
  /** All nodes that change, in the order in which they start. Nodes on hold come last. */
  readonly nodes: readonly AssessedNode[];
  /** The names of the nodes that start automatically, in order. */
  readonly starting: readonly string[];
  readonly held: readonly string[];
  readonly atOnce: number;
  readonly waves: readonly (readonly string[])[];
  /** Why some nodes do not start automatically, which makes the impact uncertain. */
  readonly holdup: Holdup | undefined;
  readonly heldBy?: string;
};

export type AssessedNode = { readonly node: NodeFact; readonly class: DisruptionClass };

export type PoolRolloutInput = {
  readonly disruption: readonly PoolDisruption[];
  readonly pools: readonly KubeObject[];
  readonly nodes: readonly NodeFact[];
  readonly policies: Assessment<DisruptionPolicies>;
  readonly renderedOf: RenderedOf;
  readonly kubeletConfigs: Assessment<readonly KubeObject[]>;
};

/** A placeholder for the planned config. No node runs it, so all nodes need the update. */
const planned = "as planned";

/** Returns the pools that change, by name. Omits pools without nodes. */
export function assessPools(input: PoolRolloutInput): readonly AssessedPool[] {
  const byPool = Map.groupBy(input.nodes, ({ labels }) => poolOfNode(labels, input.pools));
  const queued = queuedClasses(input);
  return input.disruption
    .toSorted((left, right) => compareUtf8(left.pool, right.pool))
    .flatMap((own) => {
      const pool = input.pools.find(({ metadata }) => metadata.name === own.pool);
      const members = byPool.get(own.pool) ?? [];
      if (pool === undefined || members.length === 0 || own.class === "None") return [];
      const target = readMachineConfigPool(pool).target.name ?? "";
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

/** Returns the effect of changes that are already queued for a node and roll out with the plan. Memoized. */
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
  // Assesses a paused pool as if it were not paused, because it may be resumed at any time.
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
  return findTrue(readMachineConfigPool(pool).conditions, type) !== undefined;
}

/** Returns how many nodes update in parallel over time. Nodes that stay unavailable reduce the limit. */
export function lastingRoom(pool: RolloutPool, nodes: readonly RolloutNode[]): number {
  const limit = unavailableLimit(pool, nodes.length) ?? 0;
  const stays = ({ current, isReady, isCordoned, desired, phase }: RolloutNode) =>
    current === "" || phase === "Degraded" || (current === desired && phase === "Updated" && (!isReady || isCordoned));
  return Math.max(0, limit - nodes.filter((node) => stays(node) && isUnavailable(node)).length);
}

type PoolMembers = {
  readonly nodes: readonly RolloutNode[];
  /** The nodes that do not get the config automatically. */
  readonly blocked: readonly RolloutNode[];
  readonly refused: string | undefined;
};

/** Returns why nodes are blocked, even if other nodes start, because blocked nodes get the config later. */
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
  return (
    readMachineConfigPool(pool).machines.degraded > 0 || degradedConditions.some((type) => hasTrueCondition(pool, type))
  );
}

export type RefusedKubeletConfig = { readonly name: string; readonly text: string };

/**
 * Returns rejected KubeletConfigs. They have to be looked up, because the pool does not become RenderDegraded. See
 * `AreMCGeneratingSubControllersCompletedForPool` in
 * pkg/apihelpers/apihelpers.go of openshift/machine-config-operator at 7ff337a.
 */
export function refusedKubeletConfigs(
  pool: KubeObject,
  kubeletConfigs: readonly KubeObject[],
): readonly RefusedKubeletConfig[] {
  return kubeletConfigs
    .filter((config) => selects(config, pool))
    .flatMap((config) => {
      const text = refusalOf(config);
      const { name } = config.metadata;
      return text === undefined ? [] : [{ name, text }];
    });
}

function selects(config: KubeObject, pool: KubeObject): boolean {
  const { poolSelector } = readKubeletConfig(config);
  return isMap(poolSelector) && matchesSelector(poolSelector, pool.metadata.labels ?? {});
}

// Newer releases list recent attempts as Accepted conditions, and older ones append one result per attempt. The newest
// is last.
function refusalOf(config: KubeObject): string | undefined {
  const { conditions } = readKubeletConfig(config);
  const accepted = conditions.findLast(({ type }) => type === "Accepted");
  if (accepted !== undefined) return accepted.status === "False" ? accepted.message : undefined;
  const last = conditions.at(-1);
  return last?.type === "Failure" ? last.message : undefined;
}
