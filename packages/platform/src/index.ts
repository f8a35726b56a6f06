// The public API of the platform controller's core.

export {
  type Activation,
  type ActivationInput,
  type ActivationMode,
  type ActivationSource,
  activationValue,
  decideActivation,
  enablingAnnotation,
  isAllowed,
  isAskedFor,
  readActivation,
  type SwitchState,
  switchState,
} from "./activation.ts";
export { adoptionKey } from "./adoption/adoption-key.ts";
export {
  type AdoptionAction,
  type AdoptionForecast,
  type AdoptionRow,
  adoptionRow,
  isNodeObject,
  type NodeFacts,
  rebootedNodes,
  refOfObject,
  replacingWrites,
  type TheirObject,
} from "./adoption/adoption-row.ts";
export {
  type AdoptedObject,
  type AdoptionPlan,
  type AdoptionStep,
  isOurs,
  nextAdoptionStep,
  nextReturnStep,
  type ObservedAdoption,
  type ObservedReturn,
  type ReturnPlan,
} from "./adoption/adoption-step.ts";
export {
  type AdoptionTableRow,
  adoptedSwitches,
  adoptionChanges,
  adoptionTable,
  nodeCount,
} from "./adoption/adoption-texts.ts";
export { type AnnotationOperation, annotationPatch } from "./adoption/annotation-patch.ts";
export { didYouMean, likelyMeant, nearest, shorten } from "./annotation-values.ts";
export type { Feature, Tombstone, ValueReason } from "./asset.ts";
export {
  type AnyAssetFacts,
  type Asset,
  type AssetCondition,
  type AssetFactOf,
  type AssetFacts,
  type AssetFactsContext,
  type AssetOf,
  type AssetRead,
  type AssetReads,
  type AssetTarget,
  annotationIs,
  anyOf,
  defineAsset,
  detected,
  gate,
  hardware,
  images,
  type NeededKind,
  type Nothing,
  nothing,
  type PlacedRef,
  pool,
  type Switch,
  served,
  topology,
  topologyIs,
  unmet,
} from "./asset.ts";
export {
  type Counterpart,
  type CounterpartTarget,
  counterpartAlternates,
  counterpartsOf,
  isCounterpartApplied,
} from "./autopilot/counterpart.ts";
export { type AutopilotFact, autopilotFactOf, isLeftToAutopilot } from "./autopilot/manager.ts";
export { isWriteDue } from "./baseline/compare.ts";
export type { Contested } from "./baseline/contested.ts";
export { decideObject, writeRate } from "./baseline/decide-object.ts";
export type { ApplyDecision, Cause, HeldDecision, ObjectDecision } from "./baseline/decision.ts";
export { removalPatch } from "./baseline/emptied-maps.ts";
export { isAsWanted } from "./baseline/held.ts";
export { askedAnew, describeMutation, type Mutation, mutatedFields, rememberAnswer } from "./baseline/mutation.ts";
export type { ObjectMemory, ObservedObject } from "./baseline/observe-object.ts";
export { defaultOfObject, observeObject, shapeOfObject } from "./baseline/observe-object.ts";
export { readOverrides } from "./baseline/overrides.ts";
export { releaseOwnershipObject, transferObject } from "./baseline/release.ts";
export {
  decidePrune,
  decideTombstone,
  isBarred,
  makersOf,
  prunedParts,
  type RemovalDecision,
} from "./baseline/removal.ts";
export { builtInShape, defaultFrom, type KnownFields, keepKnown, shapeFrom } from "./baseline/schema.ts";
export { noteThere, type ObjectState, readState, writeState } from "./baseline/state.ts";
export { type AssetCatalog, catalogFaults, isBefore, renderFaults } from "./catalog-checks.ts";
export {
  type ConsentRecord,
  consentObject,
  consentRecordName,
  consentText,
  readConsentRecord,
  writeConsentRecord,
} from "./consent/consent-record.ts";
export { firstLegacyConsent, followLegacyConsent, type LegacyConsent } from "./consent/legacy-consent.ts";
export {
  type Devices,
  deviceAnnotations,
  readUsbDevices,
  readVfioDevices,
  type UsbDevice,
  type VfioDevice,
} from "./devices.ts";
export { type ExclusionRule, type Exclusions, excludedBy, readExclusions } from "./disabled-resources.ts";
export { type AssetStatus, type Reason, type SettledStatus } from "./evaluate/asset-status.ts";
export type { ClusterFacts, Fact } from "./evaluate/cluster-facts.ts";
export {
  buildClusterFacts,
  type ClusterFactsInput,
  type ObservedPresence,
  readImages,
} from "./evaluate/cluster-facts.ts";
export {
  type EvaluatedObject,
  type EvaluationInput,
  evaluateObject,
  type ManagedObject,
} from "./evaluate/evaluate-object.ts";
export type { ListResult, Lookup, LookupResult } from "./evaluate/lookup.ts";
export { type LookupKey, lookupIn, type PlainFacts } from "./evaluate/lookup.ts";
export {
  managedObjects,
  objectKey,
  objectName,
  type Places,
  placed,
  placesIn,
  removeAnnotationCommand,
} from "./evaluate/managed-objects.ts";
export {
  type ConditionFacts,
  type ConditionFinding,
  evaluateCondition,
  evaluateConditions,
} from "./evaluate-condition.ts";
export {
  followGovernance,
  type KnownProfiles,
  type ObservedGovernance,
  startRecord,
  switchesIn,
} from "./governance/follow-governance.ts";
export {
  emptyRecord,
  type GovernanceRecord,
  governanceObject,
  governanceRecordName,
  governanceText,
  type ReleasedAsset,
  readGovernanceRecord,
  writeGovernanceRecord,
} from "./governance/governance-record.ts";
export {
  type AnnotationProblem,
  annotationOf,
  annotationPrefix,
  annotationProblems,
  booleanOf,
  exactAnnotation,
  isOwnLabel,
  isState,
  noBlockers,
  objectAnnotations,
  rebootGateKey,
  releasedManager,
} from "./hco-annotations.ts";
export { decisionsFor, hcoContent } from "./hco-content.ts";
export { type AssetHcoFact, hcoPaths, hcoPointers, isGateOn, readHco } from "./hco-fact.ts";
export { type MergedParts, mergeParts, type PartConflict, type RenderedPart } from "./merge-parts.ts";
export { type DryRunAnswer, type Explanation, explainAsset, explanationText } from "./preview/explain.ts";
export { type ManagedBy, yieldedTo } from "./preview/managed-by.ts";
export { type Preview, previewObject, readObjects } from "./preview/preview.ts";
export {
  type RenderChoice,
  type RenderEntry,
  renderDocuments,
  renderEntries,
  renderStatus,
  tableText,
} from "./preview/render-text.ts";
export {
  type Exclusion,
  exclusionsOf,
  type FeatureState,
  factsOf,
  featureStates,
  hcoOf,
  type Report,
  reportName,
  reportObject,
  writeReport,
} from "./preview/report.ts";
export {
  type AssetRow,
  documentOf,
  type LastError,
  type LiveObjectFacts,
  type ObjectRow,
  objectRow,
  type RowStatus,
  reasonText,
  rowsOf,
} from "./preview/rows.ts";
export {
  conditionWords,
  type FeatureRow,
  featureRows,
  isOnByDefault,
  neededCrds,
  switchWords,
} from "./preview/words.ts";
export {
  type InputMemory,
  isHeldByInputLimit,
  limitInputWrite,
  noteInputs,
  observedBeforeInput,
  settleInputs,
} from "./reboot/input-limit.ts";
export { disruptionOfWrites, type NodeWrite, nodeRemovalOf, nodeWriteOf } from "./reboot/node-write.ts";
export {
  closedBecause,
  type GatedRollout,
  type GatedWrite,
  holdAtGate,
  holdRemovalAtGate,
  isHeldAtGate,
  readRebootGate,
  rebootHeldNote,
} from "./reboot/reboot-gate.ts";
export { type ShownImpact, shownImpact } from "./reboot/shown-impact.ts";
export {
  autopilotEvent,
  type Dependency,
  type DiscoveredCrds,
  dependencies,
  eventsForDiscoveredCrds,
  eventsForHyperConverged,
  excludedAssets,
  idleMessage,
  type MissingCrds,
  missingCrds,
} from "./reporting/hco-events.ts";
export { createObjectCounts, type ObjectCounts } from "./reporting/object-counts.ts";
export {
  customizationTypes,
  holdReasons,
  invalidOverrideTypes,
  type ObjectMetrics,
  objectMetricsOf,
  pausedOf,
  pauseReasons,
} from "./reporting/object-metrics.ts";
export { eventsForOutcome, type RolloutReach, resumedEvents, rolloutReach } from "./reporting/outcome-events.ts";
export {
  explainFailure,
  isInSync,
  isUnsettled,
  objectFindingOf,
  type ReconciledObject,
  type ReconcileOutcome,
  undecidedReasons,
} from "./reporting/reconcile-outcome.ts";
export { eventsForStatus, normalEvent, warningEvent } from "./reporting/status-events.ts";
export { findThrottling, findUnreadInputs } from "./reporting/waiting-events.ts";
