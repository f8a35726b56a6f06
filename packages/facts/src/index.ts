// The cluster facts that both controllers share, and their informers.

export { type Detector, detectors, type Hardware, isWithin, readHardware, withHostPrefix } from "./hardware.ts";
export {
  chooseHyperConverged,
  type FoundHyperConverged,
  findHyperConverged,
  hcoInformers,
  hcoName,
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
