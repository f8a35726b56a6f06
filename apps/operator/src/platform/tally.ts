// How many of the active assets are applied: told when all objects were looked at and the numbers are others than before.

import type { Evaluated } from "@virt/platform";
import type { Kept } from "./acting.ts";
import { findingOf } from "./findings.ts";
import { isInSync } from "./signs.ts";
import { normal, type Told } from "./tell.ts";

export type Tally = {
  /** A round over all objects begins. */
  readonly begin: () => void;
  readonly add: (key: string, kept: Kept, evaluated: Evaluated) => void;
  /** All that was counted is over. */
  readonly forget: () => void;
  /** Nothing until so many objects were looked at in this round. */
  readonly news: (objects: number) => readonly Told[];
};

type Count = { readonly active: number; readonly applied: number };

export function createTally(): Tally {
  const counts = new Map<string, Count>();
  const isApplied = new Map<string, boolean>();
  let sum: Count = { active: 0, applied: 0 };
  let last = "";
  const begin = () => {
    counts.clear();
    sum = { active: 0, applied: 0 };
  };
  return {
    begin,
    forget: () => {
      begin();
      isApplied.clear();
      last = "";
    },
    add: (key, kept, { standings }) => {
      const active = [...standings.values()].filter(({ kind }) => kind === "active").length;
      // A pass that waits, or cannot see, says nothing new about what is applied.
      if (findingOf(kept) === "settled" || !isApplied.has(key)) isApplied.set(key, isInSync(kept));
      const count = { active, applied: isApplied.get(key) === true ? active : 0 };
      const before = counts.get(key) ?? { active: 0, applied: 0 };
      counts.set(key, count);
      sum = {
        active: sum.active + count.active - before.active,
        applied: sum.applied + count.applied - before.applied,
      };
    },
    news: (objects) => {
      const pair = `${sum.applied}/${sum.active}`;
      if (counts.size < objects || sum.active === 0 || pair === last) return [];
      last = pair;
      return normal("ReconcileSucceeded", `Reconciliation succeeded: ${pair} assets applied`);
    },
  };
}
