// Makes of the facts of a pass what a decision needs to know. Pure.

import type { Item } from "@virt/api";
import { blockedBy } from "./blocked.ts";
import type { Drifts, PassFacts } from "./facts.ts";
import { isStale, reviewedNow, snapshotHash } from "./hashes.ts";
import { isSkipped } from "./items.ts";
import type { InputSeen, ItemSeen, Observed } from "./observed.ts";
import { plannedInputs, plannedItems } from "./plan.ts";
import { poolsOf, rolloutOf } from "./rollouts.ts";
import { texts } from "./texts.ts";
import { upgradeOf } from "./upgrade.ts";

export function observe(facts: PassFacts, drifts: Drifts): Observed {
  const { now, operator, config, profile, live } = facts;
  const was = config.status ?? {};
  const items = was.items ?? [];
  const blocked = blockedBy(facts);
  const upgrade = blocked === undefined ? upgradeOf(facts) : undefined;
  return {
    now,
    operator,
    generation: config.metadata.generation ?? 0,
    spec: config.spec,
    was,
    impact: profile?.impact ?? "Low",
    ...(blocked && { blocked }),
    inputs: blocked === undefined ? inputsOf(facts) : [],
    items: items.map((item) => itemSeen(item, facts, drifts)),
    snapshotHash: snapshotHash(items.map((item) => ({ ...item, live: live(item.targetRef) }))),
    ...(upgrade && { upgrade }),
  };
}

function itemSeen(item: Item, facts: PassFacts, drifts: Drifts): ItemSeen {
  const live = facts.live(item.targetRef);
  const rollout = rolloutOf(item, live, facts);
  const drift = drifts.get(item.name);
  return {
    item,
    isStale: isStale(item, live),
    ...(drift && { drift }),
    ...(rollout && { rollout }),
    pools: poolsOf(item, live, facts),
    current: reviewedNow(item, live),
    restingMessage: rollout?.message ?? restingMessage(item, facts),
  };
}

/** Of what is in force without us the profile says by what: the item's own message may tell of a drift. */
function restingMessage(item: Item, facts: PassFacts): string {
  const planned = isSkipped(item) ? plannedItems(facts).find(({ name }) => name === item.name) : undefined;
  if (planned?.operation === "Apply" && planned.isSkipped === true) return planned.message;
  if (item.appliedTime === undefined) return texts.unchangedItem;
  return item.operation === "Delete" ? texts.deletedItem : texts.appliedItem;
}

function inputsOf(facts: PassFacts): readonly InputSeen[] {
  const records = facts.config.status?.inputs ?? [];
  return plannedInputs(facts).map(({ name, now, planned, describe }) => {
    const record = records.find((one) => one.name === name) ?? { name };
    const moved = describe(record.applied ?? record.used ?? "", now ?? "");
    return { ...record, now, moved, ...(planned !== undefined && { planned }) };
  });
}
