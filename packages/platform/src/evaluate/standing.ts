// How an asset stands: it is applied, or there is one reason why not.

import type { KubeObject } from "@virt/api";

export const reasons = [
  "HCOMissing",
  "NotActivated",
  "NotListed",
  "SwitchedOff",
  "InvalidConfiguration",
  "ConditionNotMet",
  "InvalidExclusions",
  "RootExclusion",
  "GovernedByPlan",
  "CRDMissing",
  "InputUnavailable",
  "NamespaceMissing",
  "AlreadyProvided",
  "RenderError",
  "NothingToApply",
] as const;
export type Reason = (typeof reasons)[number];

export type Standing =
  | {
      readonly kind: "active";
      readonly object: KubeObject;
      readonly leftOut: readonly string[];
      /** Somebody else's object that serves the same purpose, though ours is there. */
      readonly rival?: string;
    }
  | { readonly kind: "excluded"; readonly reason: Reason; readonly details: string }
  | Waiting;

/** The last intent stays: what it depends on cannot be read. */
export type Waiting = {
  readonly kind: "held";
  readonly reason: Reason;
  readonly details: string;
  /** Whatever could be read, a later check speaks against it. */
  readonly isExcluded?: true;
};

/** Known, and not only waited for. */
export type Settled = Exclude<Standing, Waiting>;

export const excluded = (reason: Reason, details: string): Standing => ({ kind: "excluded", reason, details });
export const held = (reason: Reason, details: string): Waiting => ({ kind: "held", reason, details });
