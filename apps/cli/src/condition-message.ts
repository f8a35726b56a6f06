import type { VirtPlatformConfig } from "@virt/api";
import { foreignText } from "@virt/views";

/** Returns the message of the phase's condition, or an empty string if the condition is missing. */
export function conditionMessage({ status }: Pick<VirtPlatformConfig, "status">): string {
  const own = (status?.conditions ?? []).find(({ type }) => type === status?.phase);
  return foreignText(listOnOneLine(own?.message ?? ""), 600);
}

/** Joins a bulleted list, such as missing dependencies, into one sentence. */
function listOnOneLine(message: string): string {
  return message.replace(/:\s*\n\s*- /u, ": ").replaceAll(/\s*\n\s*- /gu, "; ");
}
