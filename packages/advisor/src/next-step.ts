// Determines the next step for a config. All texts are in one table, for condition Ready, the command line and the
// console.

import type { Item, LeftBehind, RolloutFinding, Spec, Status, VirtPlatformConfig } from "@virt/api";
import { findingRemedies, foreignText, restoreCommand } from "@virt/impact";
import { findMutator } from "@virt/objects";
import { isHeldFor } from "./approval.ts";
import { hasAutopilotWarning, unmanageCommands } from "./autopilot-targets.ts";
import { conditionIs, conditionOf } from "./conditions/status-conditions.ts";
import { leftBehindText, partLeftBehind } from "./left-behind.ts";
import type { Observed } from "./observed.ts";
import { shortHash } from "./plan-names.ts";
import { readRejection } from "./recorded-decision.ts";

/**
 * `done`: nothing to do. `wait`: the advisor is working or waiting. `start`: request a plan. `review`: approve or
 * reject the plan. `decide`: the plan was rejected. `replan`: draft the plan again. `repair`: fix a cause. `unblock`:
 * remove what blocks the rollout.
 */
export type NextStepKind = "done" | "wait" | "start" | "review" | "decide" | "replan" | "repair" | "unblock";

/** A step. `verb` contains the arguments for our program. `command` is a complete shell command for another program. */
export type NextStep = {
  readonly kind: NextStepKind;
  /** Has no final period, because a colon and a command may follow. */
  readonly text: string;
  readonly verb?: readonly string[];
  readonly command?: string;
};

type StepConfig = Pick<VirtPlatformConfig, "metadata" | "spec" | "status">;

/** Facts that only a reconcile has. */
type ReconcileOnly = Pick<Observed, "operator" | "items" | "blocked">;

/** Returns the next step for a config. If there is nothing to do, this is a `done` step. */
export function nextStepOf(config: StepConfig): NextStep {
  const { condition: _condition, ...step } = sentencesOf(decideStep(config), config);
  return step;
}

/** Formats the step as one line. `program` is the command to print, such as `kubectl virt-advisor`. */
export function nextStepText({ text, verb, command }: NextStep, program: string): string {
  const typed = verb === undefined ? command : [program, ...verb].join(" ");
  return typed === undefined ? `${text}.` : `${text}: ${typed}`;
}

/**
 * Returns the step that ends the message of Ready, or undefined if there is none. `status` is the new status, before it
 * is written.
 */
export function conditionStep(status: Status, observed: ReconcileOnly & Pick<Observed, "spec">): string | undefined {
  const { spec, operator } = observed;
  const config = { metadata: { name: spec.profile }, spec, status }; // a config has the name of its profile
  return sentencesOf(decideStep(config, observed), config, operator).condition;
}

type Step =
  | { readonly step: "await-advisor" | "await-draft" | "review" | "reinstall-policies" }
  | { readonly step: "follow-rollout" | "fix-cause" | "fix-items" | "adopt-upgrade" | "follow-nodes" | "done" }
  | { readonly step: "manage"; readonly leftBehind: readonly LeftBehind[] }
  | { readonly step: "provide-prerequisite"; readonly remedy: string | undefined }
  | { readonly step: "decide"; readonly reason: string }
  | { readonly step: "await-guard"; readonly guard: string }
  | { readonly step: "unmanage"; readonly reason: string; readonly command: string }
  | { readonly step: "unblock"; readonly finding: RolloutFinding }
  | { readonly step: "fix-target"; readonly problem: string }
  | { readonly step: "await-correction" | "undo-drift"; readonly drifted: Observed["items"] };

function decideStep(config: StepConfig, observed?: ReconcileOnly): Step {
  const { spec, status = {} } = config;
  if (status.phase === undefined) return { step: "await-advisor" };
  switch (status.phase) {
    case "Ignored":
      return { step: "manage", leftBehind: status.leftBehind ?? [] };
    case "Pending":
    case "Drafting":
      return { step: "await-draft" };
    case "PrerequisiteFailed":
      return { step: "provide-prerequisite", remedy: observed?.blocked?.next };
    case "ReviewRequired":
      return reviewStep(config, observed);
    case "InProgress":
      return rolloutStep(status) ?? { step: "follow-rollout" };
    case "Failed":
      return { step: "fix-cause" };
    case "CompletedWithErrors":
      return { step: "fix-items" };
    case "Drifted": {
      const drifted = (observed?.items ?? []).filter(({ item, drift }) => item.state === "Completed" && drift);
      const isAwaited = isDriftCorrected(spec) && !conditionIs(status, "Stalled", "True");
      return { step: isAwaited ? "await-correction" : "undo-drift", drifted };
    }
    case "CompletedWithUpgrade":
      return { step: "adopt-upgrade" };
    case "Completed":
      return rolloutStep(status) ?? { step: isConverged(status) ? "done" : "follow-nodes" };
  }
}

function reviewStep(config: StepConfig, observed: ReconcileOnly | undefined): Step {
  const rejection = readRejection(config);
  if (rejection !== undefined) return { step: "decide", reason: rejection.reason };
  const { reason, message = "" } = config.status?.review ?? {};
  if (reason === "PolicyNotInForce" || observed?.operator.withheld !== undefined) return { step: "reinstall-policies" };
  if (!isHeldFor(reason)) return { step: "review" };
  if (reason === "Guarded") return { step: "await-guard", guard: message };
  const targets = (config.status?.items ?? []).filter(hasAutopilotWarning).map(({ targetRef }) => targetRef);
  return { step: "unmanage", reason: message, command: unmanageCommands(targets) };
}

/**
 * Returns the step for a problem in the rollout. Ready's message quotes the target's operator and ends with a command
 * that shows details.
 */
function rolloutStep(status: Status): Step | undefined {
  const finding = blockingFinding(status.rollout?.findings ?? []);
  if (finding !== undefined) return { step: "unblock", finding };
  const ready = conditionOf(status, "Ready");
  return ready?.reason === "TargetDegraded" ? { step: "fix-target", problem: ready.message } : undefined;
}

/** Returns the first finding that blocks the rollout, or undefined. Ignores warnings. */
export function blockingFinding(findings: readonly RolloutFinding[]): RolloutFinding | undefined {
  return findings.find(({ severity }) => severity === "blocking");
}

function isConverged(status: Status): boolean {
  return conditionOf(status, "Ready")?.reason !== "NotConverged";
}

function isDriftCorrected({ action, bypassOptimisticLock }: Spec): boolean {
  return action === "Apply" && bypassOptimisticLock;
}

/**
 * The texts of a step. `condition` is appended to the message of Ready, unless that message already contains the step
 * or needs none.
 */
type Sentences = NextStep & { readonly condition?: string | undefined };

function sentencesOf(
  step: Step,
  { metadata, spec, status = {} }: StepConfig,
  operator?: Observed["operator"],
): Sentences {
  const { name } = metadata;
  const plan = ["plan", name];
  const follow = ["status", name, "--watch"];
  const hash = shortHash(status.planHash);
  const approve = ["approve", name, "--hash", hash];
  switch (step.step) {
    case "await-advisor":
      return {
        kind: "wait",
        text: "the advisor has not processed this config yet; if this persists, check that the advisor is running",
      };
    case "manage":
      return { kind: "start", ...leftBehindSentences(spec, step.leftBehind), verb: plan };
    case "await-draft":
      return { kind: "wait", text: "the plan is being drafted; to follow it, run", verb: follow };
    case "provide-prerequisite":
      return {
        kind: "repair",
        text: "provide the missing prerequisite; the plan is then drafted automatically",
        condition: step.remedy ?? "provide the missing prerequisites. The plan is then drafted automatically.",
      };
    case "review":
      return {
        kind: "review",
        text: "review the diff and the impact, then approve this plan with",
        verb: approve,
        condition: approvalText(spec, status, operator),
      };
    case "decide": {
      const why = step.reason === "" ? "" : ` (${step.reason})`;
      return { kind: "decide", text: `plan ${hash} was rejected${why}; to approve it anyway, run`, verb: approve };
    }
    case "await-guard":
      return {
        kind: "wait",
        text: `the plan starts automatically when its guard allows it: ${foreignText(step.guard)}`,
        condition: approvalText(spec, status, operator),
      };
    case "unmanage":
      return {
        kind: "unblock",
        text: `${foreignText(step.reason)}; to start the plan, run`,
        command: step.command,
        condition: approvalText(spec, status, operator),
      };
    case "reinstall-policies":
      return { kind: "repair", text: reinstallPoliciesText };
    case "follow-rollout":
      return { kind: "wait", text: "to follow the rollout, run", verb: follow };
    case "unblock":
      return { kind: "unblock", ...unblockSentence(step.finding, name) };
    case "fix-target":
      return { kind: "repair", text: foreignText(step.problem) };
    case "fix-cause":
      return { ...fixItems(plan), condition: `fix the cause, then run: ${againCommand(spec)}` };
    case "fix-items":
      return {
        ...fixItems(plan),
        condition: `fix the causes shown by the failed items in status.items, then run: ${againCommand(spec)}`,
      };
    case "await-correction":
      return {
        kind: "wait",
        text: "the drift is corrected automatically; to see it, run",
        verb: ["drift", name],
        condition: driftSentence(spec, step.drifted),
      };
    case "undo-drift":
      return {
        kind: "replan",
        text: "undo the change (see drift), or draft a new plan with",
        verb: plan,
        condition: driftSentence(spec, step.drifted),
      };
    case "adopt-upgrade":
      return { kind: "replan", text: "this operator version would draft a different plan; to see it, run", verb: plan };
    case "follow-nodes":
      return {
        kind: "wait",
        text: "nodes are still applying the configuration; to follow them, run",
        verb: follow,
      };
    case "done":
      return { kind: "done", text: "nothing to do" };
  }
}

export const reinstallPoliciesText = "reinstall the admission policies of this release, then approve the plan again";

function fixItems(verb: readonly string[]): NextStep {
  return { kind: "repair", text: "fix the cause shown in the failed items, then draft a new plan with", verb };
}

function leftBehindSentences(
  { profile }: Spec,
  leftBehind: readonly LeftBehind[],
): Pick<Sentences, "text" | "condition"> {
  const { left, unread } = partLeftBehind(leftBehind);
  const unchecked = `whether an earlier plan left these objects behind: ${leftBehindText(unread)}. The advisor cannot read them.`;
  if (left.length > 0) {
    const decide = `keep or delete the objects that an earlier plan left behind: ${leftBehindText(left)}. To manage them again, run: kubectl virt-advisor plan ${profile}. Deleting a MachineConfig can reboot nodes.`;
    return {
      text: "this profile is not managed, but an earlier plan left objects behind; to manage them again, run",
      condition: unread.length === 0 ? decide : `${decide} Check ${unchecked}`,
    };
  }
  if (unread.length === 0) return { text: "this profile is not managed; to see what it would change, run" };
  return {
    text: "this profile is not managed, but the advisor cannot read objects that an earlier plan may have left behind; to see what it would change, run",
    condition: `check ${unchecked}`,
  };
}

function unblockSentence(finding: RolloutFinding, config: string): Omit<NextStep, "kind"> {
  const { command } = finding;
  const text = foreignText(finding.message);
  if (findingRemedies(finding).length > 0)
    return { text: `${text}; to choose an option, run`, verb: ["doctor", config] };
  return { text, ...(command !== undefined && { command }) };
}

/** Returns how to approve the plan, or undefined for a preview, or while no plan may run. */
function approvalText(spec: Spec, { review }: Status, operator: Observed["operator"] | undefined): string | undefined {
  if (spec.action !== "Apply" || review === undefined || operator === undefined) return undefined;
  const pin = { action: "Apply", approvedPlan: shortHash(review.planHash) } as const;
  return `review status.items, then run: ${needsPin(spec, operator) ? patchCommand(spec, pin) : againCommand(spec)}`;
}

export function needsPin({ approvedPlan }: Spec, { mustPin }: Observed["operator"]): boolean {
  return mustPin || approvedPlan !== undefined;
}

/** Returns the step for drift. Changes by admission need a different step, because users cannot undo them. */
function driftSentence(spec: Spec, drifted: Observed["items"]): string | undefined {
  const mutated = drifted.filter(({ drift }) => drift?.kind === "mutated");
  const isCorrected = isDriftCorrected(spec);
  const taken = drifted.filter(({ drift }) => drift?.kind === "taken-over").map(({ item }) => item.targetRef);
  const isAdmissionAlone =
    mutated.length > 0 && taken.length === 0 && (isCorrected || mutated.length === drifted.length);
  const objects = mutated.map(({ item: { targetRef } }) => `${targetRef.kind} '${targetRef.name}'`).join(", ");
  const ignoreCommand = patchCommand(spec, { action: "Ignore" });
  const exempt = `${findMutator}; exempt ${objects} there, or accept the stored values and stop managing them with: ${ignoreCommand}`;
  if (isAdmissionAlone) return exempt;
  const unmanage = `to keep virt-platform-autopilot from changing it again, run: ${unmanageCommands(taken)}`;
  if (isCorrected) return taken.length > 0 ? unmanage : undefined;
  const undo = `undo the change, or to ${spec.action === "Apply" ? "apply" : "draft"} the plan again, run: ${againCommand(spec)}`;
  const first = taken.length > 0 ? `${unmanage}; then ${undo}` : undo;
  return mutated.length > 0 ? `${first}; for changes made by admission, ${exempt}` : first;
}

/** Returns the step for a running plan whose target was deleted. */
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

/** Returns a kubectl patch command. A config has the same name as its profile. */
function patchCommand({ profile }: Spec, spec: Partial<Spec>): string {
  return `kubectl patch vpconf ${profile} --type=merge -p '${JSON.stringify({ spec })}'`;
}
