// The text for a profile without an active rollout.

import type { VirtPlatformConfig } from "@virt/api";
import { profileRow, viewRollout } from "@virt/views";
import { strings } from "../strings.ts";

const texts = strings.rollout;

export function quietText(config: VirtPlatformConfig, now: number): string {
  const { name } = config.metadata;
  if (profileRow(config, now).planHash !== undefined) return texts.notBegun;
  const pools = viewRollout(config, now)?.pools ?? [];
  if (pools.length === 0) return texts.noneText(name);
  const sum = (counts: readonly number[]) => counts.reduce((all, one) => all + one, 0);
  return texts.endedText(name, sum(pools.map(({ updated }) => updated)), sum(pools.map(({ total }) => total)));
}
