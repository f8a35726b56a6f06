// The shared knowledge of both controllers about a cluster: HyperConverged, hardware, nodes, pools, MachineConfigs, health and governors.

export { faultOfPolicy, hashPolicySpec } from "./admission-policy.ts";
export { type AssetState, assetReasonTexts, assetStateOf, assetStates, assetStateTexts } from "./asset-state.ts";
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
export { type Detector, detectors, type Hardware, isWithin, readHardware, withHostPrefix } from "./hardware.ts";
export {
  conditionsOf,
  findTrue,
  type Health,
  isBehind,
  type ObjectCondition,
  type PoolProgress,
} from "./health/conditions.ts";
export { healthOf } from "./health/health.ts";
export { machineConfigPoolHealth, poolProgress, type Rendering } from "./health/machine-config-pool.ts";
export {
  affectedPools,
  type CountOfPool,
  isRenderedBy,
  type MachineConfigChange,
  type RenderedOf,
  rolloutHealth,
} from "./health/machine-config-rollout.ts";
export { listReportsOnce } from "./health/node-reports.ts";
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
  infrastructureInformer,
  kindInformer,
  namespaceInformer,
  networkInformer,
  nodeInformer,
  objectInformer,
  ownedContentProjection,
  type ReadParts,
  reportedContentProjection,
  schedulerInformer,
} from "./informers.ts";
export { readVersionSchema } from "./kinds/custom-resource-definition.ts";
export { keepConditions, keepMembers } from "./kinds/kept-members.ts";
export { kubeletConfigInformer, readKubeletConfig } from "./kinds/kubelet-config.ts";
export { kubeVirtInformer, readVirtSettings, type VirtSettings } from "./kinds/kubevirt.ts";
export { type MachineConfig, readMachineConfig } from "./kinds/machine-config.ts";
export {
  type MachineConfigNodeFact,
  machineConfigNodeInformer,
  phaseStartOf,
  readMachineConfigNodeFact,
  updateSteps,
} from "./kinds/machine-config-node.ts";
export {
  type MachineConfigPool,
  poolInformer,
  poolInformerOf,
  readMachineConfigPool,
} from "./kinds/machine-config-pool.ts";
export { type MigrationFact, type MigrationHold, migrationInformer, readMigrationFact } from "./kinds/migration.ts";
export {
  impactNodeInformer,
  isDroppedLabel,
  isNodeReady,
  type NodeFact,
  readNodeFact,
  type Taint,
} from "./kinds/node.ts";
export { type PodFact, readPodFact } from "./kinds/pod.ts";
export { type BudgetFact, budgetInformer, readBudgetFact } from "./kinds/pod-disruption-budget.ts";
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
export { argumentInForce, containsConfig, type RenderedConfig, renderConfig, roleLabel } from "./machine-config.ts";
export {
  foreignPoolConfig,
  isEmptySelector,
  type PoolFact,
  poolOfNode,
  poolRuleParts,
} from "./pools.ts";
export { hco, object, objects, schema } from "./reads.ts";
export {
  type CountedHardware,
  changeWords,
  countReported,
  followHardware,
  type HardwareChange,
  type HardwareMemory,
  nextHardwareDueMs,
} from "./stable-hardware.ts";
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
  type Reach,
  rolesOf,
  settledConfigs,
  vmNodeInformer,
} from "./vm-nodes.ts";
