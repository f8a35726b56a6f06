// A new version of the operator: the same plan is adopted in silence, another one is announced and left to a person.

import { isUpgraded } from "../approval.ts";
import { conditionOf } from "../conditions/read.ts";
import { upgrades } from "../conditions/side.ts";
import { type Landing, land } from "../land.ts";
import type { Decision, Observed } from "../observed.ts";
import { nothingToDo } from "./present.ts";
import { stay } from "./stay.ts";

/** Undefined where the version gives no reason to move. */
export function guardVersion(seen: Observed): Decision | undefined {
  if (seen.was.phase === "Completed") return fromCompleted(seen);
  if (seen.was.phase === "CompletedWithUpgrade") return fromUpgrade(seen);
  return undefined;
}

function fromCompleted(seen: Observed): Decision | undefined {
  const { was, operator, generation, upgrade } = seen;
  if (upgrade === undefined) return undefined;
  if (upgrade === "same") {
    const side = conditionOf(was, "UpgradeAvailable") === undefined ? [] : [upgrades.unchanged];
    return stay(seen, "Completed", { set: { operatorVersion: operator.version }, side });
  }
  const review = { planHash: was.planHash ?? "", generation, forced: true, reason: "OperatorUpgraded" } as const;
  return announce(seen, { set: { review }, again: { when: "at-once" } });
}

function announce(seen: Observed, landing: Pick<Partial<Landing>, "set" | "again">): Decision {
  const from = seen.was.operatorVersion ?? "";
  const to = seen.operator.version;
  return stay(seen, "CompletedWithUpgrade", {
    message: `Operator upgraded from ${from} to ${to} - profile logic changes detected`,
    side: [upgrades.available(from, to)],
    ...landing,
  });
}

function fromUpgrade(seen: Observed): Decision | undefined {
  const { draft, upgrade, operator } = seen;
  if (upgrade === undefined && isUpgraded(seen)) return undefined; // nothing can be planned now
  if (upgrade === undefined || upgrade === "same")
    return stay(seen, "Completed", { set: { operatorVersion: operator.version }, side: [upgrades.unchanged] });
  const isAligned = draft?.kind === "drafted" && draft.items.every(({ changes }) => !changes);
  if (!isAligned) return announce(seen, {});
  const { status, again } = nothingToDo(seen, draft);
  const { observedGeneration: _generation, conditions: _conditions, phase: _phase, ...set } = status;
  return land(seen, "Completed", {
    message: "Upgrade auto-resolved - cluster aligned with new operator logic",
    set,
    side: [upgrades.aligned],
    again,
  });
}
