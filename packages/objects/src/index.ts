// Kubernetes objects as data: JSON, YAML, diffs, patches, fields and their owners, lists and watches.

export type { Conflict, KubeObject, ObjectMeta, Ref } from "@virt/api";
export { changeDiff, creationDiff, deletionDiff, diffText, equalDiff, wholeDiff } from "./diff/diff.ts";
export {
  type Change,
  contentChanges,
  describeChange,
  desiredChanges,
  isSameMeaning,
  ownedChanges,
  shortList,
  showValue,
} from "./diff/drift.ts";
export { readBytes, readTime, writeTime } from "./encoding/api-scalars.ts";
export { compareUtf8, cutText, decodeUtf8, readDataUrl, sha256, utf8Length, writeDataUrl } from "./encoding/bytes.ts";
export { escapeJson, escapeLine, escapeText } from "./encoding/terminal-text.ts";
export { writeYaml, yamlLines } from "./encoding/yaml.ts";
export {
  type FieldSet,
  fieldSet,
  hasField,
  isNoFields,
  leavesOf,
  noFields,
  pathsOf,
  readFieldsV1,
  subtractFields,
  touchesField,
  uniteFields,
} from "./fields/field-set.ts";
export { type IgnoreFields, readIgnoreFields } from "./fields/ignore-fields.ts";
export { isPointedAt, keepOnly, leaveOut, type MaskedObject, maskFields } from "./fields/mask.ts";
export { type FieldMove, movedField, movesTo } from "./fields/moved-fields.ts";
export {
  appliedBy,
  completeConflict,
  describeOpponent,
  dottedPath,
  type FieldEncounter,
  givesUpFields,
  isMadeBy,
  isStatusOlder,
  mayOwn,
  type Opponent,
  type Owner,
  opponentOf,
  ownersAs,
  ownersOf,
  readOwners,
} from "./fields/owners.ts";
export {
  fieldPath,
  type Path,
  type Pointer,
  type PointerText,
  readPointer,
  valueAt,
  writeDotted,
  writePath,
  writePointer,
} from "./fields/path.ts";
export { leafPaths, noSchema, type Shape, type ShapeOf } from "./fields/shape.ts";
export { managedValues, type SnapshotTarget, snapshotTargets, targetKey } from "./fields/snapshot.ts";
export { findMutator } from "./find-mutator.ts";
export type { InformerSpec, Projection, ProjectionMember } from "./informer-spec.ts";
export {
  asList,
  asNumber,
  asText,
  at,
  canonicalJson,
  digest,
  entriesOf,
  equalJson,
  isList,
  isMap,
  type Json,
  type JsonMap,
  member,
  parseJson,
} from "./json/json.ts";
export { readJson } from "./json/read-json.ts";
export { exceedsBytes, overLimit } from "./json/value-size.ts";
export { matchesSelector } from "./label-selector.ts";
export { oncePer, oncePerPair } from "./memoize.ts";
export { applyPatch, type Patched } from "./patch/patch.ts";
export {
  advisorRule,
  type Bucket,
  type BucketRate,
  type BucketTake,
  decideEditWar,
  type EditWarRecord,
  type EditWarRule,
  type EditWarRuling,
  editWarKey,
  fullBucket,
  isFull,
  platformRule,
  recordCorrection,
  takeToken,
} from "./throttle/edit-war.ts";
export { pauseAfter } from "./watch/backoff.ts";
export { type ListPage, type ListPageRequest, nextPage, notList, readListPage } from "./watch/list-page.ts";
export {
  initialReflectorState,
  type ProbeResult,
  type ReflectorAction,
  type ReflectorInput,
  type ReflectorState,
  type StreamEnd,
} from "./watch/reflector-state.ts";
export { type ReflectorStep, stepReflector } from "./watch/reflector-step.ts";
export { isOlder, reaches } from "./watch/resource-version.ts";
export { type ItemTransform, readFrame, type WatchFrame, type WatchItem } from "./watch/watch-frame.ts";
export type { BareConflict, DryRunOutcome, ExpectedVersion, Outcome, Write, WriteResult } from "./write-outcome.ts";
