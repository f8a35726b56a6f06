// Formats why a plan is waiting for a review, as the message of a condition.

import type { Review } from "@virt/api";
import { isHeldFor } from "./approval.ts";
import { phaseMessages } from "./conditions/phase.ts";
import { conditionOf } from "./conditions/status-conditions.ts";
import { movedSinceApplied } from "./inputs.ts";
import { needsPin, reinstallPoliciesText } from "./next-step.ts";
import type { Observed } from "./observed.ts";
import { isPlanNamed, shortHash } from "./plan-names.ts";

export function reviewText(observed: Observed, review: Review): string {
  const { spec, operator } = observed;
  if (operator.withheld !== undefined) return withheldText(operator.withheld);
  if (spec.action === "Apply") {
    const state = isHeldFor(review.reason) ? "is on hold" : "needs a new review";
    return `Plan ${shortHash(review.planHash)} ${state}: ${waitReasons(observed, review)}.`;
  }
  const isPinned = !needsPin(spec, operator) || isPlanNamed(spec.approvedPlan, review.planHash);
  return isPinned ? phaseMessages.review : pinText(review.planHash);
}

function withheldText(why: string): string {
  return `Execution is disabled because approvals cannot be trusted: ${why}. Next: ${reinstallPoliciesText}.`;
}

function pinText(planHash: string): string {
  return `Plan ready for review. Set spec.approvedPlan to '${shortHash(planHash)}' and action to 'Apply' to execute.`;
}

/** Returns the reasons. Always mentions it if spec.approvedPlan names another plan. */
function waitReasons(observed: Observed, review: Review): string {
  const { approvedPlan } = observed.spec;
  const isOther = approvedPlan !== undefined && !isPlanNamed(approvedPlan, review.planHash);
  const other = isOther ? [`spec.approvedPlan names plan ${shortHash(approvedPlan)}`] : [];
  return [...reasonTexts(observed, review), ...other].join("; ") || "spec.approvedPlan does not name it";
}

function reasonTexts(observed: Observed, { reason, message = "" }: Review): readonly string[] {
  switch (reason) {
    case "InputChanged":
      return [inputText(observed)];
    case "PlanStale":
      return ["its targets were modified after an earlier plan was approved"];
    case "OperatorUpgraded":
      return [
        message || `it was drafted by operator version ${observed.operator.version} and has not been approved since`,
      ];
    case "NotRequested":
    case "Requested":
      return ["it has not been approved since it was drafted"];
    case "PlanTampered":
      return [`another client changed its status (${message}), and this change is not applied`];
    case "ApprovalRequired":
    case "PolicyNotInForce":
      return [];
    case "Guarded":
    case "ManagedByAutopilot":
      return [message];
  }
}

const inputPrefix = "Input dependency changed: ";

function inputText({ stored, inputs }: Observed): string {
  const applied = inputs.filter((input) => input.applied !== undefined);
  const changes = movedSinceApplied(applied).map(({ change }) => change);
  if (changes.length > 0) return changes.join(", ");
  const marked = conditionOf(stored, "InputDependencyDrift")?.message ?? "an input changed";
  return marked.startsWith(inputPrefix) ? marked.slice(inputPrefix.length) : marked;
}
