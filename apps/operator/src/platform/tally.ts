// How many of the active assets are applied: told when all objects were looked at and the numbers are others than before.

import type { Evaluated } from "@virt/platform";
import type { Kept } from "./acting.ts";
import { normal, type Told } from "./tell.ts";

export type Tally = {
  /** A round over all objects begins. */
  readonly begin: () => void;
  readonly add: (key: string, kept: Kept, evaluated: Evaluated) => void;
  /** Nothing until so many objects were looked at in this round. */
  readonly news: (objects: number) => readonly Told[];
};

type Count = { readonly active: number; readonly applied: number };

export function createTally(): Tally {
  const counts = new Map<string, Count>();
  let sum: Count = { active: 0, applied: 0 };
  let last = "";
  return {
    begin: () => {
      counts.clear();
      sum = { active: 0, applied: 0 };
    },
    add: (key, kept, { standings }) => {
      const active = [...standings.values()].filter(({ kind }) => kind === "active").length;
      const count = { active, applied: isApplied(kept) ? active : 0 };
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

function isApplied(kept: Kept): boolean {
  return kept.kind === "applied" || (kept.kind === "verdict" && kept.verdict.kind === "in-sync");
}
