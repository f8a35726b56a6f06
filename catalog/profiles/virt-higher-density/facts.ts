// The facts and settings of the higher-density profile. Default values are never written to the VirtPlatformConfig.

import { besideHco, nodes, type ProfileFacts, pools, target, vmNodes } from "@virt/advisor";
import type { JsonMap } from "@virt/api";
import { hco, type NodeRole } from "@virt/cluster";
import { machineConfigRef } from "../machine-config.ts";
import type { Options } from "./options.ts";

export const swapConfigName = (role: NodeRole): string => `90-${role}-kubelet-swap`;

/** The MachineConfig with which virt-platform-autopilot enables swap. */
export const autopilotSwapConfig = "90-worker-swap-online";

export const reads = {
  hco: hco(),
  waspAgent: besideHco({ apiVersion: "apps/v1", kind: "DaemonSet", name: "wasp-agent" }),
  nodes: nodes(),
  pools: pools(),
  swapConfig: target(machineConfigRef(swapConfigName("worker"))),
  masterSwapConfig: target(machineConfigRef(swapConfigName("master"))),
  vmNodes: vmNodes(true),
};

export type DensityFacts = ProfileFacts<typeof reads>;

/** The item that sets the memory ratio. Swap is removed only after this item has completed. */
export const densityItem = "configure-higher-density";

export const defaults = {
  enableSwap: true,
  /** In percent. Not a default in the schema, because the profile must know whether the user set the ratio. */
  memoryToRequestRatio: { withSwap: 150, withoutSwap: 120 },
  ksmConfiguration: { enabled: true },
} as const;

/** If `isPinned`, the user set the value, so a change by another client is drift. Otherwise, it is a changed input. */
export type DensitySettings = {
  readonly hasSwap: boolean;
  readonly ratio: { readonly percent: number; readonly isPinned: boolean };
  /** Undefined if KSM is off and the plan does not set it. */
  readonly ksm: KsmSettings | undefined;
};

type KsmSettings = { readonly selector: JsonMap; readonly isPinned: boolean };

type KsmOptions = NonNullable<Options["ksmConfiguration"]>;
type Selector = NonNullable<KsmOptions["nodeLabelSelector"]>;

export function densitySettings(given: Options | undefined): DensitySettings {
  const hasSwap = given?.enableSwap ?? defaults.enableSwap;
  const { withSwap, withoutSwap } = defaults.memoryToRequestRatio;
  const pinned = given?.memoryToRequestRatio;
  return {
    hasSwap,
    ratio: { percent: pinned ?? (hasSwap ? withSwap : withoutSwap), isPinned: pinned !== undefined },
    ksm: given === undefined ? { selector: {}, isPinned: false } : pinnedKsm(given.ksmConfiguration),
  };
}

/** A higher ratio is not safe without swap. */
export const highestWithoutSwap: number = defaults.memoryToRequestRatio.withoutSwap;

function pinnedKsm(given: KsmOptions | undefined): KsmSettings | undefined {
  const isOn = given !== undefined && (given.enabled ?? defaults.ksmConfiguration.enabled);
  return isOn ? { selector: withoutEmptyParts(given.nodeLabelSelector ?? {}), isPinned: true } : undefined;
}

// Removes empty parts. The HyperConverged operator does so too, which would look like drift.
function withoutEmptyParts({ matchLabels = {}, matchExpressions = [] }: Selector): JsonMap {
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => ({
    key,
    operator,
    ...(values.length > 0 ? { values } : {}),
  }));
  return {
    ...(Object.keys(matchLabels).length > 0 ? { matchLabels } : {}),
    ...(expressions.length > 0 ? { matchExpressions: expressions } : {}),
  };
}
