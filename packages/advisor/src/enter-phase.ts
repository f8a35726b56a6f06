// Makes the status of a decision that enters or keeps a phase, conditions and what changes with them, in one piece.

import type { Item, Phase, Status } from "@virt/api";
import { conditionsForPhase } from "./conditions/phase.ts";
import {
  type ConditionInput,
  conditionOf,
  keepSideConditions,
  writeConditions,
} from "./conditions/status-conditions.ts";
import { conditionsForTools, type ToolConditionInput } from "./conditions/tool.ts";
import { driftedItems, driftText } from "./drift.ts";
import { closeFailedItems, withTimesOf, worstImpact } from "./items.ts";
import { nextStep, restoreStep } from "./next-step.ts";
import type { Decision, Effect, Observed, Requeue } from "./observed.ts";
import { hasPlanBegun } from "./phases.ts";
import { updateCompleted } from "./progress.ts";
import {
  begunPools,
  itemsWithoutTarget,
  nodeProgress,
  pendingRollouts,
  pendingRolloutText,
  progressColumn,
  rolloutProblem,
} from "./rollouts.ts";
import { sharedPoolWarnings } from "./shared-pools.ts";
import { unexpectedProblem } from "./target-problem.ts";

/** A field that is undefined is removed. */
export type StatusChange = { readonly [Field in keyof Status]?: Status[Field] | undefined };

export type PhaseEntry = {
  /** The sentence of the transition; staying in a phase keeps the one it has. */
  readonly message?: string;
  readonly set?: StatusChange;
  readonly side?: readonly ConditionInput[];
  readonly tool?: Pick<ToolConditionInput, "notConverged" | "correction" | "guarded">;
  readonly effect?: Effect;
  readonly requeue: Requeue;
};

export function enterPhase(
  observed: Observed,
  phase: Phase,
  { message, set = {}, side = [], tool, effect, requeue }: PhaseEntry,
): Decision {
  const { stored, generation, now, spec } = observed;
  const before = conditionOf(stored, phase);
  const text = message ?? (before?.status === "True" ? before.message : "");
  const changed =
    phase === "Failed" && stored.phase !== "Failed"
      ? reportCompleted(closeFailedItems(set.items ?? stored.items ?? [], observed), observed)
      : set.items;
  const items = changed === undefined ? {} : { items: withTimesOf(stored.items ?? [], changed) };
  const review = phase === "InProgress" || phase === "Completed" ? { review: undefined } : {};
  const rolled = pendingRollouts(observed, items.items ?? stored.items ?? [], phase);
  const decided = withoutUndefined({
    ...stored,
    leftBehind: undefined,
    warnings: undefined,
    ...set,
    ...items,
    ...review,
    ...rolled,
    phase,
    observedGeneration: generation,
  });
  const fields = phase === "ReviewRequired" ? withWarnings(decided, observed) : decided;
  const drifted = driftedItems(observed.items, fields.items ?? []);
  const phaseInputs = conditionsForPhase(phase, text, drifted.length > 0 ? driftText(drifted) : undefined);
  const own = phaseInputs.find(({ type }) => type === phase)?.message ?? text;
  const progress = fields.items?.find(({ state }) => state === "Pending" || state === "InProgress")?.message;
  const rolling = fields.rollouts === undefined ? undefined : pendingRolloutText(observed);
  const isWithheld = spec.action === "Apply";
  const problem = rolloutProblem(observed);
  const targetProblem = unexpectedProblem(observed);
  const remedy = phase === "PrerequisiteFailed" ? observed.blocked?.next : undefined;
  const next = remedy ?? nextStep(phase, fields, observed);
  const toolInput: ToolConditionInput = {
    phase,
    message: own,
    isWithheld,
    ...(next && { next }),
    ...(progress && { progress }),
    ...(problem && { rolloutProblem: problem }),
    ...stuckOn(observed, fields),
    ...(rolling && { rolling }),
    ...(targetProblem && { targetProblem }),
    ...tool,
  };
  const inputs = [...phaseInputs, ...keepSideConditions(stored, side), ...conditionsForTools(toolInput)];
  const { progress: _old, ...rest } = fields;
  const status = { ...rest, conditions: writeConditions(stored, inputs, { now, generation }) };
  const isStarting = phase === "InProgress" && stored.phase !== "InProgress";
  // The observed items are those of an earlier plan.
  const isOtherPlan = !hasPlanBegun(phase) || isStarting || fields.planHash !== stored.planHash;
  const counted = isOtherPlan ? undefined : nodeProgress(observed, begunPools(status, observed));
  const column = progressColumn(status, counted);
  return {
    status: { ...status, ...(column !== undefined && { progress: column }) },
    requeue,
    ...(effect && { effect }),
  };
}

/** Completed items as their targets and pools are now. */
function reportCompleted(items: readonly Item[], observed: Pick<Observed, "items">): readonly Item[] {
  return items.map((item) => {
    const seen = observed.items.find((one) => one.item.name === item.name);
    return seen?.item.state === "Completed" ? updateCompleted({ ...seen, item }) : item;
  });
}

/** A running plan whose target another client deleted continues only if the target is restored, or with another plan. */
function stuckOn(observed: Observed, { items = [] }: Status): Pick<ToolConditionInput, "stuck"> {
  const isOpen = ({ name }: Item) => items.some((item) => item.name === name && item.state === "InProgress");
  const [gone] = itemsWithoutTarget(observed).filter(isOpen);
  if (gone === undefined) return {};
  const text = items.find(({ name }) => name === gone.name)?.message ?? "";
  return { stuck: { text, next: restoreStep(observed.spec, gone) } };
}

function withWarnings(status: Status, { spec, otherPlans = [] }: Observed): Status {
  const hasGuards = Object.keys(spec.guards ?? {}).length > 0;
  const warnings = sharedPoolWarnings({ ...status, hasGuards }, otherPlans);
  return warnings.length === 0 ? status : { ...status, warnings: warnings.slice(0, mostWarnings) };
}

const mostWarnings = 32;

function withoutUndefined(status: StatusChange): Status {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== undefined));
}

/** Nothing to decide: items and pools are reported as they are now. */
export function keepPhase(observed: Observed, phase: Phase, entry: Partial<PhaseEntry> = {}): Decision {
  const set = { items: observed.items.map(updateCompleted), ...entry.set };
  return enterPhase(observed, phase, {
    requeue: { when: "on-change" },
    ...unconvergedPools(observed),
    ...entry,
    set,
  });
}

/** A pool of a completed item that is not done. */
export function unconvergedPools({ items }: Observed): Pick<PhaseEntry, "tool"> {
  const unhealthy = items.find(
    ({ item, rollout }) => item.state === "Completed" && rollout !== undefined && rollout.state !== "done",
  );
  return unhealthy?.rollout ? { tool: { notConverged: unhealthy.rollout.message } } : {};
}

export type DraftingEntry = {
  readonly message: string;
  readonly side?: readonly ConditionInput[];
  readonly set?: StatusChange;
};

export function enterDrafting(observed: Observed, why: DraftingEntry): Decision {
  return enterPhase(observed, "Drafting", { ...why, requeue: { when: "at-once" } });
}

const prerequisiteRecheckMs = 120_000;

export function enterPrerequisiteFailed(observed: Observed, message: string): Decision {
  const set = { impactSeverity: worstImpact(observed.stored.items ?? [], observed.impact) };
  return enterPhase(observed, "PrerequisiteFailed", {
    message,
    set,
    requeue: { when: "at", atMs: observed.now + prerequisiteRecheckMs },
  });
}
