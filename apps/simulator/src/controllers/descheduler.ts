// The descheduler operator: status while it is in charge, and now and then a move if the scenario wants that.

import { asNumber, at, type KubeObject } from "@virt/engine";
import {
  type ClusterState,
  faultOf,
  type SimulatedCondition,
  simulatedMs,
  withTransitionTimes,
} from "../cluster-state.ts";
import { isFinishedMachine, machinesOn, migrationObstacle, nodeOfMachine } from "../evictions.ts";
import { isFinishedMigration, migrationRequest } from "../migrations.ts";
import type { ObjectWrite } from "../object-writes.ts";
import { findNode, isSchedulable, memoryOf } from "../placement.ts";
import type { SimulatedTimers } from "../simulated-timers.ts";

const manager = "cluster-kube-descheduler-operator";

export function reconcileDescheduler(cluster: ClusterState, timers: SimulatedTimers): readonly ObjectWrite[] {
  const object = cluster.list("KubeDescheduler").find(({ metadata }) => metadata.name === "cluster");
  if (object === undefined || at(object, "spec", "managementState") !== "Managed") return [];
  return [...deschedulerStatusWrite(cluster, timers, object), ...rebalanceMachines(cluster, timers, object)];
}

function conditionsOf(object: KubeObject): readonly SimulatedCondition[] {
  const failure = faultOf(object, "degrade");
  const degraded = { reason: "SyncError", message: failure || "simulated failure" } as const;
  const good = { reason: "AsExpected", message: "" } as const;
  return [
    failure === undefined
      ? { type: "TargetConfigControllerDegraded", status: "False", ...good }
      : { type: "TargetConfigControllerDegraded", status: "True", ...degraded },
    { type: "Available", status: "True", ...good },
  ];
}

function deschedulerStatusWrite(
  cluster: ClusterState,
  timers: SimulatedTimers,
  object: KubeObject,
): readonly ObjectWrite[] {
  const generation = object.metadata.generation ?? 1;
  const isKnown = asNumber(at(object, "status", "observedGeneration")) === generation;
  if (!isKnown && !timers.hasElapsed(`descheduler ${generation}`, simulatedMs(cluster, "operators", "descheduler")))
    return [];
  const status = {
    observedGeneration: generation,
    readyReplicas: 1,
    conditions: withTransitionTimes(object, conditionsOf(object), cluster.timestamp),
  };
  const event = isKnown ? {} : { event: "descheduler has carried out a change" };
  return [{ kind: "set", object, fields: { status }, isStatus: true, manager, ...event }];
}

function rebalanceMachines(cluster: ClusterState, timers: SimulatedTimers, object: KubeObject): readonly ObjectWrite[] {
  const seconds = cluster.scenario.descheduler?.evictEverySeconds;
  const isBusy = cluster.list("VirtualMachineInstanceMigration").some((migration) => !isFinishedMigration(migration));
  if (seconds === undefined || at(object, "spec", "mode") !== "Automatic" || isBusy) return [];
  const machine = chooseMachine(cluster);
  const turn = cluster.list("VirtualMachineInstanceMigration").length;
  if (
    machine === undefined ||
    !timers.hasElapsed(`rebalance ${turn}`, simulatedMs(cluster, { seconds }, "rebalance", `${turn}`))
  )
    return [];
  return [
    {
      ...migrationRequest(cluster, machine, "kubevirt-descheduler"),
      event: `descheduler moves vm ${machine.metadata.name} away from ${nodeOfMachine(machine) ?? ""}`,
    },
  ];
}

// The smallest that can move, from the node with most memory in use.
function chooseMachine(cluster: ClusterState): KubeObject | undefined {
  const used = (node: string) => machinesOn(cluster, node).reduce((sum, machine) => sum + memoryOf(machine), 0);
  const [fullest] = cluster
    .list("Node")
    .filter(isSchedulable)
    .map(({ metadata }) => metadata.name)
    .toSorted((left, right) => used(right) - used(left));
  const movable = machinesOn(cluster, fullest ?? "").filter(
    (machine) => migrationObstacle(machine) === undefined && !isFinishedMachine(machine),
  );
  return findNode(cluster, fullest ?? "") && movable.toSorted((left, right) => memoryOf(left) - memoryOf(right))[0];
}
