import type { KubeObject, RolloutStatus, VirtPlatformConfig } from "@virt/api";
import {
  budgetInformer,
  configInformer,
  impactNodeInformer,
  infrastructureInformer,
  kubeletConfigInformer,
  kubeVirtInformer,
  poolInformer,
  readBudgetFact,
  readClusterShape,
  readNodeFact,
  readVirtSettings,
  readVmFact,
  vmInformer,
} from "@virt/cluster";
import {
  type Assessment,
  assessed,
  assessedOr,
  boundPlacements,
  disruptionPolicyInformer,
  type ImpactFacts,
  notAssessed,
  readDisruptionPolicies,
  restartSamplesByPool,
} from "@virt/impact";
import type { InformerSpec } from "@virt/kube";
import { oncePer } from "@virt/objects";
import type { ImpactReads } from "./impact-reads.ts";
import type { ListAnswer } from "./list-once.ts";

/** Returns all objects of an informer, or the reason why they are unknown. */
export type ListFacts = (spec: InformerSpec) => Assessment<readonly KubeObject[]>;

export type ImpactSources = Pick<ImpactFacts, "assessedAt" | "disruption" | "renderedOf"> & {
  readonly list: ListFacts;
  readonly hco: KubeObject | undefined;
  readonly reads: ImpactReads;
};

// Caches facts per object and per list, because a cluster has thousands of VMs and only a few change at a time.
const nodeFacts = oncePerList(readNodeFact);
const vmFacts = oncePerList(readVmFact);
const budgetFacts = oncePerList(readBudgetFact);

function oncePerList<Fact>(read: (object: KubeObject) => Fact): (objects: readonly KubeObject[]) => readonly Fact[] {
  const fact = oncePer(read);
  return oncePer((objects: readonly KubeObject[]) => objects.map(fact));
}

/** Combines the facts that are known. An input that cannot be read is marked as not assessed. */
export function collectImpactFacts({ list, hco, reads, ...given }: ImpactSources): ImpactFacts {
  const pools = list(poolInformer);
  const fallbackSettings = readVirtSettings(undefined, hco);
  const kubeletConfigs = list(kubeletConfigInformer);
  const nodes = list(impactNodeInformer);
  const knownNodes = nodes.isAssessed ? nodeFacts(nodes.value) : [];
  const kubevirts = mapped(list(kubeVirtInformer), (found) => readVirtSettings(found[0], hco));
  return {
    ...given,
    pools: pools.isAssessed ? pools.value : [],
    // Without pools, it is unknown which nodes a write affects, so nodes count as not assessed.
    nodes: pools.isAssessed ? mapped(nodes, nodeFacts) : pools,
    policies: listPolicies(list),
    shape: mapped(list(infrastructureInformer), ([found]) => readClusterShape(found)),
    settings: isMissing(kubevirts) ? assessed(fallbackSettings) : kubevirts,
    fallbackSettings,
    vms: mapped(list(vmInformer), (found) => boundPlacements(vmFacts(found), knownNodes)),
    runStrategies: reads.runStrategies,
    budgets: mapped(list(budgetInformer), budgetFacts),
    kubeletConfigs: isMissing(kubeletConfigs) ? assessed([]) : kubeletConfigs,
    pods: reads.pods,
    restartSamples: restartSamplesByPool(rolloutsOf(list(configInformer))),
  };
}

/** Returns the rollouts that configs recorded. If there are none, predictions use defaults. */
function rolloutsOf(configs: Assessment<readonly KubeObject[]>): readonly RolloutStatus[] {
  const known = assessedOr(configs, []) as unknown as readonly VirtPlatformConfig[];
  return known.flatMap(({ status }) => status?.rollout ?? []);
}

/** Returns the node disruption policies, which can replace a reboot with a lesser disruption. */
export function listPolicies(list: ListFacts): ImpactFacts["policies"] {
  return mapped(list(disruptionPolicyInformer), ([found]) => readDisruptionPolicies(found));
}

function mapped<From, To>(from: Assessment<From>, change: (value: From) => To): Assessment<To> {
  return from.isAssessed ? assessed(change(from.value)) : from;
}

function isMissing(input: Assessment<unknown>): boolean {
  return !input.isAssessed && input.reason === "NotServed";
}

export function assessList(answer: ListAnswer): Assessment<readonly KubeObject[]> {
  switch (answer.kind) {
    case "listed":
      return assessed(answer.items);
    case "not-served":
      return notAssessed("NotServed");
    case "failed":
      return notAssessed(answer.reason, answer.message);
  }
}
