// The informers of an assessment and a diagnosis, and the objects that an assessment must read in addition.

import {
  budgetInformer,
  hcoInformers,
  impactNodeInformer,
  kubeletConfigInformer,
  kubeVirtInformer,
  machineConfigNodeInformer,
  migrationInformer,
  poolInformer,
  poolOfNode,
  readClusterShape,
  readMachineConfigPool,
  type VmFact,
  vmInformer,
} from "@virt/cluster";
import type { InformerSpec } from "@virt/objects";
import { type ImpactFacts, settingsInForce } from "./assess-impact.ts";
import { assessedOr } from "./assessed.ts";
import { inNameOrder } from "./capacity.ts";
import { disruptionPolicyInformer } from "./disruption-class.ts";
import { drainedNodes, outcomeOf } from "./drained-vms.ts";
import { assessPools } from "./pool-rollouts.ts";

/** The maximum number of nodes whose pods are read. */
const mostNodes = 60;

/** The objects to read, most urgent first. */
export type NeededReads = {
  /** The nodes whose pods are needed, in the order in which they drain. */
  readonly nodes: readonly string[];
  /** The VirtualMachines whose run strategy determines whether their VMs restart. */
  readonly owners: readonly { readonly namespace: string; readonly name: string }[];
  /** The current and target configs of nodes with queued changes. */
  readonly configs: readonly string[];
};

/** Returns the objects to read for a complete assessment. Empty while the nodes are unknown. */
export function neededReads(facts: ImpactFacts): NeededReads {
  if (!facts.nodes.isAssessed) return { nodes: [], owners: [], configs: [] };
  const nodes = facts.nodes.value;
  const drained = assessPools({ ...facts, nodes }).flatMap(drainedNodes);
  const ending = Map.groupBy(endingVms(facts), ({ node }) => node);
  const owners = drained
    .flatMap((node) => (ending.get(node) ?? []).toSorted(inNameOrder))
    .flatMap(({ namespace, controller }) =>
      controller?.kind === "VirtualMachine" ? [{ namespace, name: controller.name }] : [],
    );
  return { nodes: drained.slice(0, mostNodes), owners, configs: queuedConfigs(facts) };
}

// Returns the VMs that stop. VMs that migrate do not, even if no node has room for them.
function endingVms(facts: ImpactFacts): readonly VmFact[] {
  const outcomes = {
    settings: settingsInForce(facts),
    isSingleReplica: assessedOr(facts.shape, readClusterShape(undefined)).isSingleReplica,
    runStrategyOf: () => undefined,
    hasTarget: () => true,
  };
  return assessedOr(facts.vms, []).filter((vm) => outcomeOf(vm, outcomes)?.outcome === "stop");
}

function queuedConfigs({ nodes, pools, disruption }: ImpactFacts): readonly string[] {
  const targets = new Map(pools.map(readMachineConfigPool).map(({ name, target }) => [name, target.name ?? ""]));
  const affected = new Set(disruption.map(({ pool }) => pool));
  const names = assessedOr(nodes, []).flatMap(({ labels, currentConfig }) => {
    const pool = poolOfNode(labels, pools) ?? "";
    const target = targets.get(pool) ?? "";
    const isQueued = affected.has(pool) && currentConfig !== "" && target !== "" && currentConfig !== target;
    return isQueued ? [currentConfig, target] : [];
  });
  return [...new Set(names)];
}

/** The informers that an assessment of the impact reads. */
export const impactInformers: readonly InformerSpec[] = [
  poolInformer,
  impactNodeInformer,
  disruptionPolicyInformer,
  kubeVirtInformer,
  vmInformer,
  budgetInformer,
  kubeletConfigInformer,
];

const health: InformerSpec["projection"] = {
  keep: "members",
  members: [
    ["metadata", "name"],
    ["metadata", "namespace"],
    ["status", "conditions"],
  ],
};

/** The KubeDescheduler `cluster`, with its health only. */
export const deschedulerHealthInformer: InformerSpec = {
  apiVersion: "operator.openshift.io/v1",
  kind: "KubeDescheduler",
  name: "cluster",
  projection: health,
};

/** One informer per API version. The older one runs only if the newer one is not served. */
export const hcoHealthInformers: readonly InformerSpec[] = hcoInformers("", health);

/** The informers that a diagnosis of a rollout reads. Includes those of the impact. */
export const rolloutInformers: readonly InformerSpec[] = [
  ...impactInformers,
  machineConfigNodeInformer,
  migrationInformer,
  deschedulerHealthInformer,
  ...hcoHealthInformers,
];
