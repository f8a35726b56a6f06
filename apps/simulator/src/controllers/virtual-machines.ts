// Starts VMIs, marks those that must leave their node, stops those that cannot migrate, and updates their status.

import { readController, readRunStrategy, readVmFact, requestOf } from "@virt/cluster";
import { asList, asNumber, asText, at, type JsonMap, type KubeObject, member, readTime } from "@virt/objects";
import {
  type ClusterState,
  faultOf,
  findNamespaced,
  type SimulatedCondition,
  simulatedMs,
  withTransitionTimes,
} from "../cluster-state.ts";
import { isVirtApiDown } from "../drains.ts";
import {
  evictionOf,
  isDraining,
  isDrainNeeded,
  isFinishedMachine,
  isMarkedForEviction,
  migrationObstacle,
  namespacedName,
  nodeOfMachine,
} from "../evictions.ts";
import { isReady, readNode } from "../node-state.ts";
import type { ObjectWrite } from "../object-writes.ts";
import { firstNodeAnnotation, lastMigrationOf } from "../objects/machines.ts";
import { findNode, type Placement, statusPhase } from "../placement.ts";
import type { SimulatedTimers } from "../simulated-timers.ts";

export type KubevirtContext = {
  readonly cluster: ClusterState;
  readonly timers: SimulatedTimers;
  readonly placement: Placement;
};

/** Updates all VMIs except `moving`, whose status was already written in this round because they migrated. */
export function reconcileMachines(round: KubevirtContext, moving: ReadonlySet<string>): readonly ObjectWrite[] {
  return round.cluster
    .list("VirtualMachineInstance")
    .filter((machine) => !isFinishedMachine(machine) && !moving.has(namespacedName(machine)))
    .map((machine) =>
      nodeOfMachine(machine) === undefined ? startMachine(round, machine) : reconcileMachine(round, machine),
    );
}

function startMachine({ cluster, placement }: KubevirtContext, machine: KubeObject): ObjectWrite {
  const isNew = statusPhase(machine) === "";
  const wanted = isNew ? machine.metadata.annotations?.[firstNodeAnnotation] : undefined;
  if (wanted !== undefined) placement.reserve(wanted, machine);
  const node = wanted ?? placement.chooseNode(machine);
  if (node === undefined)
    return machineWrite(machine, { phase: "Scheduling", conditions: machineConditions(cluster, machine, undefined) });
  const migrationState = lastMigrationOf(cluster.scenario, machine.metadata, readTime(cluster.timestamp) ?? 0);
  const status = {
    phase: faultOf(machine, "stays") ?? "Running",
    nodeName: node,
    memory: machineMemory(cluster, machine),
    ...(migrationState !== undefined && { migrationState }),
    conditions: machineConditions(cluster, machine, node),
  };
  const hasOwner = readController(machine) !== undefined;
  // Does not report the first start of each VM, because there are hundreds.
  const isReported = !isNew || (hasOwner && cluster.createdKeys.has(`restart ${namespacedName(machine)}`));
  return {
    ...machineWrite(machine, status, { "kubevirt.io/nodeName": node }),
    ...(isReported && { event: `vm ${namespacedName(machine)} starts on ${node}` }),
  };
}

const MiB = 2 ** 20;

// Since 1.9, KubeVirt reports the memory overhead in the status.
function machineMemory({ scenario }: ClusterState, machine: KubeObject): JsonMap {
  const guest = asText(at(machine, "spec", "domain", "memory", "guest")) ?? "0";
  const fact = readVmFact(machine);
  const overhead = requestOf(fact, { memoryOvercommit: 100 }) - (fact.requestedMemory ?? fact.guestMemory ?? 0);
  const hasOverhead = Number(scenario.kubevirtVersion.split(".")[1]) >= 9;
  return {
    guestAtBoot: guest,
    guestCurrent: guest,
    guestRequested: guest,
    ...(hasOverhead && { memoryOverhead: `${Math.ceil(overhead / MiB)}Mi` }),
  };
}

function reconcileMachine(round: KubevirtContext, machine: KubeObject): ObjectWrite {
  const { cluster } = round;
  const name = nodeOfMachine(machine) ?? "";
  const node = findNode(cluster, name);
  if (faultOf(machine, "never-ends") !== undefined && at(machine, "metadata", "deletionTimestamp") === undefined)
    return { kind: "delete", object: machine, manager: "kubectl-delete" };
  const isEnding = node !== undefined && isAskedToEnd(cluster, machine, node);
  if (isEnding && isShutDown(round, machine)) return endMachine(cluster, machine, name);
  const isMarked =
    node !== undefined && isDraining(cluster, node) && isMarkedForEviction(cluster, machine) && !isVirtApiDown(cluster);
  const status = {
    conditions: machineConditions(cluster, machine, name),
    ...(isMarked && { evacuationNodeName: name }), // set by the eviction webhook, kept until the VM has moved
  };
  return machineWrite(machine, status);
}

// A drain evicts the launcher pod. A reboot without a drain also ends the VM.
function isAskedToEnd(cluster: ClusterState, machine: KubeObject, node: KubeObject): boolean {
  if (isDraining(cluster, node)) return evictionOf(cluster, machine) === "shut down" && !isVirtApiDown(cluster);
  return !isDrainNeeded(cluster) && readNode(node).phase === "Rebooting" && statusPhase(machine) === "Running";
}

function isShutDown({ cluster, timers }: KubevirtContext, machine: KubeObject): boolean {
  const title = namespacedName(machine);
  const grace = asNumber(at(machine, "spec", "terminationGracePeriodSeconds")) ?? cluster.scenario.durations.shutdown;
  const seconds = Math.min(grace, cluster.scenario.durations.shutdown);
  return timers.hasElapsed(`shut down ${title}`, simulatedMs(cluster, { seconds }, "shutdown", title));
}

// A VirtualMachine creates a new VMI, and a ReplicaSet starts a replacement. A VMI without an owner stays finished.
function endMachine(cluster: ClusterState, machine: KubeObject, node: string): ObjectWrite {
  const event = `vm ${namespacedName(machine)} is shut down on ${node}`;
  const labels = { "kubevirt.io/nodeName": null };
  const restart = restartOf(cluster, machine);
  if (restart === "another")
    return {
      kind: "delete",
      object: machine,
      manager: "virt-controller",
      event,
      key: `restart ${namespacedName(machine)}`,
    };
  const status =
    restart === "same"
      ? { phase: "Scheduling", nodeName: null, evacuationNodeName: null }
      : { phase: "Succeeded", evacuationNodeName: null };
  const conditions = machineConditions(cluster, machine, undefined);
  return { ...machineWrite(machine, { ...status, conditions }, labels), event };
}

/**
 * Reports whether the VM restarts after a clean shutdown. Only run strategy Always does. If VirtualMachines are not
 * served, the scenario defines the strategy.
 */
function restartOf(cluster: ClusterState, machine: KubeObject): "another" | "same" | "none" {
  const owner = readController(machine);
  if (owner?.kind === "VirtualMachineInstanceReplicaSet") return "same";
  if (cluster.servedVersion("VirtualMachine") === undefined) {
    const { namespace, name } = machine.metadata;
    const group = cluster.scenario.vms.find(
      (each) => each.namespace === namespace && each.name === name.replace(/-[0-9]+$/, ""),
    );
    const isOwned = (group?.owner ?? "VirtualMachine") === "VirtualMachine";
    return isOwned && (group?.runStrategy ?? "Always") === "Always" ? "same" : "none";
  }
  const object = findNamespaced(cluster, "VirtualMachine", namespacedName(machine));
  return owner?.kind === "VirtualMachine" && object !== undefined && readRunStrategy(object) === "Always"
    ? "another"
    : "none";
}

export function machineConditions(
  cluster: ClusterState,
  machine: KubeObject,
  node: string | undefined,
): readonly JsonMap[] {
  const host = node === undefined ? undefined : findNode(cluster, node);
  const runs = host !== undefined && isReady(host);
  const reason = migrationObstacle(machine);
  const wanted: readonly SimulatedCondition[] = [
    runs
      ? { type: "Ready", status: "True", ...noText }
      : { type: "Ready", status: "False", reason: "GuestNotRunning", message: "Guest VM is not reported as running" },
    ...(faultOf(machine, "migratability-unknown") === undefined ? [migratableCondition(reason)] : []),
    ...(faultOf(machine, "paused") === undefined
      ? []
      : [{ type: "Paused", status: "True", reason: "PausedByUser", message: "VMI was paused by user" } as const]),
  ];
  const present = asList(at(machine, "status", "conditions"));
  const others = present.filter(
    (each) => !knownConditions.includes(asText(member(each, "type")) ?? ""),
  ) as readonly JsonMap[];
  return [...withTransitionTimes(machine, wanted, cluster.timestamp), ...others];
}

const knownConditions = ["Ready", "LiveMigratable", "Paused"];

function migratableCondition(obstacle: string | undefined): SimulatedCondition {
  return obstacle === undefined
    ? { type: "LiveMigratable", status: "True", ...noText }
    : { type: "LiveMigratable", status: "False", reason: obstacle, message: `cannot migrate VMI: ${obstacle}` };
}

const noText = { reason: "", message: "" };

export function machineWrite(machine: KubeObject, status: JsonMap, labels?: JsonMap): ObjectWrite {
  const fields = { status, ...(labels && { metadata: { labels } }) };
  return { kind: "set", object: machine, fields, manager: "virt-controller" };
}
