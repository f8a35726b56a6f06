// The states of assets as every tool shows them: one vocabulary for command line, console and report.

export const assetStates = [
  "In sync",
  "Drifted",
  "Contested",
  "On hold",
  "Paused",
  "Unmanaged",
  "Not applicable",
  "Failed",
] as const;
export type AssetState = (typeof assetStates)[number];

/** By the status of an object in the report, or by the reason for which an asset is not applied. */
const statesByReason: Readonly<Record<string, AssetState>> = {
  InSync: "In sync",
  Pending: "Drifted",
  Unknown: "On hold",
  Held: "On hold",
  Failed: "Failed",
  Contested: "Contested",
  Paused: "Paused",
  Unmanaged: "Unmanaged",
  ManagedByOther: "Unmanaged",
  NotActivated: "Unmanaged",
  NotListed: "Unmanaged",
  SwitchedOff: "Unmanaged",
  RootExclusion: "Unmanaged",
  GovernedByPlan: "Unmanaged",
  ReleasedByPlan: "Unmanaged",
  InputUnavailable: "On hold",
  InvalidConfiguration: "On hold",
  InvalidIgnoreFields: "On hold",
  InvalidMode: "On hold",
  InvalidPatch: "On hold",
  UnknownAnnotation: "On hold",
  InvalidExclusions: "Failed",
  RenderError: "Failed",
  HCOMissing: "Not applicable",
  ConditionNotMet: "Not applicable",
  CRDMissing: "Not applicable",
  NamespaceMissing: "Not applicable",
  AlreadyProvided: "Not applicable",
  NothingToApply: "Not applicable",
  Excluded: "Not applicable",
};

/** An object in sync whose fields others hold is contested. */
export function assetStateOf(statusOrReason: string, hasContestedFields = false): AssetState {
  const state = statesByReason[statusOrReason] ?? "Failed";
  return state === "In sync" && hasContestedFields ? "Contested" : state;
}

/** What the state means where the report gives no cause. */
export const assetStateTexts: Readonly<Record<AssetState, string>> = {
  "In sync": "the object is as the catalog wants it",
  Drifted: "a correction is pending",
  Contested: "another client holds its fields",
  "On hold": "nothing is written until its inputs can be read",
  Paused: "nothing is written until annotation platform.kubevirt.io/reconcile-paused is removed",
  Unmanaged: "annotation or label of the object excludes it from management",
  "Not applicable": "this cluster does not need it",
  Failed: "the API server refuses it",
};
