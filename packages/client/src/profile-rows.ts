// The profiles of a cluster, one line each: where each stands and what to do next.

import { conditionOf, leftBehindText, partLeftBehind } from "@virt/advisor";
import {
  type Action,
  advertising,
  type LeftBehind,
  type Phase,
  type Severity,
  type VirtPlatformConfig,
} from "@virt/api";
import { foreignText } from "@virt/impact";
import { isDrifted } from "./drift-rows.ts";
import { type NextStep, nextStepOf } from "./next-step.ts";
import { type Rejection, readRejection } from "./plan-patches.ts";
import { secondsSince } from "./rollout-view.ts";

/** `phase` is absent before the advisor has seen the config. */
export type ProfileRow = {
  readonly name: string;
  readonly action: Action;
  readonly phase?: Phase;
  readonly impact?: Severity;
  /** What the plan would do, in one sentence; absent where it was not assessed. */
  readonly impactSummary?: string;
  readonly isDrifted: boolean;
  /** Of the plan that is shown; absent: there is none. */
  readonly planHash?: string;
  /** Seconds since the plan waits for a review; absent: it does not. */
  readonly planSeconds?: number;
  /** RFC 3339: since then. */
  readonly planSince?: string;
  readonly rejection?: Rejection;
  /** As `kubectl get` shows it: `4/12 nodes`, or `stuck: 4/12 nodes`. */
  readonly progress?: string;
  readonly description?: string;
  readonly isStalled: boolean;
  /** Objects of an earlier plan that no config manages; absent: none is known. */
  readonly leftBehind?: readonly LeftBehind[];
  readonly next: NextStep;
};

/** As long as the advisor writes it. */
const longestSummary = 512;

/** The word for people: a blocked plan is not shown as one that continues. */
export function phaseWord({ phase, isStalled }: Pick<ProfileRow, "phase" | "isStalled">): string | undefined {
  return isStalled && (phase === "InProgress" || phase === "Drifted") ? "Stuck" : phase;
}

/** The node counts of the progress column. Absent: nothing rolls. */
export function progressCount({ progress }: Pick<ProfileRow, "progress">): string | undefined {
  const count = progress?.replace(/^stuck(: )?/, "");
  return count === "" ? undefined : count;
}

/** One or two sentences for people. */
export function leftBehindNotice(leftBehind: readonly LeftBehind[]): string {
  const { left, unread } = partLeftBehind(leftBehind);
  return [
    ...(left.length === 0 ? [] : [`Left in place by an earlier plan: ${leftBehindText(left)}.`]),
    ...(unread.length === 0
      ? []
      : [`Cannot check whether an earlier plan left these objects behind: ${leftBehindText(unread)}.`]),
  ].join(" ");
}

/** Such as `2 objects left in place, 1 object not checked`. Undefined: none is known. */
export function leftBehindCount({ leftBehind = [] }: Pick<ProfileRow, "leftBehind">): string | undefined {
  const { left, unread } = partLeftBehind(leftBehind);
  const objects = (count: number) => (count === 1 ? "1 object" : `${count} objects`);
  const counts = [
    ...(left.length === 0 ? [] : [`${objects(left.length)} left in place`]),
    ...(unread.length === 0 ? [] : [`${objects(unread.length)} not checked`]),
  ];
  return counts.length === 0 ? undefined : counts.join(", ");
}

/** By name. `now` is milliseconds. */
export function profileRows(configs: readonly VirtPlatformConfig[], now: number): readonly ProfileRow[] {
  return configs
    .map((config) => profileRow(config, now))
    .toSorted((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0));
}

/** One config; `now` is milliseconds. */
export function profileRow(config: VirtPlatformConfig, now: number): ProfileRow {
  const { metadata, spec, status = {} } = config;
  const { phase, impactSeverity, planHash, progress, impact, leftBehind = [] } = status;
  const review = phase === "ReviewRequired" ? conditionOf(status, "ReviewRequired") : undefined;
  const planSeconds = secondsSince(review?.lastTransitionTime, now);
  const rejection = readRejection(config);
  const description = metadata.annotations?.[advertising.description];
  return {
    name: metadata.name,
    action: spec.action,
    ...(phase !== undefined && { phase }),
    ...(impactSeverity !== undefined && { impact: impactSeverity }),
    ...(impact !== undefined && { impactSummary: foreignText(impact.summary, longestSummary) }),
    isDrifted: isDrifted(status),
    ...(planHash !== undefined && phase !== "Ignored" && { planHash }),
    ...(planSeconds !== undefined && { planSeconds, ...(review && { planSince: review.lastTransitionTime }) }),
    ...(rejection !== undefined && { rejection }),
    ...(progress !== undefined && { progress }),
    ...(description !== undefined && { description: foreignText(description) }),
    isStalled: conditionOf(status, "Stalled")?.status === "True",
    ...(leftBehind.length > 0 && { leftBehind }),
    next: nextStepOf(config),
  };
}
