// Who changed which of our fields.

import { fieldManagers, type KubeObject } from "@virt/api";
import { type Change, describeOpponent, type Opponent, opponentOf, type Path, readOwners } from "@virt/engine";
import { releasedManager } from "./names.ts";

export type Blamed = { readonly path: Path; readonly opponent: Opponent | "unknown" };

/** Without an answer of the server nobody is known to have done anything. */
export function blame(changes: readonly Change[], live: KubeObject, answer = live): readonly Blamed[] {
  const encounter = {
    live: readOwners(live),
    answer: readOwners(answer),
    ours: [fieldManagers.platform, releasedManager],
  };
  return changes.map(({ path }) => ({ path, opponent: opponentOf(path, encounter) }));
}

/** Each of them once. */
export function describeOpponents(blamed: readonly Blamed[]): readonly string[] {
  return [...new Set(blamed.map(({ opponent }) => describeOpponent(opponent)))];
}
