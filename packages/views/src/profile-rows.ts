// The profiles of a cluster as rows, each with its state and the next step.

import {
  conditionOf,
  leftBehindText,
  type NextStep,
  nextStepOf,
  partLeftBehind,
  type Rejection,
  readRejection,
} from "@virt/advisor";
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
import { secondsSince } from "./rollout-progress.ts";

/** `phase` is absent before the advisor processes the config. */
export type ProfileRow = {
  readonly name: string;
  readonly action: Action;
  readonly phase?: Phase;
  readonly impact?: Severity;
  readonly impactSummary?: string;
  readonly isDrifted: boolean;
  readonly planHash?: string;
  /** The seconds for which the plan has waited for a review. Absent if it does not wait. */
  readonly planSeconds?: number;
  /** RFC 3339: when the plan started to wait for a review. */
  readonly planSince?: string;
  readonly rejection?: Rejection;
  /** The progress column of `kubectl get`, such as `4/12 nodes` or `stuck: 4/12 nodes`. */
  readonly progress?: string;
  readonly description?: string;
  /** The URL of the documentation. Absent unless it is a web address, because any editor of the config can set it. */
  readonly documentation?: string;
  readonly isStalled: boolean;
  /** Objects of an earlier plan that no config manages. Absent if none are known. */
  readonly leftBehind?: readonly LeftBehind[];
  readonly next: NextStep;
};

/** The limit in the CRD. */
const longestSummary = 512;

/** Returns the phase to show, which is `Stuck` if the rollout is blocked. */
export function phaseWord({ phase, isStalled }: Pick<ProfileRow, "phase" | "isStalled">): string | undefined {
  return isStalled && (phase === "InProgress" || phase === "Drifted") ? "Stuck" : phase;
}

/** Returns the node counts of the progress column, or undefined if no nodes are updating. */
export function progressCount({ progress }: Pick<ProfileRow, "progress">): string | undefined {
  const count = progress?.replace(/^stuck(: )?/, "");
  return count === "" ? undefined : count;
}

/** Returns the notice about objects that earlier plans left behind. Empty if there are none. */
export function leftBehindNotice(leftBehind: readonly LeftBehind[]): string {
  const { left, unread } = partLeftBehind(leftBehind);
  return [
    ...(left.length === 0 ? [] : [`Left in place by an earlier plan: ${leftBehindText(left)}.`]),
    ...(unread.length === 0
      ? []
      : [`Cannot check whether an earlier plan left these objects behind: ${leftBehindText(unread)}.`]),
  ].join(" ");
}

/** Returns the counts, such as `2 objects left in place, 1 object not checked`, or undefined if there are none. */
export function leftBehindCount({ leftBehind = [] }: Pick<ProfileRow, "leftBehind">): string | undefined {
  const { left, unread } = partLeftBehind(leftBehind);
  const objects = (count: number) => (count === 1 ? "1 object" : `${count} objects`);
  const counts = [
    ...(left.length === 0 ? [] : [`${objects(left.length)} left in place`]),
    ...(unread.length === 0 ? [] : [`${objects(unread.length)} not checked`]),
  ];
  return counts.length === 0 ? undefined : counts.join(", ");
}

/** Returns the rows sorted by name. `now` is in milliseconds. */
export function profileRows(configs: readonly VirtPlatformConfig[], now: number): readonly ProfileRow[] {
  return configs
    .map((config) => profileRow(config, now))
    .toSorted((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0));
}

/** `now` is in milliseconds. */
export function profileRow(config: VirtPlatformConfig, now: number): ProfileRow {
  const { metadata, spec, status = {} } = config;
  const { phase, impactSeverity, planHash, progress, impact, leftBehind = [] } = status;
  const review = phase === "ReviewRequired" ? conditionOf(status, "ReviewRequired") : undefined;
  const planSeconds = secondsSince(review?.lastTransitionTime, now);
  const rejection = readRejection(config);
  const description = metadata.annotations?.[advertising.description];
  const documentation = metadata.annotations?.[advertising.documentation];
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
    ...(documentation !== undefined && isWebAddress(documentation) && { documentation }),
    isStalled: conditionOf(status, "Stalled")?.status === "True",
    ...(leftBehind.length > 0 && { leftBehind }),
    next: nextStepOf(config),
  };
}

/** Other characters could hide the target of a link in a terminal or a page. */
function isWebAddress(url: string): boolean {
  return /^https?:\/\/[!-~]{1,500}$/.test(url);
}
