// What the advisor says about a config in its own words.

import type { VirtPlatformConfig } from "@virt/api";
import { foreignText } from "@virt/client";

/** The message of the condition of its phase; empty before there is one. */
export function conditionMessage({ status }: Pick<VirtPlatformConfig, "status">): string {
  const own = (status?.conditions ?? []).find(({ type }) => type === status?.phase);
  return foreignText(listOnOneLine(own?.message ?? ""), 600);
}

/** A list with a dash before each entry, as in a missing dependency, becomes one sentence. */
function listOnOneLine(message: string): string {
  return message.replace(/:\s*\n\s*- /u, ": ").replaceAll(/\s*\n\s*- /gu, "; ");
}
