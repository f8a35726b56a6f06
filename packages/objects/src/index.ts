// Kubernetes objects as data: JSON, YAML, diffs, patches, fields and their owners, lists and watches.

export type { Conflict, KubeObject, Ref } from "@virt/api";
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
  snapshotTargets,
  targetKey,
} from "./diff/drift.ts";
export { readBytes, readTime, writeTime } from "./encoding/api-scalars.ts";
export {
  compareUtf8,
  cutText,
  decodeUtf8,
  escapeJson,
  escapeLine,
  escapeText,
  readDataUrl,
  sha256,
  utf8Length,
  writeDataUrl,
} from "./encoding/text.ts";
export { writeYaml } from "./encoding/yaml.ts";
export {
  type FieldMove,
  type FieldSet,
  fieldSet,
  hasField,
  isNoFields,
  leavesOf,
  movedField,
  movesTo,
  noFields,
  pathsOf,
  subtractFields,
  touchesField,
} from "./fields/field-set.ts";
export { isPointedAt, keepOnly, leaveOut, maskFields, readIgnoreFields } from "./fields/mask.ts";
export {
  appliedBy,
  completeConflict,
  describeOpponent,
  dottedPath,
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
  leafPaths,
  noSchema,
  type Path,
  type Pointer,
  readPointer,
  type Shape,
  type ShapeOf,
  valueAt,
  writeDotted,
  writePath,
  writePointer,
} from "./fields/path.ts";
export {
  exceedsBytes,
  type InformerSpec,
  matchesSelector,
  overLimit,
  type Projection,
  type ProjectionMember,
} from "./informer-spec.ts";
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
  oncePer,
  parseJson,
} from "./json/json.ts";
export { readJson } from "./json/read-json.ts";
export { kubectlArguments } from "./kubectl-arguments.ts";
export { applyPatch } from "./patch/patch.ts";
export {
  advisorRule,
  type Bucket,
  type BucketRate,
  decideEditWar,
  type EditWarRecord,
  type EditWarRuling,
  editWarKey,
  fullBucket,
  isFull,
  platformRule,
  recordCorrection,
  takeToken,
} from "./throttle/edit-war.ts";
export {
  type ItemTransform,
  isOlder,
  type ListPage,
  type ListPageRequest,
  nextPage,
  notList,
  pauseAfter,
  reaches,
  readFrame,
  readListPage,
  type StopSignal,
  sleep,
  type WatchFrame,
  type WatchItem,
} from "./watch/list-watch.ts";
export {
  initialReflectorState,
  type ProbeResult,
  type ReflectorAction,
  type ReflectorInput,
  type ReflectorState,
  type StreamEnd,
} from "./watch/reflector-state.ts";
export { type ReflectorStep, stepReflector } from "./watch/reflector-step.ts";
export {
  type BareConflict,
  type DryRunOutcome,
  type ExpectedVersion,
  findMutator,
  type Outcome,
  type Write,
  type WriteResult,
} from "./write-outcome.ts";
