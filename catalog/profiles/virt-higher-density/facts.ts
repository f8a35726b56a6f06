// What higher density goes by: what it reads, and what its options come to, which is not written into the config.

import { besideHco, nodes, type ProfileFacts, pools, vmNodes } from "@virt/advisor";
import type { JsonMap } from "@virt/api";
import { hco, type NodeRole } from "@virt/facts";
import type { Options } from "./options.ts";

export const swapConfigName = (role: NodeRole): string => `90-${role}-kubelet-swap`;

export const reads = {
  hco: hco(),
  waspAgent: besideHco({ apiVersion: "apps/v1", kind: "DaemonSet", name: "wasp-agent" }),
  nodes: nodes(),
  pools: pools(),
  vmNodes: vmNodes(true),
};

export type DensityFacts = ProfileFacts<typeof reads>;

/** The item that sets the ratio; swap is taken away only behind it. */
export const densityItem = "configure-higher-density";

/** Where the user says nothing. */
export const defaults = {
  enableSwap: true,
  /** Percent. Not in the schema: the profile must tell a ratio that was given from one that was not. */
  memoryToRequestRatio: { withSwap: 150, withoutSwap: 120 },
  ksmConfiguration: { enabled: true },
} as const;

/** Pinned: the user gave it, so that an outside change is drift; otherwise it is an input that moved. */
export type DensitySettings = {
  readonly hasSwap: boolean;
  readonly ratio: { readonly percent: number; readonly isPinned: boolean };
  /** Undefined: off, and nothing of ours. */
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

/** More than this is not safe without swap. */
export const highestWithoutSwap: number = defaults.memoryToRequestRatio.withoutSwap;

function pinnedKsm(given: KsmOptions | undefined): KsmSettings | undefined {
  const isOn = given !== undefined && (given.enabled ?? defaults.ksmConfiguration.enabled);
  return isOn ? { selector: withoutEmptyParts(given.nodeLabelSelector ?? {}), isPinned: true } : undefined;
}

// The HyperConverged operator drops empty parts when it writes its object back, which would look like drift.
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
