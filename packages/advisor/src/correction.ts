// Automatic drift correction: allowed a few times per item, then it is a fight and left to people.

import type { Item } from "@virt/api";
import { advisorRule, judgeFight, type Ruling, readTime } from "@virt/engine";
import { writeDuration } from "./duration.ts";
import { inState } from "./items.ts";
import type { ItemSeen } from "./observed.ts";
import { stamp } from "./stamp.ts";
import { texts } from "./texts.ts";

export type Correction =
  | { readonly kind: "correct"; readonly items: readonly Item[] }
  | { readonly kind: "wait"; readonly inMs: number }
  | { readonly kind: "fight"; readonly text: string; readonly overInMs: number };

/** `drifted` are the items to correct, `items` all of them as they now read. */
export function correct(drifted: readonly ItemSeen[], items: readonly Item[], now: number): Correction {
  const rulings = drifted.map((seen) => ({ seen, ruling: rulingOf(seen.item, now) }));
  const allowed = rulings.filter(({ ruling }) => ruling.kind === "correct").map(({ seen }) => seen);
  if (allowed.length > 0) return { kind: "correct", items: items.map((item) => correcting(item, allowed, now)) };
  const waits = rulings.flatMap(({ ruling }) => (ruling.kind === "wait" ? [ruling.inMs] : []));
  const fight = rulings.find(({ ruling }) => ruling.kind === "fight");
  if (fight?.ruling.kind !== "fight") return { kind: "wait", inMs: Math.min(...waits) };
  return { kind: "fight", text: fightText(fight.seen), overInMs: Math.min(fight.ruling.overInMs, ...waits) };
}

function rulingOf({ name, corrections = [] }: Item, now: number): Ruling {
  const times = corrections.flatMap((time) => readTime(time) ?? []);
  return judgeFight({ [name]: times }, [name], { rule: advisorRule, now });
}

function fightText({ item, drift }: ItemSeen): string {
  const { kind, name } = item.targetRef;
  const by = drift?.managers.join(", ") || "an unknown manager";
  const { limit, windowMs } = advisorRule;
  return `Automatic correction stopped: ${kind} '${name}' was changed back ${limit} times within ${writeDuration(windowMs)} by ${by}: ${drift?.fields.join(", ") ?? ""}`;
}

function correcting(item: Item, allowed: readonly ItemSeen[], now: number): Item {
  const seen = allowed.find((one) => one.item.name === item.name);
  if (seen?.drift === undefined) return item;
  const { appliedTime: _applied, ...open } = item;
  return {
    ...inState(open, "Pending", texts.correctingItem, now),
    changes: true,
    diff: seen.drift.diff,
    conflicts: seen.drift.conflicts,
    reviewed: seen.current,
    corrections: [...(item.corrections ?? []), stamp(now)].slice(-advisorRule.limit),
  };
}
