// The public API of the package: the types of VirtPlatformConfig, and names that users see.

export type { EventMessage } from "./event.ts";
export { type EventPriority, priorityOfEvent } from "./event.ts";
export {
  type DisruptionClass,
  disruptionClasses,
  type Guards,
  type Holdup,
  holdups,
  type Impact,
  type ImpactCapacity,
  type ImpactDuration,
  type ImpactEntry,
  type ImpactGap,
  type ImpactPool,
  type NotAssessedReason,
  notAssessedReasons,
  type PoolDisruption,
  type VmOutcome,
  vmOutcomes,
} from "./impact.ts";
export {
  advertising,
  autopilotAnnotation,
  configKind,
  decisionAnnotation,
  fieldManagers,
  isAdvisorManager,
  managedByLabel,
  profileManager,
  rejectedPlanAnnotation,
  repositoryUrl,
  usualOperatorNamespaces,
} from "./names.ts";
export type { Conflict, Json, JsonMap, KubeObject, NodeContent, ObjectMeta, Ref, VariableText } from "./object.ts";
export { contentForms, type FieldForm, type FieldsForm, type ObjectForm, type ValueForm } from "./object-form.ts";
export {
  type FindingSeverity,
  findingSeverities,
  type NodeRollout,
  type NodeRolloutPhase,
  nodeRolloutPhases,
  type ObservedSeconds,
  type PoolRollout,
  type RolloutFinding,
  type RolloutStatus,
  type StoppedVms,
} from "./rollout.ts";
export type {
  Condition,
  InputRecord,
  Item,
  LeftBehind,
  PendingRollout,
  Review,
  Reviewed,
  Rollout,
  Spec,
  Status,
  VirtPlatformConfig,
} from "./virt-platform-config.ts";
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
} from "./virt-platform-config.ts";
