// The facts that findings are made of, and the pools of a rollout with their nodes, each with its phase.

import type { FindingSeverity, ImpactGap, KubeObject, NodeRolloutPhase, RolloutStatus } from "@virt/api";
import { asList, asText, at, compareUtf8, member } from "@virt/engine";
import { poolOfNode } from "@virt/facts";
import type { ImpactFacts } from "../assess-impact.ts";
import { type Assessment, assessedOr } from "../assessed.ts";
import { type NodeFact, rolloutNodeOf } from "../nodes.ts";
import type { PodFact } from "../pods.ts";
import { inRolloutOrder } from "../rollout.ts";
import type { FindingId } from "./catalogue.ts";
import type { DrainErrors } from "./drain-errors.ts";
import { type MachineConfigNodeFact, phaseStartOf } from "./machine-config-nodes.ts";
import type { MigrationFact } from "./migrations.ts";
import { phaseOfNode } from "./node-phase.ts";
import { phaseKey, type Sightings, type SightingTimes } from "./sightings.ts";
import type { FindingObject, TemplateValues } from "./text-templates.ts";

/** A MachineConfig that was written, and that pools have to roll out. */
export type RolloutChange = {
  readonly machineConfig: string;
  readonly operation: "Apply" | "Delete";
  readonly pools: readonly string[];
  /** See `hasKubeletDropIn`. */
  readonly hasKubeletDropIn: boolean;
  /** Pools that list the MachineConfig but still aim at a configuration from before the change. */
  readonly unrenderedPools?: readonly string[];
  /** The plan applied the MachineConfig, and another client deleted it: no node can reach the plan's target. */
  readonly isTargetGone?: boolean;
  /** The config and the item that wait for the deleted target. */
  readonly waiting?: { readonly config: string; readonly item: string };
};

/** All that a diagnosis is made of. What impact and diagnosis have in common is read once. */
export type DoctorFacts = Omit<ImpactFacts, "assessedAt" | "pods" | "restartSamples" | "kubeletConfigs"> & {
  /** Milliseconds, by our own clock. */
  readonly now: number;
  readonly changes: readonly RolloutChange[];
  readonly machineConfigNodes: Assessment<readonly MachineConfigNodeFact[]>;
  readonly migrations: Assessment<readonly MigrationFact[]>;
  /** The pods of the nodes that drain (see `drainingNodes`), by node. A node is absent while its pods have not been listed. */
  readonly drainedPods: ReadonlyMap<string, readonly PodFact[]>;
  readonly drainErrors: DrainErrors;
  readonly kubeletConfigs: readonly KubeObject[];
  /** HyperConverged, KubeVirt and KubeDescheduler, as far as they are there. */
  readonly operators: readonly KubeObject[];
  /** The last diagnosis, written or not; a process that has just started takes the status that is stored. */
  readonly before: RolloutStatus | undefined;
  /** The rollouts of all configs, for their restart samples. */
  readonly observedRollouts?: readonly RolloutStatus[];
  /** As the diagnosis before gave them; empty after a start. */
  readonly sightings: SightingTimes;
  /** As the diagnosis before gave them; absent after a start. */
  readonly ranVms?: ReadonlySet<string>;
  /** The inputs that could not be read. */
  readonly notAssessed: readonly ImpactGap[];
  /** Whether names of VMs may be shown. */
  readonly areVmsNamed: boolean;
  /** Whether nobody has watched: then times that others wrote tell how long something has lasted at least. */
  readonly isUnwatched?: boolean;
};

/** One thing that may hold the rollout, whatever its age. */
export type RolloutCause = {
  readonly id: FindingId;
  readonly node?: string;
  readonly object: FindingObject;
  readonly values: TemplateValues;
  /** For the command; only names of objects. */
  readonly names?: Readonly<Record<string, string>>;
  /** Instead of what the catalogue says. */
  readonly severity?: FindingSeverity;
  readonly ageSeconds?: number;
  /** Milliseconds, where it is known better than by its first sight. */
  readonly since?: number;
  /** Milliseconds: when it began at the latest, as others report. It counts only where nobody has watched. */
  readonly reportedSince?: number;
};

/** A node of a pool that rolls out, with its phase. */
export type NodeView = {
  readonly node: NodeFact;
  readonly phase: NodeRolloutPhase;
  /** Milliseconds: the first sight of the phase. */
  readonly since: number;
  /** False while the node takes an earlier target of its pool. */
  readonly isForTarget: boolean;
  readonly report: MachineConfigNodeFact | undefined;
};

/** A pool that rolls out; its object is undefined where there is none. */
export type PoolView = {
  readonly name: string;
  readonly object: KubeObject | undefined;
  readonly target: string;
  readonly changes: readonly RolloutChange[];
  /** In the order of their start. */
  readonly nodes: readonly NodeView[];
};

/** The part of the facts that pools and the phases of their nodes follow from. */
export type PoolFacts = Pick<DoctorFacts, "changes" | "pools" | "nodes" | "machineConfigNodes">;

/** The pools of the changes, by name. */
export function viewPools(facts: PoolFacts, sightings: Sightings): readonly PoolView[] {
  const names = [...new Set(facts.changes.flatMap(({ pools }) => pools))].toSorted(compareUtf8);
  const reports = new Map(assessedOr(facts.machineConfigNodes, []).map((report) => [report.name, report]));
  const members = Map.groupBy(assessedOr(facts.nodes, []), ({ labels }) => poolOfNode(labels, facts.pools));
  return names.map((name) => {
    const object = facts.pools.find(({ metadata }) => metadata.name === name);
    const target = asText(at(object, "spec", "configuration", "name")) ?? "";
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

/** Returns the phase of a node. A node that has reached a target from before the changes still waits for them. */
export function phaseForChanges(
  node: NodeFact,
  { target, isRendered }: { readonly target: string; readonly isRendered: boolean },
  report: MachineConfigNodeFact | undefined,
): NodeRolloutPhase {
  const reached = phaseOfNode(node, target, report);
  return reached === "Done" && !isRendered ? "Waiting" : reached;
}

/** Reports whether the pool's target is rendered with the MachineConfig, or without it if the change deletes it. */
export function isTakenUp(change: RolloutChange, pool: KubeObject | undefined): boolean {
  const { machineConfig, operation, unrenderedPools = [], isTargetGone = false } = change;
  if (pool === undefined || isTargetGone || unrenderedPools.includes(pool.metadata.name)) return false;
  const sources = asList(at(pool, "spec", "configuration", "source")).map((each) => member(each, "name"));
  return sources.includes(machineConfig) === (operation === "Apply");
}

/** The namespace of KubeVirt's components. */
export function hcoNamespaceOf({ operators }: DoctorFacts): string {
  return operators.find(({ kind }) => kind === "HyperConverged")?.metadata.namespace ?? "openshift-cnv";
}

const kubeletPaths = [
  "/etc/openshift/kubelet.conf.d/",
  "/etc/kubernetes/kubelet",
  "/etc/systemd/system/kubelet.service.d/",
];

/** Whether a MachineConfig changes how the kubelet starts. */
export function hasKubeletDropIn(machineConfig: KubeObject | undefined): boolean {
  const config = at(machineConfig, "spec", "config");
  const files = asList(at(config, "storage", "files")).map((file) => asText(member(file, "path")) ?? "");
  const units = asList(at(config, "systemd", "units")).map((unit) => asText(member(unit, "name")) ?? "");
  return (
    units.includes("kubelet.service") || files.some((path) => kubeletPaths.some((start) => path.startsWith(start)))
  );
}
