// The next step for a config, as a value and as a sentence. The command line and the console share it.

import { conditionOf, partLeftBehind, shortHash } from "@virt/advisor";
import type { LeftBehind, Review, RolloutFinding, VirtPlatformConfig } from "@virt/api";
import { findingRemedies, foreignText } from "@virt/impact";
import { readRejection } from "./plan-patches.ts";

/**
 * `done`: nothing to do. `wait`: the advisor is working or waiting. `start`: request a plan. `review`: approve or
 * reject the plan. `decide`: the plan was rejected. `replan`: draft the plan again. `repair`: fix a cause. `unblock`:
 * remove what blocks the rollout.
 */
export type NextStepKind = "done" | "wait" | "start" | "review" | "decide" | "replan" | "repair" | "unblock";

/** `verb` holds the arguments of our program. `command` is a complete shell command of another program. */
export type NextStep = {
  readonly kind: NextStepKind;
  /** Without a full stop. A command may follow after a colon. */
  readonly text: string;
  readonly verb?: readonly string[];
  readonly command?: string;
};

/** Returns the next step of a config. A config without open work gets a `done` step. */
export function nextStepOf(config: VirtPlatformConfig): NextStep {
  const { name } = config.metadata;
  const { spec, status } = config;
  const plan = ["plan", name];
  if (status?.phase === undefined)
    return {
      kind: "wait",
      text: "the advisor has not processed this config yet; if this persists, check that the advisor is running",
    };
  switch (status.phase) {
    case "Ignored":
      return { kind: "start", text: ignoredText(status.leftBehind ?? []), verb: plan };
    case "Pending":
    case "Drafting":
      return { kind: "wait", text: "the plan is being drafted; to follow it, run", verb: follow(name) };
    case "PrerequisiteFailed":
      return { kind: "repair", text: "provide the missing prerequisite; the plan is then drafted automatically" };
    case "ReviewRequired":
      return reviewStep(config);
    case "InProgress":
      return (
        rolloutStep(config) ??
        targetStep(config) ?? { kind: "wait", text: "to follow the rollout, run", verb: follow(name) }
      );
    case "Failed":
    case "CompletedWithErrors":
      return { kind: "repair", text: "fix the cause that the items report, then draft a new plan with", verb: plan };
    case "Drifted":
      if (spec.action === "Apply" && spec.bypassOptimisticLock && !isStalled(config))
        return { kind: "wait", text: "the drift is corrected automatically; to see it, run", verb: ["drift", name] };
      return { kind: "replan", text: "undo the change (see drift), or draft a new plan with", verb: plan };
    case "CompletedWithUpgrade":
      return { kind: "replan", text: "this operator version would draft a different plan; to see it, run", verb: plan };
    case "Completed":
      return rolloutStep(config) ?? targetStep(config) ?? completedStep(config);
  }
}

function ignoredText(leftBehind: readonly LeftBehind[]): string {
  const { left, unread } = partLeftBehind(leftBehind);
  if (left.length > 0)
    return "this profile is not managed, but an earlier plan left objects behind; to manage them again, run";
  return unread.length === 0
    ? "this profile is not managed; to see what it would change, run"
    : "this profile is not managed, but the advisor cannot read objects that an earlier plan may have left behind; to see what it would change, run";
}

/** The message of Ready quotes the target's operator and ends with a command that shows more. */
function targetStep({ status = {} }: VirtPlatformConfig): NextStep | undefined {
  const ready = conditionOf(status, "Ready");
  return ready?.reason === "TargetDegraded" ? { kind: "repair", text: foreignText(ready.message) } : undefined;
}

function reviewStep(config: VirtPlatformConfig): NextStep {
  const { metadata, spec, status = {} } = config;
  const { planHash = "", review } = status;
  const approve = ["approve", metadata.name, "--hash", planName(planHash)];
  const rejection = readRejection(config);
  if (rejection !== undefined && spec.action !== "Apply") {
    const why = rejection.reason === "" ? "" : ` (${rejection.reason})`;
    return {
      kind: "decide",
      text: `plan ${planName(planHash)} was rejected${why}; to approve it anyway, run`,
      verb: approve,
    };
  }
  const held = heldBy(review);
  if (held !== undefined) return held;
  return { kind: "review", text: "review the diff and the impact, then approve this plan with", verb: approve };
}

function heldBy(review: Review | undefined): NextStep | undefined {
  if (review?.reason === "Guarded")
    return {
      kind: "wait",
      text: `the plan starts automatically when its guard allows it: ${foreignText(review.message ?? "")}`,
    };
  if (review?.reason === "PolicyNotInForce")
    return { kind: "repair", text: "reinstall the admission policies of this release, then approve the plan again" };
  return undefined;
}

function rolloutStep({ metadata, status = {} }: VirtPlatformConfig): NextStep | undefined {
  const finding = blockingFinding(status.rollout?.findings ?? []);
  if (finding === undefined) return undefined;
  const { command } = finding;
  const text = foreignText(finding.message);
  if (findingRemedies(finding).length > 0)
    return { kind: "unblock", text: `${text}; to choose an option, run`, verb: ["doctor", metadata.name] };
  return { kind: "unblock", text, ...(command !== undefined && { command }) };
}

export function blockingFinding(findings: readonly RolloutFinding[]): RolloutFinding | undefined {
  return findings.find(({ severity }) => severity === "blocking");
}

function completedStep({ metadata, status = {} }: VirtPlatformConfig): NextStep {
  if (conditionOf(status, "Ready")?.reason !== "NotConverged") return { kind: "done", text: "nothing to do" };
  return {
    kind: "wait",
    text: "nodes are still applying the configuration; to follow them, run",
    verb: follow(metadata.name),
  };
}

function isStalled({ status = {} }: VirtPlatformConfig): boolean {
  return conditionOf(status, "Stalled")?.status === "True";
}

function follow(name: string): readonly string[] {
  return ["status", name, "--watch"];
}

/** Returns the short form of a plan hash. Every verb accepts it in place of the full hash. */
export function planName(planHash: string): string {
  return shortHash(planHash);
}

/** Returns the step as one line. `program` is the invocation, such as `kubectl virt-advisor`. */
export function nextStepText({ text, verb, command }: NextStep, program: string): string {
  const typed = verb === undefined ? command : [program, ...verb].join(" ");
  return typed === undefined ? `${text}.` : `${text}: ${typed}`;
}
