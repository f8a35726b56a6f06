// Messages for users: why a plan waits, and the next step with its command.

import type { Item, LeftBehind, Phase, Review, Spec, Status } from "@virt/api";
import { restoreCommand } from "@virt/impact";
import { findMutator } from "@virt/objects";
import { phaseMessages } from "./conditions/phase.ts";
import { conditionOf } from "./conditions/status-conditions.ts";
import { movedSinceApplied } from "./inputs.ts";
import { leftBehindText, partLeftBehind } from "./left-behind.ts";
import type { Observed } from "./observed.ts";
import { isPlanNamed, shortHash } from "./plan-names.ts";

/** Returns undefined if the phase needs no action. The status is the one about to be written. */
export function nextStep(
  phase: Phase,
  { review, leftBehind = [] }: Status,
  observed: Pick<Observed, "spec" | "operator" | "items">,
): string | undefined {
  const { spec, operator } = observed;
  switch (phase) {
    case "ReviewRequired":
      if (spec.action !== "Apply" || review === undefined || operator.withheld !== undefined) return undefined;
      return `review status.items, then run: ${needsPin(observed) ? pinCommand(spec, review.planHash) : againCommand(spec)}`;
    case "PrerequisiteFailed":
      return "provide the missing prerequisites. The plan is then drafted automatically.";
    case "Failed":
      return `fix the cause, then run: ${againCommand(spec)}`;
    case "CompletedWithErrors":
      return `fix the causes shown by the failed items in status.items, then run: ${againCommand(spec)}`;
    case "Drifted":
      return driftStep(observed);
    case "CompletedWithUpgrade":
    case "Pending":
    case "Drafting":
    case "InProgress":
    case "Completed":
      return undefined;
    case "Ignored":
      return leftBehind.length === 0 ? undefined : leftBehindStep(spec, leftBehind);
  }
}

function leftBehindStep({ profile }: Spec, leftBehind: readonly LeftBehind[]): string {
  const { left, unread } = partLeftBehind(leftBehind);
  const unchecked = `whether an earlier plan left these objects behind: ${leftBehindText(unread)}. The advisor cannot read them.`;
  if (left.length === 0) return `check ${unchecked}`;
  const decide = `keep or delete the objects that an earlier plan left behind: ${leftBehindText(left)}. To manage them again, run: kubectl virt-advisor plan ${profile}. Deleting a MachineConfig can reboot nodes.`;
  return unread.length === 0 ? decide : `${decide} Check ${unchecked}`;
}

/** The advisor never corrects changes by admission, and the user cannot undo them. */
function driftStep({ spec, items }: Pick<Observed, "spec" | "items">): string | undefined {
  const drifted = items.filter(({ item, drift }) => item.state === "Completed" && drift !== undefined);
  const mutated = drifted.filter(({ drift }) => drift?.kind === "mutated");
  const isCorrected = spec.action === "Apply" && spec.bypassOptimisticLock;
  const isAdmissionAlone = mutated.length > 0 && (isCorrected || mutated.length === drifted.length);
  const objects = mutated.map(({ item: { targetRef } }) => `${targetRef.kind} '${targetRef.name}'`).join(", ");
  const ignoreCommand = patchCommand(spec, { action: "Ignore" });
  const exempt = `${findMutator}; exempt ${objects} there, or accept the stored values and stop managing them with: ${ignoreCommand}`;
  if (isAdmissionAlone) return exempt;
  if (isCorrected) return undefined;
  const undo = `undo the change, or to ${spec.action === "Apply" ? "apply" : "draft"} the plan again, run: ${againCommand(spec)}`;
  return mutated.length > 0 ? `${undo}; for changes made by admission, ${exempt}` : undo;
}

export function restoreStep({ profile }: Spec, { name }: Item): string {
  const plan = `plan again with: kubectl virt-advisor plan ${profile}`;
  const restore = restoreCommand({ config: profile, item: name });
  return restore === undefined ? plan : `${plan}; or restore it with: ${restore}`;
}

/** Returns the command that requests the same action again. It approves the plan only if the action is Apply. */
function againCommand(spec: Spec): string {
  const [away, back] = spec.action === "Apply" ? (["DryRun", "Apply"] as const) : (["Ignore", "DryRun"] as const);
  return `${patchCommand(spec, { action: away })} && ${patchCommand(spec, { action: back })}`;
}

function pinCommand(spec: Spec, approvedPlan: string): string {
  return patchCommand(spec, { action: "Apply", approvedPlan: shortHash(approvedPlan) });
}

/** A config has the name of its profile. */
function patchCommand({ profile }: Spec, spec: Partial<Spec>): string {
  return `kubectl patch vpconf ${profile} --type=merge -p '${JSON.stringify({ spec })}'`;
}

function needsPin({ spec, operator }: Pick<Observed, "spec" | "operator">): boolean {
  return operator.mustPin || spec.approvedPlan !== undefined;
}

export function reviewText(observed: Observed, review: Review): string {
  const { spec, operator } = observed;
  if (operator.withheld !== undefined) return withheldText(operator.withheld);
  if (spec.action === "Apply") {
    const state = review.reason === "Guarded" ? "is on hold" : "needs a new review";
    return `Plan ${shortHash(review.planHash)} ${state}: ${waitReasons(observed, review)}.`;
  }
  const isPinned = !needsPin(observed) || isPlanNamed(spec.approvedPlan, review.planHash);
  return isPinned ? phaseMessages.review : pinText(review.planHash);
}

function withheldText(why: string): string {
  return `Execution is disabled because approvals cannot be trusted: ${why}. Next: reinstall the admission policies of this release, then approve the plan again.`;
}

function pinText(planHash: string): string {
  return `Plan ready for review. Set spec.approvedPlan to '${shortHash(planHash)}' and action to 'Apply' to execute.`;
}

/** Always mentions an approval that names another plan. */
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
