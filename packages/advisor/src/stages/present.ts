// Drafting: puts a fresh plan on display, runs it if that was asked for, or finds that there is nothing to do.

import type { Item, Status } from "@virt/api";
import { mayExecute, reviewOf } from "../approval.ts";
import type { Saying } from "../conditions/phase.ts";
import { conditionIs } from "../conditions/read.ts";
import { inputs as inputSays, staleness, upgrades } from "../conditions/side.ts";
import { completed, isSkipped } from "../items.ts";
import { land, type StatusChange } from "../land.ts";
import { inForce } from "../moved-inputs.ts";
import type { Decision, Draft, Observed } from "../observed.ts";
import { reviewText, texts } from "../texts.ts";
import { blockedLanding } from "./await-prerequisites.ts";
import { startExecution } from "./start-execution.ts";

type Drafted = Extract<Draft, { kind: "drafted" }>;

export function present(seen: Observed): Decision {
  const { draft, blocked } = seen;
  if (blocked !== undefined) return blockedLanding(seen, blocked.message);
  if (draft === undefined) throw new Error("a plan is presented that was not drafted");
  switch (draft.kind) {
    case "blocked":
      return blockedLanding(seen, draft.message);
    case "rejected":
      return land(seen, "Failed", {
        message: `Failed to generate plan items: ${draft.message}`,
        again: { when: "on-change" },
      });
    case "unavailable":
      return { status: seen.was, again: retry(draft) };
    case "drafted":
      return show(seen, draft);
  }
}

function retry({ message, retryInMs }: Extract<Draft, { kind: "unavailable" }>) {
  return { when: "retry", message, ...(retryInMs !== undefined && { retryInMs }) } as const;
}

/** Also for a plan that is refreshed in place, or adopted because it changes nothing. */
export function show(seen: Observed, draft: Drafted): Decision {
  const isWaiting = Object.values(draft.rollouts).some(({ state }) => state !== "done");
  const isChanging = draft.items.some(({ changes }) => changes);
  if (!isChanging && !isWaiting) return nothingToDo(seen, draft);
  if (!isChanging && seen.spec.action === "Apply") return startExecution(seen, { set: setOf(seen, draft), draft });
  if (isChanging && mayExecute(seen, draft.planHash)) return startExecution(seen, { set: setOf(seen, draft), draft });
  return display(seen, draft);
}

function display(seen: Observed, draft: Drafted): Decision {
  const review = reviewOf(seen, draft.planHash);
  const message = reviewText(draft.planHash, review.reason === "ApprovalRequired");
  const set = { ...setOf(seen, draft), review };
  return land(seen, "ReviewRequired", { message, set, again: { when: "on-change" } });
}

export function nothingToDo(seen: Observed, draft: Drafted): Decision {
  const items = draft.items.map((item) => completed(item, doneMessage(item, draft), seen.now));
  const inputs = inForce(draft.inputs, seen.inputs);
  const executed = seen.spec.action === "Apply" ? { executedGeneration: seen.generation } : {};
  const set: StatusChange = { ...setOf(seen, draft), ...executed, items, inputs };
  return land(seen, "Completed", {
    message: texts.alreadyThere,
    set,
    side: settledMarks(seen),
    again: { when: "on-change" },
  });
}

/** Marks that stand for something which a plan without changes has settled. */
function settledMarks({ was, operator }: Observed): readonly Saying[] {
  const isMarked = (type: string) => conditionIs(was, type, "True");
  const isOurs = operator.version !== "";
  return [
    ...(isMarked("InputDependencyDrift") ? [inputSays.resolved] : []),
    ...(isMarked("PlanStale") ? [staleness.resolved] : []),
    ...(isMarked("UpgradeAvailable") && isOurs ? [upgrades.applied] : []),
  ];
}

function doneMessage(item: Item, { rollouts }: Drafted): string {
  if (isSkipped(item)) return item.message;
  return rollouts[item.name]?.message ?? texts.unchangedItem;
}

function setOf({ spec, operator }: Observed, draft: Drafted): StatusChange & Pick<Status, "items"> {
  return {
    items: draft.items,
    planHash: draft.planHash,
    sourceSnapshotHash: draft.snapshotHash,
    impactSeverity: draft.impact,
    specHash: draft.specHash,
    operatorVersion: operator.version,
    appliedOptions: spec.options,
    inputs: draft.inputs,
  };
}
