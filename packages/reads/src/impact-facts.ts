// Collects the facts of an impact assessment and of a diagnosis, from informers or from one-time lists, and the inputs
// that could not be read.

import type { ImpactGap, KubeObject, RolloutStatus, VirtPlatformConfig } from "@virt/api";
import {
  budgetInformer,
  configInformer,
  impactNodeInformer,
  infrastructureInformer,
  kubeletConfigInformer,
  kubeVirtInformer,
  machineConfigNodeInformer,
  migrationInformer,
  poolInformer,
  readBudgetFact,
  readClusterShape,
  readMachineConfigNodeFact,
  readMigrationFact,
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
  type DoctorFacts,
  DrainErrors,
  deschedulerHealthInformer,
  disruptionPolicyInformer,
  hcoHealthInformers,
  type ImpactFacts,
  notAssessed,
  readDisruptionPolicies,
  restartSamplesByPool,
  rolloutInformers,
} from "@virt/impact";
import type { InformerSpec } from "@virt/kube";
import { oncePer } from "@virt/objects";
import { ImpactReads } from "./impact-reads.ts";
import type { ListAnswer } from "./informer-lists.ts";

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

// Caches facts per object, because a cluster has hundreds of nodes and only a few change at a time.
const reportFact = oncePer(readMachineConfigNodeFact);
const migrationFact = oncePer(readMigrationFact);

export type DoctorSources = Pick<ImpactSources, "disruption" | "renderedOf" | "list" | "hco"> &
  Pick<DoctorFacts, "now" | "changes" | "areVmsNamed">;

/** Collects the facts. The caller adds the history, the pods of draining nodes, drain errors and its own gaps. */
export function collectDoctorFacts({ disruption, renderedOf, list, hco, ...given }: DoctorSources): DoctorFacts {
  const facts = collectImpactFacts({ assessedAt: "", disruption, renderedOf, list, hco, reads: new ImpactReads() });
  const [reports, migrations] = [list(machineConfigNodeInformer), list(migrationInformer)];
  const listed = (...specs: readonly InformerSpec[]) => specs.flatMap((spec) => assessedOr(list(spec), []));
  // The profiles' cache has no status of the HyperConverged, but it is sufficient to find the namespace.
  const health = listed(...hcoHealthInformers).find(({ metadata }) => metadata.namespace === hco?.metadata.namespace);
  return {
    ...facts,
    ...given,
    // Run strategies do not affect the drain of a VM.
    runStrategies: assessed(new Map()),
    machineConfigNodes: reports.isAssessed ? assessed(reports.value.map(reportFact)) : reports,
    migrations: migrations.isAssessed ? assessed(migrations.value.map(migrationFact)) : migrations,
    drainedPods: new Map(),
    drainErrors: new DrainErrors(),
    kubeletConfigs: listed(kubeletConfigInformer),
    operators: [...listed(kubeVirtInformer, deschedulerHealthInformer), ...[health ?? hco].flatMap((one) => one ?? [])],
    before: undefined,
    sightings: new Map(),
    notAssessed: findDiagnosisGaps(
      [...rolloutInformers, infrastructureInformer].map((spec) => [spec.kind, list(spec)] as const),
    ),
  };
}

/** An input: a list or a single read of a kind. A kind with several API versions has one input for each version. */
export type DiagnosisInput = readonly [kind: string, input: Assessment<unknown>];

/** Returns one gap for each kind of which no version could be read, in the order of the inputs. */
export function findDiagnosisGaps(inputs: readonly DiagnosisInput[]): readonly ImpactGap[] {
  return [...Map.groupBy(inputs, ([kind]) => kind)].flatMap(([kind, versions]) => {
    const gaps = versions.flatMap(([, input]) => (input.isAssessed || isNoLoss(kind, input.reason) ? [] : [input]));
    if (versions.some(([, input]) => input.isAssessed)) return [];
    // A version that is not watched has reason Listing, so the reason of another version is more useful.
    const gap = gaps.find(({ reason }) => reason !== "Listing") ?? gaps[0];
    return gap === undefined ? [] : [{ what: kind, reason: gap.reason, message: gap.message }];
  });
}

/** Reports whether the gap can be ignored: if the cluster does not serve the kind, there is nothing to check. */
function isNoLoss(kind: string, reason: string): boolean {
  return reason === "NotServed" && kind !== "MachineConfigPool";
}
