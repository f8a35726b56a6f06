// Predicts a plan's impact, models its rollout, and diagnoses what blocks it.

export { assessImpact, type ImpactFacts, settingsInForce } from "./assess-impact.ts";
export { type Assessment, assessed, assessedOr, foreignText, notAssessed } from "./assessed.ts";
export {
  type ConfigChange,
  classOfChange,
  classOfWrite,
  type DisruptionPolicies,
  diffConfigs,
  disruptionOf,
  disruptionPolicyInformer,
  type MachineConfigWrite,
  publishedDisruption,
  readDisruptionPolicies,
  severityOfClass,
  worstClass,
} from "./disruption-class.ts";
export { findingCatalogue } from "./doctor/catalogue.ts";
export type { CatalogueEntry } from "./doctor/catalogue-entry.ts";
export { type DeletedTarget, restoreCommand } from "./doctor/deleted-target.ts";
export { changeOfPool, diagnoseOnce, type OnceDiagnosis } from "./doctor/diagnose-once.ts";
export { type Diagnosis, diagnoseRollout } from "./doctor/diagnose-rollout.ts";
export { DrainErrors } from "./doctor/drain-errors.ts";
export { drainGaps } from "./doctor/drain-gaps.ts";
export { drainingNodes } from "./doctor/node-causes.ts";
export { stepOfNode } from "./doctor/node-phase.ts";
export { restartSamplesByPool } from "./doctor/observed-seconds.ts";
export { countNodes, countPhases, type NodeCounts } from "./doctor/pool-counts.ts";
export { type BlockerRemedy, blockerRemedies, findingRemedies, remediesText } from "./doctor/remedies.ts";
export { concludeRollout, revokeUpdates } from "./doctor/rollout-status.ts";
export {
  type DoctorFacts,
  hasKubeletDropIn,
  isTakenUp,
  type PoolFacts,
  phaseForChanges,
  type RolloutChange,
} from "./doctor/rollout-view.ts";
export { startCommand, withStoppedVms } from "./doctor/stopped-vms.ts";
export { showTemplate } from "./doctor/text-templates.ts";
export { durationText } from "./duration-text.ts";
export { isStillListing } from "./impact-gaps.ts";
export { deschedulerHealthInformer, hcoHealthInformers, impactInformers, rolloutInformers } from "./informers.ts";
export { refusedKubeletConfigs } from "./kubelet-configs.ts";
export { type NeededReads, neededReads } from "./needed-reads.ts";
export { qualifies } from "./placement.ts";
export { boundPlacements } from "./placement-budget.ts";
export {
  advanceRollout,
  beginRollout,
  isUnavailable,
  isUpdated,
  type NodePhase,
  type NodeUpdate,
  nextNodes,
  planWaves,
  type RolloutNode,
  type RolloutPool,
  rolloutOfPool,
  unavailableLimit,
} from "./rollout.ts";
export { findRolloutObstacles, type RolloutObstacle } from "./rollout-obstacles.ts";
export { nameNodes, roomText, roomWords } from "./summary.ts";
