// Builds the status for a decision: fields, conditions and progress.

import type { Item, Phase, Status } from "@virt/api";
import { withAutopilotWarnings } from "./autopilot-targets.ts";
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
import { conditionStep, restoreStep } from "./next-step.ts";
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
} from "./rollout/rollouts.ts";
import { sharedPoolWarnings } from "./shared-pools.ts";
import { unexpectedProblem } from "./target-problem.ts";

export type StatusChange = { readonly [Field in keyof Status]?: Status[Field] | undefined };

export type PhaseEntry = {
  /** The new message. If absent, a config that stays in its phase keeps its message. */
  readonly message?: string;
  readonly set?: StatusChange;
  readonly side?: readonly ConditionInput[];
  readonly tool?: Pick<ToolConditionInput, "notConverged" | "correction" | "held">;
  readonly effect?: Effect;
  readonly requeue: Requeue;
};

export function enterPhase(observed: Observed, phase: Phase, entry: PhaseEntry): Decision {
  const fields = statusFields(observed, phase, entry);
  const conditions = statusConditions(observed, phase, { fields, entry });
  const { progress: _old, ...status } = { ...fields, conditions };
  const progress = progressOf(observed, phase, status);
  return {
    status: { ...status, ...(progress !== undefined && { progress }) },
    requeue: entry.requeue,
    ...(entry.effect && { effect: entry.effect }),
  };
}

function statusFields(observed: Observed, phase: Phase, { set = {} }: PhaseEntry): Status {
  const { stored, generation } = observed;
  const isFailing = phase === "Failed" && stored.phase !== "Failed";
  const changed = isFailing
    ? reportCompleted(closeFailedItems(set.items ?? stored.items ?? [], observed), observed)
    : set.items;
  const items = changed && withTimesOf(stored.items ?? [], changed);
  const fields = withoutUndefined({
    ...stored,
    leftBehind: undefined,
    warnings: undefined,
    ...set,
    ...(items && { items }),
    ...((phase === "InProgress" || phase === "Completed") && { review: undefined }),
    ...pendingRollouts(observed, items ?? stored.items ?? [], phase),
    phase,
    observedGeneration: generation,
  });
  if (phase !== "ReviewRequired") return fields;
  const isShown = items === undefined && fields.items !== undefined;
  const shown = isShown ? { items: withAutopilotWarnings(fields.items, observed.items) } : {};
  return withWarnings({ ...fields, ...shown }, observed);
}

type EnteredPhase = { readonly fields: Status; readonly entry: PhaseEntry };

function statusConditions(observed: Observed, phase: Phase, { fields, entry }: EnteredPhase) {
  const { stored, now, generation, spec } = observed;
  const before = conditionOf(stored, phase);
  const text = entry.message ?? (before?.status === "True" ? before.message : "");
  const drifted = driftedItems(observed.items, fields.items ?? []);
  const own = conditionsForPhase(phase, text, drifted.length > 0 ? driftText(drifted) : undefined);
  const next = conditionStep(fields, observed);
  const progress = fields.items?.find(({ state }) => state === "Pending" || state === "InProgress")?.message;
  const rolling = fields.rollouts === undefined ? undefined : pendingRolloutText(observed);
  const problem = rolloutProblem(observed);
  const targetProblem = unexpectedProblem(observed);
  const toolInput: ToolConditionInput = {
    phase,
    message: own.find(({ type }) => type === phase)?.message ?? text,
    isWithheld: spec.action === "Apply",
    ...(next && { next }),
    ...(progress && { progress }),
    ...(problem && { rolloutProblem: problem }),
    ...stuckOn(observed, fields),
    ...(rolling && { rolling }),
    ...(targetProblem && { targetProblem }),
    ...entry.tool,
  };
  const inputs = [...own, ...keepSideConditions(stored, entry.side ?? []), ...conditionsForTools(toolInput)];
  return writeConditions(stored, inputs, { now, generation });
}

/** Returns the progress column. Counts no nodes if the observed items belong to an earlier plan. */
function progressOf(observed: Observed, phase: Phase, status: Status): string | undefined {
  const { stored } = observed;
  const isStarting = phase === "InProgress" && stored.phase !== "InProgress";
  const isOtherPlan = !hasPlanBegun(phase) || isStarting || status.planHash !== stored.planHash;
  return progressColumn(status, isOtherPlan ? undefined : nodeProgress(observed, begunPools(status, observed)));
}

function reportCompleted(items: readonly Item[], observed: Pick<Observed, "items">): readonly Item[] {
  return items.map((item) => {
    const seen = observed.items.find((one) => one.item.name === item.name);
    return seen?.item.state === "Completed" ? updateCompleted({ ...seen, item }) : item;
  });
}

/** Returns why a running plan is stuck: its target was deleted, and the user must restore it or request a new plan. */
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

export function keepPhase(observed: Observed, phase: Phase, entry: Partial<PhaseEntry> = {}): Decision {
  const set = { items: observed.items.map(updateCompleted), ...entry.set };
  return enterPhase(observed, phase, {
    requeue: { when: "on-change" },
    ...unconvergedPools(observed),
    ...entry,
    set,
  });
}

export function unconvergedPools({ items }: Observed): Pick<PhaseEntry, "tool"> {
  const unhealthy = items.find(
    ({ item, rollout }) => item.state === "Completed" && rollout !== undefined && rollout.state !== "done",
  );
  return unhealthy?.rollout ? { tool: { notConverged: unhealthy.rollout.message } } : {};
}

/** Requeues a config that waits for virt-platform-autopilot. */
export function requeueForAutopilot({ autopilotDueMs }: Observed): Requeue {
  return autopilotDueMs === undefined ? { when: "on-change" } : { when: "at", atMs: autopilotDueMs };
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
