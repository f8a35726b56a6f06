// A new version of the operator: the same plan is adopted in silence, another one is announced and left to a person.

import { conditionOf } from "../conditions/read.ts";
import { upgrades } from "../conditions/side.ts";
import { land } from "../land.ts";
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
  const from = was.operatorVersion ?? "";
  const review = { planHash: was.planHash ?? "", generation, forced: true, reason: "OperatorUpgraded" } as const;
  return stay(seen, "CompletedWithUpgrade", {
    message: `Operator upgraded from ${from} to ${operator.version} - profile logic changes detected`,
    set: { review },
    side: [upgrades.available(from, operator.version)],
    again: { when: "at-once" },
  });
}

function fromUpgrade(seen: Observed): Decision | undefined {
  const { draft, upgrade } = seen;
  if (upgrade === undefined || upgrade === "same")
    return stay(seen, "Completed", {
      set: { operatorVersion: seen.operator.version, review: undefined },
      side: [upgrades.unchanged],
    });
  const isAligned = draft?.kind === "drafted" && draft.items.every(({ changes }) => !changes);
  if (!isAligned) return undefined;
  const { status, again } = nothingToDo(seen, draft);
  const { observedGeneration: _generation, conditions: _conditions, phase: _phase, ...set } = status;
  return land(seen, "Completed", {
    message: "Upgrade auto-resolved - cluster aligned with new operator logic",
    set,
    side: [upgrades.aligned],
    again,
  });
}
