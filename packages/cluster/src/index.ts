// The shared knowledge of both controllers about a cluster: HyperConverged, hardware, nodes, pools, MachineConfigs, health and governors.

export { faultOfPolicy, hashPolicySpec } from "./admission-policy.ts";
export { type AssetState, assetReasonTexts, assetStateOf, assetStates, assetStateTexts } from "./asset-state.ts";
export {
  type AutopilotMemory,
  type AutopilotObservation,
  type AutopilotState,
  autopilotIdleMs,
  autopilotInformer,
  autopilotMarks,
  autopilotQuietMs,
  autopilotStates,
  type CombinedState,
  combinedStateOf,
  combinedStates,
  followAutopilot,
  isAutopilotLabelled,
  isAutopilotManager,
  isAutopilotObject,
  lastAutopilotWrite,
} from "./autopilot.ts";
export {
  type GovernedItem,
  type GovernorConfig,
  governedFields,
  governorOf,
  governorOfPurpose,
  hasGoverned,
  hasTarget,
  isGoverning,
  type Purposes,
} from "./governor.ts";
export {
  type CountedHardware,
  changeWords,
  countReported,
  type Detector,
  detectors,
  followHardware,
  type Hardware,
  type HardwareChange,
  type HardwareMemory,
  isWithin,
  nextHardwareDueMs,
  type ReadingTime,
  readHardware,
  withHostPrefix,
} from "./hardware.ts";
export { conditionsOf, findTrue, type Health, isBehind, type PoolProgress } from "./health/conditions.ts";
export {
  affectedPools,
  type CountOfPool,
  healthOf,
  isRenderedBy,
  type MachineConfigChange,
  type RenderedOf,
  rolloutHealth,
} from "./health/health.ts";
export { listReportsOnce, machineConfigPoolHealth, poolProgress } from "./health/machine-config-pool.ts";
export {
  chooseHyperConverged,
  type FoundHyperConverged,
  findHyperConverged,
  hcoInformers,
  hcoName,
  hcoVersions,
  hyperConvergedElsewhere,
  severalHyperConvergeds,
  usualHcoNamespaces,
  wantedHcoInformers,
} from "./hyperconverged.ts";
export {
  configInformer,
  contentProjection,
  type FindCached,
  hco,
  infrastructureInformer,
  isVersionServed,
  keepMembers,
  kindInformer,
  namespaceInformer,
  networkInformer,
  nodeInformer,
  object,
  objectInformer,
  objects,
  ownedContentProjection,
  type ReadParts,
  readVersionSchema,
  reportedContentProjection,
  schedulerInformer,
  schema,
} from "./informers.ts";
export {
  kubeVirtInformer,
  type MigrationFact,
  type MigrationHold,
  migrationInformer,
  readMigrationFact,
  readVirtSettings,
  type VirtSettings,
} from "./kinds/kubevirt.ts";
export {
  argumentInForce,
  type MachineConfig,
  readMachineConfig,
  renderConfig,
  roleLabel,
} from "./kinds/machine-config.ts";
export {
  foreignPoolConfig,
  isEmptySelector,
  kubeletConfigInformer,
  type PoolFact,
  poolInformer,
  poolInformerOf,
  poolOfNode,
  poolRuleParts,
  readKubeletConfig,
  readMachineConfigPool,
} from "./kinds/machine-config-pool.ts";
export {
  impactNodeInformer,
  isDroppedLabel,
  isNodeReady,
  type MachineConfigNodeFact,
  machineConfigNodeInformer,
  type NodeFact,
  phaseStartOf,
  readMachineConfigNodeFact,
  readNodeFact,
  type Taint,
  updateSteps,
} from "./kinds/node.ts";
export { type BudgetFact, budgetInformer, type PodFact, readBudgetFact, readPodFact } from "./kinds/pod.ts";
export {
  isEnded,
  isOnNode,
  migratedBytes,
  readController,
  readPlacement,
  readRunStrategy,
  readVmFact,
  requestOf,
  tooLargePlacement,
  type VmFact,
  type VmPlacement,
  vmInformer,
} from "./kinds/virtual-machine-instance.ts";
export {
  type ClusterShape,
  readClusterShape,
  readTopology,
  type Topology,
  type TopologyField,
  topologyFields,
} from "./topology.ts";
export {
  configOf,
  type NodeRole,
  nodeRoles,
  nodesForVms,
  nodesWithout,
  rolesOf,
  settledConfigs,
  vmNodeInformer,
} from "./vm-nodes.ts";
