// What a config has written that pools have to roll out: what a diagnosis looks at.

import type { KubeObject, VirtPlatformConfig } from "@virt/api";
import { affectedPools } from "@virt/engine";
import { hasKubeletDropIn, type RolloutChange } from "@virt/impact";
import { isMachineConfig, isSkipped } from "../items.ts";
import { rolloutTarget } from "../rollouts.ts";

/** `live` answers from memory. Pools that roll out something else after ours was done count as well. */
export function rolloutChanges(
  { status = {} }: VirtPlatformConfig,
  live: (ref: ReturnType<typeof rolloutTarget>) => KubeObject | undefined,
  pools: readonly KubeObject[],
): readonly RolloutChange[] {
  const pending = (status.rollouts ?? []).map(({ machineConfig, before }) => {
    const object = live(rolloutTarget(machineConfig));
    const operation = object === undefined ? ("Delete" as const) : ("Apply" as const);
    return { machineConfig, operation, pools: before.map(({ pool }) => pool), object };
  });
  const done = (status.items ?? [])
    .filter((item) => isMachineConfig(item) && !isSkipped(item) && item.state === "Completed")
    .filter(({ targetRef }) => pending.every(({ machineConfig }) => machineConfig !== targetRef.name))
    .flatMap(({ targetRef, operation, desiredState }) =>
      desiredState === undefined
        ? []
        : [
            {
              machineConfig: targetRef.name,
              operation,
              pools: affectedPools(pools, desiredState),
              object: desiredState,
            },
          ],
    );
  return [...pending, ...done].map(({ object, ...change }) => ({
    ...change,
    hasKubeletDropIn: hasKubeletDropIn(object),
  }));
}
