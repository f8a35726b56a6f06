import { scrubText } from "@virt/kube";
import type { LiveObjectFacts } from "@virt/platform";
import type { PlatformRuntime } from "./runtime.ts";

/** Returns the last known facts about an object. Redacts the server's message, because it may quote secret values. */
export function liveFactsOf(key: string, { records, rebootImpact }: PlatformRuntime): LiveObjectFacts {
  const { failure, hold } = records.object(key);
  return {
    lastError: failure && { ...failure, message: scrubText(failure.message) },
    impact: rebootImpact.shownFor(key),
    heldRemoval: hold,
  };
}
