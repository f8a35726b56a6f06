import { fieldManagers } from "@virt/api";
import { asText, type KubeObject } from "@virt/objects";

export type PlatformEvent = { readonly reason: string; readonly note: string };

/** Returns undefined for events of other controllers. */
export function platformEvent(event: KubeObject | undefined): PlatformEvent | undefined {
  if (event === undefined || event["reportingController"] !== fieldManagers.platform) return undefined;
  return { reason: asText(event["reason"]) ?? "", note: asText(event["note"]) ?? "" };
}
