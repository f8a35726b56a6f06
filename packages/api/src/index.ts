// What other packages use of the API.

export { advertising, autopilotAnnotation, configKind, fieldManagers, managedByLabel, repositoryUrl } from "./names.ts";
export type { Conflict, Json, JsonMap, KubeObject, ObjectMeta, Ref } from "./object.ts";
export {
  type Action,
  actions,
  type FailurePolicy,
  failurePolicies,
  type ItemState,
  itemStates,
  type Operation,
  operations,
  type Phase,
  phaseConditions,
  phases,
  type ReviewReason,
  reviewReasons,
  type Severity,
  type SideCondition,
  severities,
  sideConditions,
  type ToolCondition,
  toolConditions,
} from "./phase.ts";
export type {
  Condition,
  InputRecord,
  Item,
  Review,
  Reviewed,
  Rollout,
  Spec,
  Status,
  VirtPlatformConfig,
} from "./virt-platform-config.ts";
