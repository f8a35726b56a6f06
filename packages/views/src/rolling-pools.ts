// Lists the MachineConfigPools that are updating, with their counts and causes.

import type { KubeObject } from "@virt/api";
import { poolProgress } from "@virt/cluster";
import { asText, at, member } from "@virt/objects";
import {
  type CauseFacts,
  causesOf,
  causeText,
  openCounts,
  type RolloutCauseView,
  rollingPlans,
  updatingOf,
} from "./rollout-causes.ts";

/** A pool whose nodes are updating or degraded, with the causes. */
export type RollingPool = {
  readonly name: string;
  readonly total: number;
  /** Absent while the pool still counts the machines of an earlier target. */
  readonly updated?: number;
  readonly unavailable: number;
  readonly degraded: number;
  readonly isPaused: boolean;
  readonly causes: readonly RolloutCauseView[];
};

export type RollingPoolFacts = CauseFacts & { readonly pools: readonly KubeObject[] };

/** Returns the updating pools by name. Includes paused pools with a pending update. */
export function rollingPools({ pools, ...facts }: RollingPoolFacts): readonly RollingPool[] {
  return pools
    .filter(isRolling)
    .map((pool) => {
      const { name } = pool.metadata;
      const { nodes, updated, degraded, unavailable } = poolProgress(pool, true);
      const isPaused = at(pool, "spec", "paused") === true;
      const causes = causesOf(pool, facts);
      const counts = countsOfPlans(pool, facts.configs) ?? { total: nodes, ...(updated !== undefined && { updated }) };
      return { name, ...counts, unavailable, degraded, isPaused, causes };
    })
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

function isRolling(pool: KubeObject): boolean {
  const target = asText(at(pool, "spec", "configuration", "name")) ?? "";
  const reached = asText(at(pool, "status", "configuration", "name")) ?? "";
  return isUpdating(pool) || (target !== "" && reached !== "" && target !== reached);
}

function isUpdating(pool: KubeObject): boolean {
  return member(updatingOf(pool), "status") === "True";
}

function countsOfPlans(
  pool: KubeObject,
  configs: CauseFacts["configs"] = [],
): Pick<RollingPool, "total" | "updated"> | undefined {
  const counted = rollingPlans(pool, configs).flatMap((config) => openCounts(pool, config));
  const [slowest] = counted.toSorted((left, right) => left.done - right.done);
  return slowest && { total: slowest.total, updated: slowest.done };
}

/** A warning for users who stop or ignore a running plan. Only pausing a pool stops the rollout of a MachineConfig. */
export const rolloutContinues =
  "A MachineConfig that is already written rolls out to all nodes of its pools. To stop that, pause the pools.";

/** Returns the progress of the pool in one line. */
export function rollingPoolText({
  name,
  total,
  updated,
  unavailable,
  degraded,
  isPaused,
  causes,
}: RollingPool): string {
  const counts = [
    updated === undefined ? `${total} nodes` : `${updated} of ${total} nodes updated`,
    ...(unavailable > 0 ? [`${unavailable} unavailable`] : []),
    ...(degraded > 0 ? [`${degraded} degraded`] : []),
  ].join(", ");
  return `Pool ${name} is ${isPaused ? "paused with a pending update" : "updating"}: ${counts}. ${causes.map(causeText).join(" ")}`;
}
