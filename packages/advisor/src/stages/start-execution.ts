// Enters InProgress: approval, plan and the first item go on record before anything is applied.

import { conditionIs } from "../conditions/read.ts";
import { inputs, staleness } from "../conditions/side.ts";
import { land, type StatusChange } from "../land.ts";
import type { Decision, Draft, ItemSeen, Observed } from "../observed.ts";
import { beginNext } from "../progress.ts";

export type Start = {
  readonly set: StatusChange;
  /** The plan, if it was drafted in this pass. */
  readonly draft?: Extract<Draft, { kind: "drafted" }>;
};

export function startExecution(seen: Observed, { set, draft }: Start): Decision {
  const items = draft?.items ?? seen.was.items ?? [];
  const views = draft === undefined ? seen.items : viewsOf(draft);
  const marks = [
    ...(conditionIs(seen.was, "InputDependencyDrift", "True") ? [inputs.acknowledged] : []),
    ...(conditionIs(seen.was, "PlanStale", "True") ? [staleness.acknowledged] : []),
  ];
  return land(seen, "InProgress", {
    set: {
      ...set,
      items: beginNext(items, views, seen.now).items,
      executedGeneration: seen.generation,
    },
    side: marks,
    again: { when: "at-once" },
  });
}

function viewsOf(draft: Extract<Draft, { kind: "drafted" }>): readonly ItemSeen[] {
  return draft.items.map((item) => {
    const rollout = draft.rollouts[item.name];
    const current = item.reviewed ?? { uid: "", resourceVersion: "", hash: "" };
    const pools = draft.pools[item.name] ?? [];
    return { item, isStale: false, pools, current, restingMessage: item.message, ...(rollout && { rollout }) };
  });
}
