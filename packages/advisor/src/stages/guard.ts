// Watches a finished plan for drift, and for changes to inputs, pools and the operator version. Corrects drift if
// allowed.

import type { Item } from "@virt/api";
import { advisorRule, decideEditWar, type EditWarRuling, readTime } from "@virt/objects";
import { isUpgraded } from "../approval.ts";
import { revertedText, unmanageCommands } from "../autopilot-targets.ts";
import { conditionOf, inputConditions, upgradeConditions } from "../conditions/status-conditions.ts";
import { driftText, mutationRecheckMs } from "../drift.ts";
import { enterDrafting, enterPhase, keepPhase, type PhaseEntry, requeueForAutopilot } from "../enter-phase.ts";
import { findGuardObstacle } from "../impact/guards.ts";
import { movedSinceApplied } from "../inputs.ts";
import { completeItem, itemMessages, withState } from "../items.ts";
import type { Decision, Drift, Observed, ObservedItem } from "../observed.ts";
import { updateCompleted } from "../progress.ts";
import { areRolloutsDone } from "../rollout/rollouts.ts";
import { stamp, writeDuration } from "../times.ts";
import { completeUnchanged } from "./review-status.ts";

const onChange = { when: "on-change" } as const;

export function guardPlan(observed: Observed): Decision {
  const [moved] = movedSinceApplied(observed.inputs);
  if (moved !== undefined) {
    const message = `Regenerating plan due to input dependency change: ${moved.moved}`;
    return enterDrafting(observed, { message, side: [inputConditions.changed(moved.moved)] });
  }
  const drifted = observed.items.filter(({ item, drift }) => item.state === "Completed" && drift !== undefined);
  if (drifted.length > 0) return enterDrifted(observed, drifted);
  const { phase } = observed.stored;
  if (phase === "Drifted") return enterBackInSync(observed);
  if (phase === "CompletedWithErrors" && observed.items.every(isInSync) && areRolloutsDone(observed))
    return enterRecovered(observed);
  return guardVersion(observed) ?? keepPhase(observed, phase ?? "Completed");
}

function isInSync({ drift, problem, rollout }: ObservedItem): boolean {
  return drift === undefined && problem === undefined && (rollout === undefined || rollout.state === "done");
}

function enterBackInSync(observed: Observed): Decision {
  const hasFailed = observed.items.some(({ item }) => item.state === "Failed");
  const message = "Drift has been corrected - configuration is back in sync";
  if (hasFailed) return keepPhase(observed, "CompletedWithErrors", { message, requeue: { when: "at-once" } });
  return keepPhase(observed, "Completed", { message });
}

function enterRecovered(observed: Observed): Decision {
  const items = observed.items.map(({ item, inSyncMessage }) => completeItem(item, inSyncMessage, observed.now));
  return enterPhase(observed, "Completed", {
    message: "All items applied successfully",
    set: { items },
    requeue: onChange,
  });
}

function enterDrifted(observed: Observed, drifted: readonly ObservedItem[]): Decision {
  const { spec, stored, now } = observed;
  const items = observed.items.map(updateCompleted);
  const message = driftText(drifted);
  const correctable = drifted.filter(({ drift: found }) => !isUncorrectable(found));
  const isAutomatic = spec.action === "Apply" && spec.bypassOptimisticLock && correctable.length > 0;
  const correction = isAutomatic ? correctDrift(correctable, items, now) : undefined;
  const obstacle =
    correction?.kind === "correct"
      ? findGuardObstacle(observed, observed.impactNow, changing(correction.items))
      : undefined;
  if (obstacle !== undefined)
    return enterPhase(observed, "Drifted", {
      message,
      set: { items },
      requeue: onChange,
      tool: { held: { ...obstacle, reason: "Guarded" } },
    });
  if (stored.phase === "Drifted" && correction?.kind === "correct")
    return enterPhase(observed, "InProgress", { set: { items: correction.items }, requeue: { when: "at-once" } });
  const hasMutated = drifted.some(({ drift: found }) => found?.kind === "mutated");
  const again =
    hasMutated && correction === undefined ? requeueForRecheck(now) : requeueAfterCorrection(correction, observed);
  const tool = correction === undefined ? yieldedInput(observed, drifted) : correctionInput(correction);
  return enterPhase(observed, "Drifted", { message, set: { items }, requeue: again, ...tool });
}

/** A write cannot fix a mutation, and virt-platform-autopilot would revert it. */
function isUncorrectable(drift: Drift | undefined): boolean {
  return drift?.kind === "mutated" || drift?.kind === "taken-over";
}

/** Returns the input for drift that is not corrected because virt-platform-autopilot would revert the correction. */
function yieldedInput({ spec }: Observed, drifted: readonly ObservedItem[]): Pick<PhaseEntry, "tool"> {
  const taken = drifted.filter(({ drift }) => drift?.kind === "taken-over").map(({ item }) => item.targetRef);
  if (taken.length === 0 || spec.action !== "Apply" || !spec.bypassOptimisticLock) return {};
  const text = `Drift is not corrected: ${revertedText(taken, "a correction")}. Next: ${unmanageCommands(taken)}`;
  return { tool: { correction: { gaveUp: text, reason: "ManagedByAutopilot" } } };
}

function changing(items: readonly Item[]): readonly Item[] {
  return items.filter(({ state }) => state === "Pending");
}

/** Requeues to check again, because the removal of a webhook or policy triggers no watch event. */
function requeueForRecheck(now: number): Decision["requeue"] {
  return { when: "at", atMs: now + mutationRecheckMs };
}

function requeueAfterCorrection(correction: Correction | undefined, observed: Observed): Decision["requeue"] {
  const { now } = observed;
  if (correction === undefined) return requeueForAutopilot(observed);
  if (correction.kind === "correct") return { when: "at-once" };
  return { when: "at", atMs: now + (correction.kind === "wait" ? correction.inMs : correction.overInMs) };
}

function correctionInput(correction: Correction): Pick<PhaseEntry, "tool"> {
  if (correction.kind === "fight") return { tool: { correction: { gaveUp: correction.text, reason: "DriftFight" } } };
  return { tool: { correction: "will-act" } };
}

/** Returns the decision after an operator upgrade, or undefined if the upgrade changes nothing. */
function guardVersion(observed: Observed): Decision | undefined {
  if (observed.stored.phase === "Completed") return guardCompleted(observed);
  if (observed.stored.phase === "CompletedWithUpgrade") return guardUpgrade(observed);
  return undefined;
}

function guardCompleted(observed: Observed): Decision | undefined {
  const { stored, operator, generation, upgrade } = observed;
  if (upgrade === undefined) return undefined;
  if (upgrade === "same") {
    const side = conditionOf(stored, "UpgradeAvailable") === undefined ? [] : [upgradeConditions.unchanged];
    return keepPhase(observed, "Completed", { set: { operatorVersion: operator.version }, side });
  }
  const review = { planHash: stored.planHash ?? "", generation, forced: true, reason: "OperatorUpgraded" } as const;
  return announceUpgrade(observed, { set: { review }, requeue: { when: "at-once" } });
}

function announceUpgrade(observed: Observed, entry: Pick<Partial<PhaseEntry>, "set" | "requeue">): Decision {
  const from = observed.stored.operatorVersion ?? "";
  const to = observed.operator.version;
  return keepPhase(observed, "CompletedWithUpgrade", {
    message: `Operator upgraded from ${from} to ${to} - profile logic changes detected`,
    side: [upgradeConditions.available(from, to)],
    ...entry,
  });
}

function guardUpgrade(observed: Observed): Decision | undefined {
  const { draft, upgrade, operator } = observed;
  if (upgrade === undefined && isUpgraded(observed)) return undefined; // no plan to compare with, because planning is blocked
  if (upgrade === undefined || upgrade === "same")
    return keepPhase(observed, "Completed", {
      set: { operatorVersion: operator.version },
      side: [upgradeConditions.unchanged],
    });
  const isAligned = draft?.kind === "drafted" && draft.items.every(({ changes }) => !changes);
  if (!isAligned) return announceUpgrade(observed, {});
  const { status, requeue } = completeUnchanged(observed, draft);
  const { observedGeneration: _generation, conditions: _conditions, phase: _phase, ...set } = status;
  return enterPhase(observed, "Completed", {
    message: "Upgrade auto-resolved - cluster aligned with new operator logic",
    set,
    side: [upgradeConditions.aligned],
    requeue,
  });
}

export type Correction =
  | { readonly kind: "correct"; readonly items: readonly Item[] }
  | { readonly kind: "wait"; readonly inMs: number }
  | { readonly kind: "fight"; readonly text: string; readonly overInMs: number };

/** Starts a correction. `drifted` are the items to correct. `items` are all items in their current state. */
export function correctDrift(drifted: readonly ObservedItem[], items: readonly Item[], now: number): Correction {
  const rulings = drifted.map((observed) => ({ observed, ruling: rulingOf(observed.item, now) }));
  const allowed = rulings.filter(({ ruling }) => ruling.kind === "correct").map(({ observed }) => observed);
  if (allowed.length > 0) return { kind: "correct", items: items.map((item) => toCorrection(item, allowed, now)) };
  const waits = rulings.flatMap(({ ruling }) => (ruling.kind === "wait" ? [ruling.inMs] : []));
  const fight = rulings.find(({ ruling }) => ruling.kind === "fight");
  if (fight?.ruling.kind !== "fight") return { kind: "wait", inMs: Math.min(...waits) };
  return { kind: "fight", text: editWarText(fight.observed), overInMs: Math.min(fight.ruling.overInMs, ...waits) };
}

function rulingOf({ name, corrections = [] }: Item, now: number): EditWarRuling {
  const times = corrections.flatMap((time) => readTime(time) ?? []);
  return decideEditWar({ [name]: times }, [name], { rule: advisorRule, now });
}

function editWarText({ item, drift }: ObservedItem): string {
  const { kind, name } = item.targetRef;
  const by = drift?.managers.join(", ") || "an unknown manager";
  const { limit, windowMs } = advisorRule;
  return `Automatic correction stopped: ${kind} '${name}' was changed back ${limit} times within ${writeDuration(windowMs)} by ${by}: ${drift?.fields.join(", ") ?? ""}`;
}

function toCorrection(item: Item, allowed: readonly ObservedItem[], now: number): Item {
  const observed = allowed.find((one) => one.item.name === item.name);
  if (observed?.drift === undefined) return item;
  const { appliedTime: _applied, ...open } = item;
  return {
    ...withState(open, "Pending", itemMessages.correcting, now),
    changes: true,
    diff: observed.drift.diff,
    conflicts: observed.drift.conflicts,
    reviewed: observed.current,
    corrections: [...(item.corrections ?? []), stamp(now)].slice(-advisorRule.limit),
  };
}
