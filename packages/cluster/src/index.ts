// What both controllers know about a cluster: HyperConverged, hardware, nodes, pools, MachineConfigs, health and governors.

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
export { conditionsOf, type Health, isBehind, type PoolProgress } from "./health/conditions.ts";
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
export { argumentInForce, containsConfig, type RenderedConfig, renderConfig, roleLabel } from "./machine-config.ts";
export {
  foreignPoolConfig,
  type PoolFact,
  poolInformer,
  poolInformerOf,
  poolOfNode,
  poolRuleParts,
} from "./pools.ts";
export { hco, object, schema } from "./reads.ts";
export {
  type CountedHardware,
  changeWords,
  countReported,
  followHardware,
  type HardwareChange,
  type HardwareMemory,
  nextHardwareDueMs,
} from "./stable-hardware.ts";
export { readTopology, type Topology, type TopologyField, topologyFields } from "./topology.ts";
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
