// The conditions Ready, Reconciling and Stalled, for tools that understand kstatus but not our phases.

import type { Phase } from "@virt/api";
import { isPlanFinished, isStalledPhase } from "../phases.ts";
import type { TargetProblem } from "../target-problem.ts";
import type { ConditionInput } from "./status-conditions.ts";

export type ToolConditionInput = {
  readonly phase: Phase;
  readonly message: string;
  /** True if the requested action cannot start until the user acts. */
  readonly isWithheld: boolean;
  readonly next?: string;
  /** The message about a pool that is out of date although no item is being applied. */
  readonly notConverged?: string;
  /** The message about pools that are rolling out changes of this config, including those of earlier plans. */
  readonly rolling?: string;
  readonly progress?: string;
  /** The problem that blocks a rollout until the user acts. */
  readonly rolloutProblem?: string;
  /** A problem that the target's operator reports and that the plan cannot fix. */
  readonly targetProblem?: Pick<TargetProblem, "message" | "next">;
  /** Set if the running plan cannot continue until the user acts. */
  readonly stuck?: { readonly text: string; readonly next: string };
  /** Set if an approved plan is on hold. It starts automatically when the obstacle is gone. */
  readonly held?: { readonly text: string; readonly next: string; readonly reason: string };
  readonly correction?: "will-act" | { readonly gaveUp: string; readonly reason: string };
  readonly retrying?: string;
};

export function conditionsForTools(at: ToolConditionInput): readonly ConditionInput[] {
  return [readyCondition(at), reconcilingCondition(at), stalledCondition(at)];
}

const readyReasons: Partial<Readonly<Record<Phase, string>>> = {
  Completed: "Completed",
  CompletedWithUpgrade: "UpgradeAvailable",
  Ignored: "Ignored",
};

const untilCauseRemoved = "fix the cause. The rollout then continues automatically.";

function readyCondition({
  phase,
  message,
  isWithheld,
  next,
  rolloutProblem,
  ...at
}: ToolConditionInput): ConditionInput {
  if (phase === "InProgress" && rolloutProblem !== undefined)
    return {
      type: "Ready",
      status: "False",
      reason: phase,
      message: withNext(`${message}: ${rolloutProblem}`, at.stuck?.next ?? untilCauseRemoved),
    };
  if (at.held !== undefined)
    return {
      type: "Ready",
      status: "False",
      reason: at.held.reason,
      message: withNext(at.held.text, at.held.next),
    };
  const text = withNext(message, next);
  const isPlanReady = phase === "ReviewRequired" && !isWithheld;
  const notConverged = at.rolling ?? (isPlanReady ? undefined : at.notConverged);
  if (notConverged !== undefined && (isPlanReady || isPlanFinished(phase)))
    return { type: "Ready", status: "False", reason: "NotConverged", message: notConverged };
  if (at.targetProblem !== undefined && (phase === "InProgress" || isPlanFinished(phase)))
    return {
      type: "Ready",
      status: "False",
      reason: "TargetDegraded",
      message: withNext(at.targetProblem.message, at.targetProblem.next),
    };
  const reason = isPlanReady ? "PlanReady" : readyReasons[phase];
  if (reason !== undefined) return { type: "Ready", status: "True", reason, message: text };
  return { type: "Ready", status: "False", reason: phase === "Pending" ? "Drafting" : phase, message: text };
}

export function withNext(text: string, next: string | undefined): string {
  if (next === undefined) return text;
  const trimmed = text.trimEnd();
  return `${trimmed}${/[.!?]$/.test(trimmed) ? "" : "."} Next: ${next}`;
}

function reconcilingCondition({
  phase,
  message,
  progress,
  correction,
  retrying,
  rolling,
  targetProblem,
  stuck: blocker,
}: ToolConditionInput): ConditionInput {
  const type = "Reconciling";
  if (retrying !== undefined) return { type, status: "True", reason: "Retrying", message: retrying };
  if (phase === "Pending" || phase === "Drafting") return { type, status: "True", reason: "Drafting", message };
  if (phase === "InProgress" && blocker !== undefined)
    return { type, status: "False", reason: "RolloutStuck", message: "" };
  if (phase === "InProgress" && targetProblem === undefined)
    return { type, status: "True", reason: "InProgress", message: progress ?? rolling ?? message };
  if (phase === "ReviewRequired" && rolling !== undefined)
    return { type, status: "True", reason: "RollingOut", message: rolling };
  if (phase === "Drifted" && correction === "will-act") return { type, status: "True", reason: "Correcting", message };
  return { type, status: "False", reason: phase, message: "" };
}

function stalledCondition({
  phase,
  message,
  correction,
  stuck: blocker,
  targetProblem,
}: ToolConditionInput): ConditionInput {
  const type = "Stalled";
  if (phase === "InProgress" && blocker !== undefined)
    return { type, status: "True", reason: "RolloutStuck", message: withNext(blocker.text, blocker.next) };
  if (phase === "InProgress" && targetProblem !== undefined)
    return { type, status: "True", reason: "TargetDegraded", message: targetProblem.message };
  if (phase === "Drifted" && typeof correction === "object")
    return { type, status: "True", reason: correction.reason, message: correction.gaveUp };
  if (isStalledPhase(phase)) return { type, status: "True", reason: phase, message };
  return { type, status: "False", reason: phase, message: "" };
}
