// Times in the status, in whole seconds, and Go durations.

import type { Item, Rollout, Status } from "@virt/api";
import { readTime, writeTime } from "@virt/objects";

export function stamp(ms: number): string {
  return writeTime(Math.floor(ms / 1000) * 1000);
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Returns milliseconds, or undefined if the string is not a duration. */
export function readDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text)) return undefined;
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g);
  return [...parts].reduce((sum, [, count, unit]) => sum + Number(count) * (unitMs[unit ?? ""] ?? 0), 0);
}

/** Formats whole seconds: `45s`, `30m1s`, `24h0m0s`. */
export function writeDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  if (hours > 0) return `${hours}h${minutes}m${rest}s`;
  return minutes > 0 ? `${minutes}m${rest}s` : `${rest}s`;
}

/** Adjusts the stored times from which durations are measured, after the clock was changed. */
export function shiftTimes(status: Status, stepMs: number): Status {
  const { items, rollouts, impact, rollout } = status;
  const moved = (time: string) => stamp((readTime(time) ?? 0) + stepMs);
  const started = <T extends Rollout>(rollout: T): T => ({ ...rollout, startTime: moved(rollout.startTime) });
  return {
    ...status,
    ...(items && {
      items: items.map((item) => ({
        ...item,
        ...(item.rollout && { rollout: started(item.rollout) }),
        ...(item.corrections && { corrections: item.corrections.map(moved) }),
      })),
    }),
    ...(rollouts && { rollouts: rollouts.map(started) }),
    ...(impact && { impact: { ...impact, assessedAt: moved(impact.assessedAt) } }),
    ...(rollout && {
      rollout: {
        ...rollout,
        nodes: rollout.nodes.map((node) => ({ ...node, since: moved(node.since) })),
        findings: rollout.findings.map((finding) => ({ ...finding, since: moved(finding.since) })),
      },
    }),
  };
}

export function startOf({ rollout }: Item, otherwise: number): number {
  return (rollout && readTime(rollout.startTime)) ?? otherwise;
}

export function elapsedSince(startTime: string, now: number): number {
  return now - (readTime(startTime) ?? now);
}
