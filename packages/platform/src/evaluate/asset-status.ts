// The status of an asset: active, or one reason why not. And the request for it.

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
  "ReleasedByPlan",
  "CRDMissing",
  "InputUnavailable",
  "NamespaceMissing",
  "AlreadyProvided",
  "RenderError",
  "NothingToApply",
] as const;
/** Why an asset is not active. */
export type Reason = (typeof reasons)[number];

/** The status of an asset: active with its render, excluded, or held because an input is missing. */
export type AssetStatus =
  | {
      readonly kind: "active";
      readonly object: KubeObject;
      readonly leftOut: readonly string[];
      /** Somebody else's object that serves the same purpose, though ours is there. */
      readonly rival?: string;
      /** Why it is not all that was asked for. */
      readonly warnings?: readonly string[];
    }
  | { readonly kind: "excluded"; readonly reason: Reason; readonly details: string }
  | WaitingStatus;

/** The last intent stays: what it depends on cannot be read. */
export type WaitingStatus = {
  readonly kind: "held";
  readonly reason: Reason;
  readonly details: string;
  /** With reason InputUnavailable. */
  readonly input?: UnreadInput;
  /** Whatever could be read, a later check speaks against it. */
  readonly isExcluded?: true;
};

/** What could not be read, as people call it, and why. */
export type UnreadInput = { readonly name: string; readonly why: string };

/** Known, and not only waited for. */
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
  /** Where the asset's object lies here. */
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
    case "hco":
    case "hardware":
    case "topology":
    case "images":
      return read.read;
  }
}
