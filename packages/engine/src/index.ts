// What other packages use of the engine.

export { decodeBase64, encodeBase64 } from "./base64.ts";
export { type Bucket, fullBucket, isFull, type Rate, type Take, take } from "./bucket.ts";
export { canonicalJson } from "./canonical-json.ts";
export type { Cluster, Conflict, Expect, KubeObject, ObjectMeta, Outcome, Ref, Write } from "./cluster.ts";
export { completeConflict } from "./conflict.ts";
export { readDataUrl, writeDataUrl } from "./data-url.ts";
export { changeDiff, creationDiff, deletionDiff, equalDiff } from "./diff.ts";
export { digest } from "./digest.ts";
export { type Change, contentChanges, describeChange, desiredChanges, ownedChanges } from "./drift.ts";
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
} from "./field-set.ts";
export {
  type GovernedItem,
  type GovernorConfig,
  governedFields,
  governorOf,
  governorOfPurpose,
  isGoverning,
  type Purposes,
} from "./governor.ts";
export type { Health } from "./health/health.ts";
export { healthOf } from "./health/index.ts";
export { machineConfigPoolHealth, type Rendering } from "./health/machine-config-pool.ts";
export {
  affectedPools,
  type MachineConfigChange,
  type RenderedOf,
  rolloutHealth,
} from "./health/machine-config-rollout.ts";
export {
  type Contents,
  type Ignition,
  type IgnitionFile,
  type IgnitionUnit,
  legible,
  readIgnition,
} from "./ignition.ts";
export { type IgnoreFields, readIgnoreFields } from "./ignore-fields.ts";
export {
  asList,
  asNumber,
  asText,
  at,
  entriesOf,
  equalJson,
  isList,
  isMap,
  type Json,
  type JsonMap,
  member,
  parseJson,
} from "./json.ts";
export { keepOnly } from "./keep-only.ts";
export { argumentInForce } from "./kernel-arguments.ts";
export { matchesSelector } from "./label-selector.ts";
export { leaveOut } from "./leave-out.ts";
export { type Masked, mask } from "./mask.ts";
export { type Move, movesTo } from "./moved-fields.ts";
export { oncePer, oncePerPair } from "./once.ts";
export { describeOpponent, type Encounter, type Opponent, opponentOf } from "./opponent.ts";
export { appliedBy, dottedPath, isMadeBy, mayOwn, type Owner, ownersAs, ownersOf, readOwners } from "./owners.ts";
export { applyPatch, type Patched } from "./patch.ts";
export { fieldPath, type Path, valueAt, writeDotted, writePath } from "./path.ts";
export { type Pointer, type PointerText, readPointer, writePointer } from "./pointer.ts";
export { poolOfNode } from "./pool-of-node.ts";
export { type PoolCondition, type PoolStatus, poolStatus } from "./pool-status.ts";
export { readJson } from "./read-json.ts";
export { containsConfig, type RenderedConfig, renderConfig, roleLabel } from "./render-config.ts";
export {
  advance,
  begin,
  isDone,
  isUnavailable,
  isUpdated,
  type NodePhase,
  nextNodes,
  planWaves,
  type RolloutNode,
  type RolloutPool,
  type RolloutWaves,
  unavailableLimit,
} from "./rollout.ts";
export { sha256 } from "./sha256.ts";
export { leafPaths, noSchema, type Shape, type ShapeOf } from "./shape.ts";
export { managedValues, type SnapshotTarget, snapshot, targetKey } from "./snapshot.ts";
export {
  advisorRule,
  type FightRule,
  type Fights,
  fightKey,
  judgeFight,
  platformRule,
  type Ruling,
  recordCorrection,
} from "./thrash.ts";
export { readTime, writeTime } from "./time.ts";
export { compareUtf8, decodeUtf8, encodeUtf8, utf8Length } from "./utf8.ts";
export { writeYaml, yamlLines } from "./yaml.ts";
