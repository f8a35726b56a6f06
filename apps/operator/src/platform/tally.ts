// How many of the active assets are applied: told when all objects were looked at and the numbers are others than before.

import type { Evaluated } from "@virt/platform";
import type { Kept } from "./acting.ts";
import { normal, type Told } from "./tell.ts";

export type Tally = {
  /** A round over all objects begins. */
  readonly begin: () => void;
  readonly add: (key: string, kept: Kept, evaluated: Evaluated) => void;
  /** Nothing while objects of these have not been looked at. */
  readonly news: (keys: readonly string[]) => readonly Told[];
};

export function createTally(): Tally {
  const counts = new Map<string, { readonly active: number; readonly isApplied: boolean }>();
  let last = "";
  return {
    begin: () => counts.clear(),
    add: (key, kept, { standings }) => {
      const active = [...standings.values()].filter(({ kind }) => kind === "active").length;
      counts.set(key, { active, isApplied: isApplied(kept) });
    },
    news: (keys) => {
      const found = keys.map((key) => counts.get(key));
      const known = found.flatMap((one) => one ?? []);
      const total = sum(known.map(({ active }) => active));
      if (known.length < found.length || total === 0) return [];
      const applied = sum(known.map(({ active, isApplied: isDone }) => (isDone ? active : 0)));
      const pair = `${applied}/${total}`;
      if (pair === last) return [];
      last = pair;
      return normal("ReconcileSucceeded", `Reconciliation succeeded: ${pair} assets applied`);
    },
  };
}

function isApplied(kept: Kept): boolean {
  return kept.kind === "applied" || (kept.kind === "verdict" && kept.verdict.kind === "in-sync");
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((left, right) => left + right, 0);
}
