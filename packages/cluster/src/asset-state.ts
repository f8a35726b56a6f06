// The asset states that the CLI, the console, and the report share.

/** All asset states that users see, in display order. */
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
/** The state of an asset in reports and on pages. */
export type AssetState = (typeof assetStates)[number];

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
  ManagedByAutopilot: "Unmanaged",
  ClaimedByAutopilot: "Unmanaged",
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

/** Returns "Contested" for an in-sync object if other managers own some of its fields. */
export function assetStateOf(statusOrReason: string, hasContestedFields = false): AssetState {
  const state = statesByReason[statusOrReason] ?? "Failed";
  return state === "In sync" && hasContestedFields ? "Contested" : state;
}

/** Texts for states for which the report contains no reason. */
export const assetStateTexts: Readonly<Record<AssetState, string>> = {
  "In sync": "the object matches the catalog",
  Drifted: "a correction is pending",
  Contested: "another client owns some of its fields",
  "On hold": "writes are on hold until the inputs can be read",
  Paused: "writes are paused until annotation platform.kubevirt.io/reconcile-paused is removed",
  Unmanaged: "an annotation or label excludes the object from management",
  "Not applicable": "this cluster does not need it",
  Failed: "the API server rejects it",
};

/** Texts by reason, as clauses about an asset. A reason without a text is shown unchanged. */
export const assetReasonTexts: Readonly<Record<string, string>> = {
  HCOMissing: "there is no HyperConverged",
  NotActivated: "the platform controller is disabled",
  NotListed: "annotation platform.kubevirt.io/virt-platform-operator lists neither the asset nor its group",
  SwitchedOff: "an annotation disables it",
  InvalidConfiguration: "an annotation is malformed",
  InvalidExclusions: "annotation disabled-resources is malformed",
  InvalidIgnoreFields: "annotation ignore-fields is malformed",
  InvalidMode: "annotation mode is malformed",
  InvalidPatch: "annotation patch cannot be applied",
  UnknownAnnotation: "an annotation is unknown",
  GovernedByPlan: "an advisor plan manages this object",
  ManagedByAutopilot: "virt-platform-autopilot manages this object",
  ClaimedByAutopilot: "virt-platform-autopilot applies an object for the same purpose",
  ReleasedByPlan: "an advisor plan released this object, and no user has enabled it again since",
  InputUnavailable: "an input cannot be read",
  NamespaceMissing: "its namespace is missing",
  AlreadyProvided: "another object serves the same purpose",
  RenderError: "it cannot be rendered",
  NothingToApply: "it has no fields to apply",
  ConditionNotMet: "a condition is not met",
  CRDMissing: "its operator is not installed",
  Unmanaged: "annotation mode excludes the object",
  Paused: "writes are paused",
  Contested: "another client owns some of its fields",
  RootExclusion: "annotation disabled-resources excludes it",
  ManagedByOther: "another client manages it",
};
