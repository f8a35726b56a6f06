// Keeps an upgraded controller active through the annotation `autopilot`, which now belongs to another operator.

import type { ActivationMode } from "../activation.ts";

/** The value of annotation `autopilot` with which an earlier release was active when it was upgraded. */
export type LegacyConsent = {
  readonly autopilot: string;
  /** True once a user has changed the annotation or set our own key. The value then never counts again. */
  readonly isEnded: boolean;
};

/** The annotations of the HyperConverged that decide about the consent, with their exact values. */
export type ConsentAnnotations = { readonly key: string | undefined; readonly autopilot: string | undefined };

/** The annotations, and the inputs that decide without our own key. */
export type ObservedConsent = ConsentAnnotations & {
  readonly mode: ActivationMode;
  readonly isAutopilotPresent: boolean;
};

/**
 * Ends the consent if the annotation has changed, or if a user has set our own key. Next to the autopilot, a value of
 * `false` also ends the consent of --activation=always, so that no later value of the annotation activates us.
 */
export function followLegacyConsent(
  before: LegacyConsent | undefined,
  { key, autopilot, mode, isAutopilotPresent }: ObservedConsent,
): LegacyConsent | undefined {
  const isOff = mode === "always" && isAutopilotPresent && autopilot?.trim() === "false";
  if (before === undefined)
    return isOff && autopilot !== undefined && (key ?? "").trim() === "" ? { autopilot, isEnded: true } : undefined;
  if (before.isEnded) return before;
  const isKept = before.autopilot === autopilot && (key ?? "").trim() === "";
  return isKept ? before : { ...before, isEnded: true };
}

/** The findings of a process at the first start of this release. */
export type FirstStart = ConsentAnnotations & {
  /** True if the value of `autopilot` activated the earlier release. */
  readonly wasActive: boolean;
  /** True if the operator's field manager owns fields of a managed object. */
  readonly ownsObject: boolean;
};

/** Returns the consent to store at the first start. Undefined if nothing was active through `autopilot`. */
export function firstLegacyConsent({ key, autopilot, wasActive, ownsObject }: FirstStart): LegacyConsent | undefined {
  const isUnset = (key ?? "").trim() === "";
  return isUnset && autopilot !== undefined && wasActive && ownsObject ? { autopilot, isEnded: false } : undefined;
}
