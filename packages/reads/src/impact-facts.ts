// What an impact is assessed by, gathered: lists that somebody follows or made once, and what is read one by one.

import type { KubeObject, RolloutStatus, VirtPlatformConfig } from "@virt/api";
import { oncePer } from "@virt/engine";
import { configInformer, infrastructureInformer, poolInformer } from "@virt/facts";
import {
  type Assessment,
  assessed,
  assessedOr,
  boundPlacements,
  budgetInformer,
  disruptionPolicyInformer,
  type ImpactFacts,
  impactNodeInformer,
  kubeletConfigInformer,
  kubeVirtInformer,
  notAssessed,
  readBudgetFact,
  readClusterShape,
  readDisruptionPolicies,
  readNodeFact,
  readVirtSettings,
  readVmFact,
  restartSamplesByPool,
  vmInformer,
} from "@virt/impact";
import type { InformerSpec } from "@virt/kube";
import type { ImpactReads } from "./impact-reads.ts";
import type { ListAnswer } from "./list-once.ts";

/** All objects that an informer would show, or why nobody knows them. */
export type ListFacts = (spec: InformerSpec) => Assessment<readonly KubeObject[]>;

export type ImpactSources = Pick<ImpactFacts, "assessedAt" | "disruption" | "renderedOf"> & {
  readonly list: ListFacts;
  readonly hco: KubeObject | undefined;
  readonly reads: ImpactReads;
};

// Thousands of VMs, of which few are others than a moment ago, and mostly none.
const nodeFacts = oncePerList(readNodeFact);
const vmFacts = oncePerList(readVmFact);
const budgetFacts = oncePerList(readBudgetFact);

function oncePerList<Fact>(read: (object: KubeObject) => Fact): (objects: readonly KubeObject[]) => readonly Fact[] {
  const fact = oncePer(read);
  return oncePer((objects: readonly KubeObject[]) => objects.map(fact));
}

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
    // Without its pools nobody knows which nodes a write reaches.
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

/** What all configs observed. If they cannot be read, a prediction has its defaults. */
function rolloutsOf(configs: Assessment<readonly KubeObject[]>): readonly RolloutStatus[] {
  const known = assessedOr(configs, []) as unknown as readonly VirtPlatformConfig[];
  return known.flatMap(({ status }) => status?.rollout ?? []);
}

/** What the cluster does instead of reboots. */
export function listPolicies(list: ListFacts): ImpactFacts["policies"] {
  return mapped(list(disruptionPolicyInformer), ([found]) => readDisruptionPolicies(found));
}

function mapped<From, To>(from: Assessment<From>, change: (value: From) => To): Assessment<To> {
  return from.isAssessed ? assessed(change(from.value)) : from;
}

function isMissing(input: Assessment<unknown>): boolean {
  return !input.isAssessed && input.reason === "NotServed";
}

/** A list that was made once. */
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
