// What the options of higher density come to. Nothing of it is written into the config, so that it can be told from what was given.

import type { JsonMap } from "@virt/api";
import { defaults } from "./defaults.ts";
import type { Options } from "./options.ts";

/** Pinned: the user gave it, so that an outside change is drift; otherwise it is an input that moved. */
export type Wanted = {
  readonly hasSwap: boolean;
  readonly ratio: { readonly percent: number; readonly isPinned: boolean };
  /** Undefined: off, and nothing of ours. */
  readonly ksm: Ksm | undefined;
};

export type Ksm = { readonly selector: JsonMap; readonly isPinned: boolean };

type KsmOptions = NonNullable<Options["ksmConfiguration"]>;
type Selector = NonNullable<KsmOptions["nodeLabelSelector"]>;

export function wantedOf(given: Options | undefined): Wanted {
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

function pinnedKsm(given: KsmOptions | undefined): Ksm | undefined {
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
