// Predicts a plan's impact, models its rollout, and diagnoses what blocks it.

export { assessImpact, type ImpactFacts, settingsInForce } from "./assess-impact.ts";
export { type Assessment, assessed, assessedOr, foreignText, notAssessed } from "./assessed.ts";
export { boundPlacements } from "./cost-limit.ts";
export {
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
export { findingCatalogue, showTemplate } from "./doctor/catalogue.ts";
export type { CatalogueEntry } from "./doctor/catalogue-nodes.ts";
export { changeOfPool, type Diagnosis, diagnoseOnce, diagnoseRollout, drainGaps } from "./doctor/diagnose-rollout.ts";
export { DrainErrors } from "./doctor/drain-errors.ts";
export { drainingNodes } from "./doctor/node-causes.ts";
export {
  type BlockerRemedy,
  blockerRemedies,
  findingRemedies,
  remediesText,
  restoreCommand,
} from "./doctor/remedies.ts";
export { concludeRollout, countNodes, countPhases, type NodeCounts, revokeUpdates } from "./doctor/rollout-status.ts";
export {
  type DoctorFacts,
  hasKubeletDropIn,
  isTakenUp,
  type PoolFacts,
  phaseForChanges,
  type RolloutChange,
  stepOfNode,
} from "./doctor/rollout-view.ts";
export { restartSamplesByPool } from "./doctor/sightings.ts";
export { startCommand, withStoppedVms } from "./doctor/stopped-vms.ts";
export { durationText } from "./duration.ts";
export { findRolloutObstacles, isStillListing } from "./impact-gaps.ts";
export { roomText, roomWords } from "./impact-status.ts";
export {
  deschedulerHealthInformer,
  hcoHealthInformers,
  impactInformers,
  type NeededReads,
  neededReads,
  rolloutInformers,
} from "./needed-reads.ts";
export { qualifies } from "./placement.ts";
export { refusedKubeletConfigs } from "./pool-rollouts.ts";
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
