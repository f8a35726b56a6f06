// Diagnoses every pool of a cluster from one list per kind, with the user's permissions.

import { isRolloutOpen, rolloutChanges } from "@virt/advisor";
import type { KubeObject, RolloutFinding, RolloutStatus, VirtPlatformConfig } from "@virt/api";
import { chooseHyperConverged, infrastructureInformer, kindInformer, poolInformer } from "@virt/cluster";
import {
  type Assessment,
  assessed,
  assessedOr,
  changeOfPool,
  type DoctorFacts,
  diagnoseOnce,
  drainGaps,
  drainingNodes,
  hcoHealthInformers,
  notAssessed,
  rolloutInformers,
} from "@virt/impact";
import { type Client, Discovery, type InformerSpec } from "@virt/kube";
import { DrainedPods } from "./drained-pods.ts";
import { assessList, collectDoctorFacts, findDiagnosisGaps, type ListFacts } from "./impact-facts.ts";
import { listOnce } from "./informer-lists.ts";

/** The diagnosis of all rollouts in a cluster at one time. */
export type ClusterDiagnosis = {
  readonly rollout: RolloutStatus;
  /** Causes that have not lasted long enough to be findings. The advisor reports them if they persist. */
  readonly young: readonly RolloutFinding[];
  /** All pools of the cluster, including those that were not requested. */
  readonly pools: readonly string[];
  /** Inputs that could not be read. They produce no findings. */
  readonly notAssessed: readonly DiagnosisGap[];
};

/** An input that could not be read. */
export type DiagnosisGap = { readonly kind: string; readonly reason: string; readonly message: string };

export type ClusterDiagnosisOptions = {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** The configs whose rollouts provide the changes and their start times. */
  readonly configs: readonly VirtPlatformConfig[];
  /** All configs, for their restart samples. Default: `configs`. */
  readonly observers?: readonly VirtPlatformConfig[];
  /** Undefined: all pools. */
  readonly pools: ReadonlySet<string> | undefined;
  readonly now: number;
};

const machineConfigInformer = kindInformer("machineconfiguration.openshift.io/v1", "MachineConfig");

/** Diagnoses the pools without writing anything. An input that cannot be read becomes a gap, not an error. */
export async function diagnoseCluster(options: ClusterDiagnosisOptions): Promise<ClusterDiagnosis> {
  const { client, signal, configs, now } = options;
  const discovery = new Discovery(client);
  const list = async (spec: InformerSpec) => assessList(await listOnce(spec, { client, discovery, signal }));
  const isRolling = configs.some(({ status = {} }) => isRolloutOpen(status));
  const specs = [...rolloutInformers, infrastructureInformer, ...(isRolling ? [machineConfigInformer] : [])];
  const lists = new Map(await Promise.all(specs.map(async (spec) => [spec, await list(spec)] as const)));
  const of = (spec: InformerSpec): Assessment<readonly KubeObject[]> => lists.get(spec) ?? notAssessed("Unavailable");
  const facts = collectClusterFacts(of, options);
  const draining = drainingNodes(facts);
  const podLists = new DrainedPods({ isPatient: false });
  const drainedPods = await podLists.load(draining, { sender: client, signal, now });
  const refusal = podLists.refusalFor(draining, now);
  const pods = refusal === undefined ? assessed(drainedPods) : notAssessed(refusal.reason, refusal.message);
  const gaps = [...facts.notAssessed, ...findDiagnosisGaps([["Pod", pods]])];
  const { rollout, young } = diagnoseOnce({ ...facts, drainedPods, notAssessed: gaps });
  const missing = [...gaps, ...drainGaps({ ...facts, drainedPods })];
  return {
    rollout,
    young,
    pools: assessedOr(of(poolInformer), [])
      .map(({ metadata }) => metadata.name)
      .toSorted(),
    notAssessed: missing.map(({ what, reason, message }) => ({ kind: what, reason, message })),
  };
}

/** Collects the facts of the requested pools. The caller adds the pods of draining nodes, or their gap. */
export function collectClusterFacts(
  list: ListFacts,
  { configs, observers = configs, pools, now }: Omit<ClusterDiagnosisOptions, "client" | "signal">,
): DoctorFacts {
  const rolling = configs.filter(({ status = {} }) => isRolloutOpen(status));
  const served = hcoHealthInformers.find((spec) => list(spec).isAssessed);
  const hco = served && chooseHyperConverged(assessedOr(list(served), []), "");
  const machineConfigs = list(machineConfigInformer);
  const listed = assessedOr(list(poolInformer), []);
  const asked = listed.filter(({ metadata }) => pools?.has(metadata.name) ?? true);
  const names = new Set(asked.map(({ metadata }) => metadata.name));
  const live = ({ name }: { readonly name: string }) =>
    machineConfigs.isAssessed ? machineConfigs.value.find(({ metadata }) => metadata.name === name) : "unknown";
  const ours = rolling
    .flatMap((config) => rolloutChanges(config, live, listed))
    .map((change) => ({ ...change, pools: change.pools.filter((pool) => names.has(pool)) }));
  const facts = collectDoctorFacts({
    disruption: [],
    renderedOf: () => undefined,
    list,
    hco: hco?.kind === "found" ? hco.object : undefined,
    now,
    changes: [...ours, ...asked.map(changeOfPool)],
    areVmsNamed: true,
  });
  return {
    ...facts,
    before: historyOf(configs),
    observedRollouts: observers.flatMap(({ status }) => status?.rollout ?? []),
    notAssessed: [
      ...facts.notAssessed,
      ...(rolling.length === 0 ? [] : findDiagnosisGaps([[machineConfigInformer.kind, machineConfigs]])),
    ],
  };
}

/** Merges the recorded rollouts of all configs, because they have the start times of node phases and findings. */
function historyOf(configs: readonly VirtPlatformConfig[]): RolloutStatus | undefined {
  const rollouts = configs.flatMap(({ status }) => status?.rollout ?? []);
  if (rollouts.length === 0) return undefined;
  return {
    summary: "",
    pools: rollouts.flatMap(({ pools }) => pools),
    nodes: rollouts.flatMap(({ nodes }) => nodes),
    findings: rollouts.flatMap(({ findings }) => findings),
    more: { pools: 0, nodes: 0, findings: 0 },
  };
}
