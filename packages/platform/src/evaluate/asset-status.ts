import type { KubeObject, Ref } from "@virt/api";
import type { Asset, AssetRead } from "../asset.ts";
import type { AssetHcoFact } from "../hco-fact.ts";
import type { ClusterFacts } from "./cluster-facts.ts";
import type { Places } from "./managed-objects.ts";

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
  "ManagedByAutopilot",
  "ClaimedByAutopilot",
  "ReleasedByPlan",
  "CRDMissing",
  "InputUnavailable",
  "NamespaceMissing",
  "AlreadyProvided",
  "RenderError",
  "NothingToApply",
] as const;
/** The reason why an asset is not applied, as in reports and metrics. */
export type Reason = (typeof reasons)[number];

/** The status of an asset. `held`: an input is unavailable or invalid. */
export type AssetStatus =
  | {
      readonly kind: "active";
      readonly object: KubeObject;
      readonly leftOut: readonly string[];
      /** Another client's object with the same purpose. Set if the asset's own object exists, too. */
      readonly rival?: string;
      readonly warnings?: readonly string[];
    }
  | {
      readonly kind: "excluded";
      readonly reason: Reason;
      readonly details: string;
      /** Present if the reads of the asset are the reason, so that they must continue. */
      readonly isFromReads?: true;
    }
  | WaitingStatus;

/** An input is unavailable or invalid, so the last intent stays in effect. */
export type WaitingStatus = {
  readonly kind: "held";
  readonly reason: Reason;
  readonly details: string;
  /** Present with reason InputUnavailable. */
  readonly input?: UnreadInput;
  /** Present if a later check excludes the asset regardless of the missing input. */
  readonly isExcluded?: true;
};

export type UnreadInput = { readonly name: string; readonly why: string };

/** A status with all inputs available. */
export type SettledStatus = Exclude<AssetStatus, WaitingStatus>;

export const excludedStatus = (reason: Reason, details: string): AssetStatus => ({ kind: "excluded", reason, details });
export const unreadStatus = (input: UnreadInput): WaitingStatus => ({
  kind: "held",
  reason: "InputUnavailable",
  details: `${input.name}: ${input.why}`,
  input,
});
export const heldStatus = (reason: Reason, details: string): WaitingStatus => ({ kind: "held", reason, details });

export type AssetRequest = {
  readonly asset: Asset;
  readonly facts: ClusterFacts;
  readonly hco: AssetHcoFact;
  readonly target: Ref;
  readonly places: Places;
};

export function readWords(read: AssetRead): string {
  switch (read.read) {
    case "object":
      return `${read.ref.kind} ${read.ref.name}`;
    case "objects":
      return `list of ${read.kind}`;
    case "pool":
      return `MachineConfigPool ${read.name}`;
    case "schema":
      return `schema of ${read.crd}`;
    case "served":
      return `versions of ${read.crd}`;
    case "hco":
    case "hardware":
    case "topology":
    case "images":
      return read.read;
  }
}
