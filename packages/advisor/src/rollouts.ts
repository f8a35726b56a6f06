// How the pools stand that an item concerns.

import type { Item, KubeObject } from "@virt/api";
import { affectedPools, asText, at, type Health, rolloutHealth } from "@virt/engine";
import type { PassFacts } from "./facts.ts";
import { isMachineConfig, isSkipped } from "./items.ts";
import type { ItemSeen } from "./observed.ts";
import { startOf } from "./progress.ts";

type World = Pick<PassFacts, "pools" | "renderedOf" | "now">;

/** Undefined where nothing is rolled out: other kinds, and what is in force without us. */
export function rolloutOf(item: Item, live: KubeObject | undefined, world: World): Health | undefined {
  if (!isMachineConfig(item) || isSkipped(item)) return undefined;
  const { targetRef, operation, reviewed, rollout } = item;
  const machineConfig = item.desiredState ?? live ?? bare(targetRef);
  const before = new Map(rollout?.before.map(({ pool, configuration }) => [pool, configuration]));
  const change = {
    machineConfig,
    operation,
    // Once it is completed its content was seen in force; what is reviewed then is what we made ourselves.
    wasThere: item.state !== "Completed" && reviewed !== undefined && reviewed.uid !== "",
    before,
    startedMsAgo: world.now - startOf(item, world.now),
    ...(operation === "Delete" && rollout && { pools: rollout.before.map(({ pool }) => pool) }),
  };
  return rolloutHealth(world.pools, change, world.renderedOf);
}

function bare({ apiVersion, kind, name }: Item["targetRef"]): KubeObject {
  return { apiVersion, kind, metadata: { name } };
}

export function poolsOf(item: Item, live: KubeObject | undefined, { pools }: World): ItemSeen["pools"] {
  if (!isMachineConfig(item)) return [];
  return affectedPools(pools, item.desiredState ?? live ?? bare(item.targetRef)).map((name) => {
    const pool = pools.find(({ metadata }) => metadata.name === name);
    return { pool: name, configuration: asText(at(pool, "spec", "configuration", "name")) ?? "" };
  });
}
