// What other packages use of the platform controller's core.

export { type Activation, type ActivationMode, isAllowed, isAskedFor, readActivation } from "./activation.ts";
export {
  type AnyFacts,
  type Asset,
  type AssetOf,
  type AssetTarget,
  defineAsset,
  type NeededKind,
  type Nothing,
  nothing,
  type Switch,
} from "./asset.ts";
export { isWriteDue } from "./baseline/compare.ts";
export type { Contested } from "./baseline/contested.ts";
export { judge, writeRate } from "./baseline/judge.ts";
export { isOwnLabel, isState, objectAnnotations, releasedManager } from "./baseline/names.ts";
export type { ObjectMemory, ObjectSeen } from "./baseline/object-seen.ts";
export { readOverrides } from "./baseline/overrides.ts";
export { isBarred, prunedParts } from "./baseline/pruned.ts";
export { noteThere } from "./baseline/recreations.ts";
export { giveUpObject, handOverObject } from "./baseline/release.ts";
export { judgePrune, judgeTombstone, makersOf, type Removal } from "./baseline/removal.ts";
export { builtInShape, defaultFrom, shapeFrom } from "./baseline/schema-shape.ts";
export { seeObject, shapeOfObject } from "./baseline/see-object.ts";
export { readState, type State, writeState } from "./baseline/state.ts";
export type { Apply, Cause, Verdict } from "./baseline/verdict.ts";
export { type Catalog, catalogFaults, isBefore } from "./catalog-checks.ts";
export { annotated, anyOf, type Condition, detected, gate, topologyIs } from "./condition.ts";
export {
  type Devices,
  deviceAnnotations,
  readUsbDevices,
  readVfioDevices,
  type UsbDevice,
  type VfioDevice,
} from "./devices.ts";
export { type ExclusionRule, type Exclusions, excludedBy, readExclusions } from "./disabled-resources.ts";
export { nameOf } from "./evaluate/already-provided.ts";
export { buildWorld, type WorldGiven } from "./evaluate/build-world.ts";
export { type Evaluated, type Evaluating, evaluateObject, type ManagedObject } from "./evaluate/evaluate-object.ts";
export type { Listed, Looked, Lookup } from "./evaluate/lookup.ts";
export { managedObjects } from "./evaluate/managed-objects.ts";
export { type Places, placed } from "./evaluate/place.ts";
export { lookupIn, type PlainFacts, type Sought } from "./evaluate/plain-lookup.ts";
export { type Reason, type Settled, type Standing } from "./evaluate/standing.ts";
export type { Fact, World } from "./evaluate/world.ts";
export { type ConditionFacts, evaluateCondition, evaluateConditions, type Finding } from "./evaluate-condition.ts";
export type { Feature } from "./feature.ts";
export { type Detector, detectors, type Hardware, nodeMembers, readHardware } from "./hardware.ts";
export {
  type AnnotationProblem,
  annotationOf,
  annotationPrefix,
  annotationProblems,
  booleanOf,
} from "./hco-annotations.ts";
export { type HcoFact, hcoPaths, isGateOn, readHco } from "./hco-fact.ts";
export { hcoPointers } from "./hco-pointers.ts";
export { readImages } from "./images.ts";
export { type MergedParts, mergeParts, type PartConflict, type RenderedPart } from "./merge-parts.ts";
export { nearest } from "./nearest.ts";
export { foreignPoolConfig, poolRuleParts } from "./pool-rule.ts";
export { type Explanation, explain, explanationText } from "./preview/explanation.ts";
export { type FeatureRow, type FeatureSources, featureRows } from "./preview/features.ts";
export { type LastError, type ObjectRow, objectRow } from "./preview/object-row.ts";
export { type Exclusion, exclusionsOf, type FeatureState, factsOf, featureStates } from "./preview/pages.ts";
export { type Preview, previewObject } from "./preview/preview.ts";
export { readObjects } from "./preview/read-objects.ts";
export {
  type RenderChoice,
  type RenderEntry,
  renderDocuments,
  renderEntries,
  renderStatus,
  tableText,
} from "./preview/render-text.ts";
export { hcoOf, type Report, reportName, reportObject, writeReport } from "./preview/report.ts";
export { type AssetRow, rowsOf } from "./preview/rows.ts";
export { conditionWords, isOnByDefault, neededCrds, switchWords } from "./preview/words.ts";
export {
  type FactOf,
  type Facts,
  hardware,
  hco,
  images,
  object,
  objects,
  type Parts,
  type PlacedRef,
  type PoolFact,
  pool,
  type Read,
  type Reads,
  type Surroundings,
  schema,
  topology,
} from "./reads.ts";
export { renderFaults } from "./render-checks.ts";
export { type Known, keepKnown } from "./schema-leaves.ts";
export { type SwitchState, switchState } from "./switch.ts";
export type { Tombstone } from "./tombstone.ts";
export {
  infrastructureParts,
  readTopology,
  schedulerParts,
  type Topology,
  type TopologyField,
  type TopologySources,
  topologyFields,
} from "./topology.ts";
