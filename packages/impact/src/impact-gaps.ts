// Explains why an impact is uncertain: inputs could not be read, or nodes do not start automatically. Guards and users
// refer to these inputs by name.

import type { Holdup, Impact, ImpactGap, ImpactPool } from "@virt/api";
import type { BudgetFact, PodFact } from "@virt/cluster";
import { compareUtf8 } from "@virt/objects";
import type { ImpactFacts } from "./assess-impact.ts";
import { type Assessment, assessedOr } from "./assessed.ts";
import { type DrainedPod, isBudgetedPod, isBudgetOfPods } from "./drained-pods.ts";
import { type DrainedVm, drainedNodes, isOwnerUnread } from "./drained-vms.ts";
import { vmGap } from "./impact-status.ts";
import type { AssessedPool } from "./pool-rollouts.ts";

export type AssessedParts = {
  readonly pools: readonly AssessedPool[];
  readonly drained: readonly DrainedVm[];
  readonly pods: Assessment<readonly DrainedPod[]>;
};

export function gapsOf(facts: ImpactFacts, { pools, drained, pods }: AssessedParts): readonly ImpactGap[] {
  const inputs: readonly (readonly [string, Assessment<unknown>])[] = [
    [vmGap, facts.vms],
    ["VM owners", facts.runStrategies],
    ["KubeVirt", facts.settings],
    ["pods", pods],
    ["disruption policies", facts.policies],
    ["infrastructure", facts.shape],
    ["KubeletConfigs", facts.kubeletConfigs],
  ];
  const missing = inputs.flatMap(([what, input]) =>
    input.isAssessed ? [] : [{ what, reason: input.reason, message: input.message }],
  );
  return [
    ...missing,
    ...ownerGaps(facts, drained),
    ...placementGaps(drained),
    ...(pods.isAssessed ? [...podGaps(facts, pools), ...drainedPodGaps(facts, pools)] : []),
  ];
}

function placementGaps(drained: readonly DrainedVm[]): readonly ImpactGap[] {
  const large = drained.flatMap(({ vm }) => (vm.placement.isTooLarge ? [vm] : []));
  const message = `${countIn(large, "VM")} with too many affinity terms, selectors or tolerations`;
  return large.length === 0 ? [] : [{ what: "VM placement", reason: "TooMany", message }];
}

function drainedPodGaps({ pods, budgets }: ImpactFacts, pools: readonly AssessedPool[]): readonly ImpactGap[] {
  if (!pods.isAssessed) return [];
  const drained = pools.flatMap(drainedNodes).flatMap((node) => pods.value.get(node) ?? []);
  return largePodGaps(drained, assessedOr(budgets, []), { pods: "pods", budgets: "pods" });
}

function ownerGaps({ runStrategies }: ImpactFacts, drained: readonly DrainedVm[]): readonly ImpactGap[] {
  if (!runStrategies.isAssessed) return [];
  const unread = drained.filter((each) => isOwnerUnread(each, runStrategies.value)).length;
  const message = `${unread} ${unread === 1 ? "owner has" : "owners have"} not been read yet`;
  return unread === 0 ? [] : [{ what: "VM owners", reason: "Listing", message }];
}

// Only the pods of drained nodes are listed.
function podGaps({ pods }: ImpactFacts, pools: readonly AssessedPool[]): readonly ImpactGap[] {
  if (!pods.isAssessed) return [];
  const unlisted = pools.flatMap(drainedNodes).filter((node) => !pods.value.has(node)).length;
  return unlisted === 0
    ? []
    : [{ what: "pods", reason: "TooMany", message: `pods of ${unlisted} nodes were not listed` }];
}

type LargePodGapNames = { readonly pods: string; readonly budgets: string };

/**
 * Returns the pods and PodDisruptionBudgets that are too large to compare, so that they may block a drain. Includes a
 * budget only if a drain evicts a pod in its namespace.
 */
export function largePodGaps(
  pods: readonly PodFact[],
  budgets: readonly BudgetFact[],
  names: LargePodGapNames,
): readonly ImpactGap[] {
  const evicted = Map.groupBy(pods.filter(isBudgetedPod), ({ namespace }) => namespace);
  const largePods = pods.filter(({ isTooLarge }) => isTooLarge);
  const largeBudgets = budgets.filter((each) => each.isTooLarge && isBudgetOfPods(each) && evicted.has(each.namespace));
  const namespaces = new Set(largeBudgets.map(({ namespace }) => namespace));
  const affected = [...namespaces].reduce((sum, namespace) => sum + (evicted.get(namespace)?.length ?? 0), 0);
  const which = countIn(largeBudgets, "PodDisruptionBudget");
  const effect = `${affected} ${affected === 1 ? "pod" : "pods"} may block a drain`;
  return [
    ...(largePods.length === 0 ? [] : [tooMany(names.pods, `${countIn(largePods, "pod")} with too many labels`)]),
    ...(largeBudgets.length === 0 ? [] : [tooMany(names.budgets, `${which} with too large a selector: ${effect}`)]),
  ];
}

function tooMany(what: string, message: string): ImpactGap {
  return { what, reason: "TooMany", message };
}

/** Counts objects, and names the namespace with the most of them. */
function countIn(objects: readonly { readonly namespace: string }[], noun: string): string {
  const namespaces = [...Map.groupBy(objects, ({ namespace }) => namespace)].toSorted(
    ([left, ofLeft], [right, ofRight]) => ofRight.length - ofLeft.length || compareUtf8(left, right),
  );
  const others = namespaces.length - 1;
  const more = others === 0 ? "" : ` and ${others} other ${others === 1 ? "namespace" : "namespaces"}`;
  return `${objects.length} ${noun}${objects.length === 1 ? "" : "s"} in namespace ${namespaces[0]?.[0] ?? ""}${more}`;
}

/** Reports whether an input is still being listed, which means that the impact will change soon. */
export function isStillListing({ notAssessed }: Pick<Impact, "notAssessed">): boolean {
  return notAssessed.some(({ reason }) => reason === "Listing");
}

/** A pool state that makes the impact uncertain, and the next step. */
export type RolloutObstacle = { readonly text: string; readonly next: string };

/** Returns the obstacles of the selected pools. Empty if every node starts automatically. */
export function findRolloutObstacles(
  { pools, held }: Pick<Impact, "pools" | "held">,
  isConcerned: (pool: ImpactPool) => boolean = () => true,
): readonly RolloutObstacle[] {
  const found = pools.filter(isConcerned).flatMap(obstaclesOfPool);
  const listed = pools.reduce((sum, pool) => sum + pool.held, 0);
  if (found.length > 0 || held <= listed) return found;
  return [{ text: "nodes of other pools are on hold", next: "check the pools with 'oc get mcp'" }];
}

function obstaclesOfPool({ name, holdup, heldBy, held }: ImpactPool): readonly RolloutObstacle[] {
  if (holdup !== undefined) return [words[holdup](name, heldBy)];
  if (held === 0) return [];
  return [{ text: `nodes of pool ${name} are on hold`, next: "check the nodes with 'oc get nodes'" }];
}

const words: Readonly<Record<Holdup, (pool: string, heldBy?: string) => RolloutObstacle>> = {
  Paused: (pool) => ({
    text: `pool ${pool} is paused`,
    next: `unpause pool ${pool}, which also starts all other pending changes of the pool`,
  }),
  InvalidMaxUnavailable: (pool) => ({
    text: `maxUnavailable of pool ${pool} is invalid`,
    next: `set spec.maxUnavailable of pool ${pool} to a number or a percentage`,
  }),
  MaxUnavailableUsed: (pool) => ({
    text: `pool ${pool} has reached its maxUnavailable limit`,
    next: `uncordon or repair the unavailable nodes of pool ${pool}`,
  }),
  Degraded: (pool) => ({
    text: `pool ${pool} is degraded`,
    next: `fix the problem that 'oc describe mcp ${pool}' shows`,
  }),
  KubeletConfigRefused: (pool, heldBy = "") => ({
    text: `pool ${pool} cannot render its configuration: KubeletConfig ${heldBy} was rejected`,
    next: `fix the error that 'oc describe kubeletconfig ${heldBy}' shows`,
  }),
  NotReady: (pool) => ({
    text: `pool ${pool} has nodes that are not ready`,
    next: `repair the nodes of pool ${pool} that are not ready, or remove them`,
  }),
  Cordoned: (pool) => ({
    text: `pool ${pool} has cordoned nodes`,
    next: `uncordon the nodes of pool ${pool} that 'oc get nodes' shows as SchedulingDisabled`,
  }),
};
