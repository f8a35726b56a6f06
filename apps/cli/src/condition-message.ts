// What the advisor says about a config in its own words.

import type { VirtPlatformConfig } from "@virt/api";
import { foreignText } from "@virt/client";

/** The message of the condition of its phase; empty before there is one. */
export function conditionMessage({ status }: Pick<VirtPlatformConfig, "status">): string {
  const own = (status?.conditions ?? []).find(({ type }) => type === status?.phase);
  return foreignText(own?.message ?? "", 600);
}
