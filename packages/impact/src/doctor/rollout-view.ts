// The inputs of a diagnosis, and a view of the pools of a rollout and of their nodes with their phases.

import type { FindingSeverity, ImpactGap, KubeObject, NodeRolloutPhase, RolloutStatus } from "@virt/api";
import {
  type MachineConfigNodeFact,
  type MigrationFact,
  type NodeFact,
  type PodFact,
  phaseStartOf,
  poolOfNode,
  readMachineConfig,
  readMachineConfigPool,
  updateSteps,
} from "@virt/cluster";
import { asText, compareUtf8, member } from "@virt/objects";
import type { ImpactFacts } from "../assess-impact.ts";
import { type Assessment, assessedOr } from "../assessed.ts";
import { inRolloutOrder, rolloutNodeOf } from "../rollout.ts";
import type { FindingId, FindingObject, TemplateValues } from "./catalogue.ts";
import type { DrainErrors } from "./drain-errors.ts";
import { phaseKey, type Sightings, type SightingTimes } from "./sightings.ts";

/** A MachineConfig write that pools must roll out. */
export type RolloutChange = {
  readonly machineConfig: string;
  readonly operation: "Apply" | "Delete";
  readonly pools: readonly string[];
  readonly hasKubeletDropIn: boolean;
  /** Pools that list the MachineConfig, but whose target config does not contain the change yet. */
  readonly unrenderedPools?: readonly string[];
  /** Set if another client deleted the applied MachineConfig, so that the nodes cannot reach the planned state. */
  readonly isTargetGone?: boolean;
  /** The config, and its item that is waiting for the deleted target. */
  readonly waiting?: { readonly config: string; readonly item: string };
};

/** The inputs of a diagnosis. Includes inputs of an impact assessment, so that they are read only once. */
export type DoctorFacts = Omit<ImpactFacts, "assessedAt" | "pods" | "restartSamples" | "kubeletConfigs"> & {
  /** The current time in milliseconds, by the operator's clock. */
  readonly now: number;
  readonly changes: readonly RolloutChange[];
  readonly machineConfigNodes: Assessment<readonly MachineConfigNodeFact[]>;
  readonly migrations: Assessment<readonly MigrationFact[]>;
  /** The pods on draining nodes (see `drainingNodes`). The pods on nodes without an entry have not been listed yet. */
  readonly drainedPods: ReadonlyMap<string, readonly PodFact[]>;
  readonly drainErrors: DrainErrors;
  readonly kubeletConfigs: readonly KubeObject[];
  /** The existing HyperConverged, KubeVirt and KubeDescheduler objects. */
  readonly operators: readonly KubeObject[];
  /** The last diagnosis, even if it was not written. After a restart, the diagnosis in the status. */
  readonly before: RolloutStatus | undefined;
  readonly observedRollouts?: readonly RolloutStatus[];
  /** From the previous diagnosis. Empty after a restart. */
  readonly sightings: SightingTimes;
  /** From the previous diagnosis. Absent after a restart. */
  readonly ranVms?: ReadonlySet<string>;
  readonly notAssessed: readonly ImpactGap[];
  /** True if VM names may be shown. */
  readonly areVmsNamed: boolean;
  /** True if there is no watch. Ages are then measured from times that other components report. */
  readonly isUnwatched?: boolean;
};

export type RolloutCause = {
  readonly id: FindingId;
  readonly node?: string;
  readonly object: FindingObject;
  readonly values: TemplateValues;
  /** The object names to insert into the command. */
  readonly names?: Readonly<Record<string, string>>;
  /** Overrides the severity in the catalogue. */
  readonly severity?: FindingSeverity;
  readonly ageSeconds?: number;
  /** When the cause started, in milliseconds, if this is known more precisely than from the first sighting. */
  readonly since?: number;
  /** The latest possible start that other components report, in milliseconds. Used only without a watch. */
  readonly reportedSince?: number;
};

export type NodeView = {
  readonly node: NodeFact;
  readonly phase: NodeRolloutPhase;
  readonly since: number;
  /** False if the node is still updating to an earlier target config of its pool. */
  readonly isForTarget: boolean;
  readonly report: MachineConfigNodeFact | undefined;
};

/** A pool in a rollout. `object` is undefined if the pool does not exist. */
export type PoolView = {
  readonly name: string;
  readonly object: KubeObject | undefined;
  readonly target: string;
  readonly changes: readonly RolloutChange[];
  readonly nodes: readonly NodeView[];
};

/** The facts about the progress of pools and nodes, without those about causes. */
export type PoolFacts = Pick<DoctorFacts, "changes" | "pools" | "nodes" | "machineConfigNodes">;

export function viewPools(facts: PoolFacts, sightings: Sightings): readonly PoolView[] {
  const names = [...new Set(facts.changes.flatMap(({ pools }) => pools))].toSorted(compareUtf8);
  const reports = new Map(assessedOr(facts.machineConfigNodes, []).map((report) => [report.name, report]));
  const members = Map.groupBy(assessedOr(facts.nodes, []), ({ labels }) => poolOfNode(labels, facts.pools));
  return names.map((name) => {
    const object = facts.pools.find(({ metadata }) => metadata.name === name);
    const target = (object && readMachineConfigPool(object).target.name) ?? "";
    const inOrder = (object === undefined ? [] : (members.get(name) ?? []))
      .map((node) => ({ node, place: rolloutNodeOf(node) }))
      .toSorted((left, right) => inRolloutOrder(left.place, right.place));
    const changes = facts.changes.filter(({ pools }) => pools.includes(name));
    const isRendered = changes.every((change) => isTakenUp(change, object));
    const nodes = inOrder.map(({ node }) => {
      const report = reports.get(node.name);
      const phase = phaseForChanges(node, { target, isRendered }, report);
      const since = sightings.seeSince(phaseKey(node.name, phase), report && phaseStartOf(report, phase));
      return { node, phase, since, isForTarget: node.desiredConfig === target, report };
    });
    return { name, object, target, changes, nodes };
  });
}

/** Returns the phase of a node. A node whose target config does not contain the changes counts as waiting. */
export function phaseForChanges(
  node: NodeFact,
  { target, isRendered }: { readonly target: string; readonly isRendered: boolean },
  report: MachineConfigNodeFact | undefined,
): NodeRolloutPhase {
  const reached = phaseOfNode(node, target, report);
  return reached === "Done" && !isRendered ? "Waiting" : reached;
}

/**
 * Reports whether the pool's target config reflects the change: it lists the MachineConfig, or after a deletion, does
 * not list it.
 */
export function isTakenUp(change: RolloutChange, pool: KubeObject | undefined): boolean {
  const { machineConfig, operation, unrenderedPools = [], isTargetGone = false } = change;
  if (pool === undefined || isTargetGone || unrenderedPools.includes(pool.metadata.name)) return false;
  return readMachineConfigPool(pool).target.sources.includes(machineConfig) === (operation === "Apply");
}

export function hcoNamespaceOf({ operators }: DoctorFacts): string {
  return operators.find(({ kind }) => kind === "HyperConverged")?.metadata.namespace ?? "openshift-cnv";
}

const kubeletPaths = [
  "/etc/openshift/kubelet.conf.d/",
  "/etc/kubernetes/kubelet",
  "/etc/systemd/system/kubelet.service.d/",
];

/** Reports whether a MachineConfig changes how the kubelet starts. */
export function hasKubeletDropIn(machineConfig: KubeObject | undefined): boolean {
  const { files, units } = readMachineConfig(machineConfig);
  const paths = files.map((file) => asText(member(file, "path")) ?? "");
  return (
    units.some((unit) => member(unit, "name") === "kubelet.service") ||
    paths.some((path) => kubeletPaths.some((start) => path.startsWith(start)))
  );
}

/** Returns the first phase that applies. A cordoned node first completes the update to an earlier target config. */
function phaseOfNode(node: NodeFact, target: string, report: MachineConfigNodeFact | undefined): NodeRolloutPhase {
  const { currentConfig, desiredConfig, desiredDrain, lastAppliedDrain } = node;
  if (isDegraded(node, report)) return "Degraded";
  if (currentConfig === desiredConfig && node.state === "Done") return desiredConfig === target ? "Done" : "Waiting";
  if (desiredConfig !== target && (currentConfig === "" || desiredConfig === "")) return "Waiting";
  const isDrainOpen = desiredDrain !== lastAppliedDrain;
  if (isUncordonAsked(node) && (isDrainOpen || currentConfig !== desiredConfig)) return "Uncordoning";
  if (
    node.postConfigAction === "Rebooting" ||
    currentReport(node, report)?.conditions.RebootedNode?.status === "Unknown"
  )
    return "Rebooting";
  return isDrainOpen && desiredDrain.startsWith("drain-") ? "Draining" : "Applying";
}

// The daemon waits until the node is uncordoned before it sets Done. See `completeUpdate` in pkg/daemon/daemon.go of
// openshift/machine-config-operator at 7ff337a.
function isUncordonAsked({ desiredDrain, desiredConfig }: NodeFact): boolean {
  return desiredDrain === `uncordon-${desiredConfig}`;
}

/**
 * Errors that the daemon reports after 1 hour of draining, or 10 minutes of waiting to be uncordoned. Other findings
 * explain their causes.
 */
const waitFailures = ["failed to drain node", "failed to uncordon node"];

function isDegraded(node: NodeFact, report: MachineConfigNodeFact | undefined): boolean {
  const isReported = currentReport(node, report)?.conditions.NodeDegraded?.status === "True";
  const isFailed = node.state === "Degraded" || node.state === "Unreconcilable" || isReported;
  const reason = degradedReason(node, report);
  return isFailed && !waitFailures.some((failure) => reason.includes(failure));
}

/** Returns the daemon's reason, or an empty string. */
export function degradedReason(node: NodeFact, report: MachineConfigNodeFact | undefined): string {
  return node.reason || (currentReport(node, report)?.conditions.NodeDegraded?.message ?? "");
}

/** Returns the node's report, or undefined if it is about an earlier update. */
function currentReport(
  { desiredConfig }: NodeFact,
  report: MachineConfigNodeFact | undefined,
): MachineConfigNodeFact | undefined {
  return report?.desiredConfig === desiredConfig ? report : undefined;
}

/** Returns the current step of the daemon, or undefined if unknown. */
export function stepOfNode(node: NodeFact, report: MachineConfigNodeFact | undefined): string | undefined {
  const conditions = currentReport(node, report)?.conditions ?? {};
  return updateSteps.find((step) => conditions[step]?.status === "Unknown");
}

export function isInHand(phase: NodeRolloutPhase): boolean {
  return phase === "Draining" || phase === "Applying" || phase === "Rebooting" || phase === "Uncordoning";
}
