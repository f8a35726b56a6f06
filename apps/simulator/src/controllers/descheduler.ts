// Simulates the descheduler operator: its status, and periodic VM evictions if the scenario requests them.

import { asList, asNumber, asText, at, compareUtf8, type JsonMap, type KubeObject, member } from "@virt/objects";
import {
  type ClusterState,
  faultOf,
  findObject,
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

// As in `sync` and `scaleDownDeployment` in pkg/operator/target_config_reconciler.go (release-4.17 to release-5.1): no
// message and no observedGeneration. Only applied changes raise the generation of the Deployment.
function statusOf(cluster: ClusterState, object: KubeObject, failure: string | undefined): JsonMap {
  const type = "TargetConfigControllerDegraded";
  const condition: SimulatedCondition =
    failure === undefined
      ? { type, status: "False", reason: "AsExpected", message: "" }
      : { type, status: "True", reason: failure || "simulated failure", message: "" };
  const conditions = withTransitionTimes(object, [condition], cluster.timestamp);
  if (failure !== undefined) return { conditions };
  const { namespace = "", generation = 1 } = object.metadata;
  const deployment = { group: "apps", resource: "deployments", namespace, name: "descheduler" };
  return { conditions, generations: [{ ...deployment, lastGeneration: generation }] };
}

/** Returns the error if PSI is off. The real operator checks the node that it runs on; here, this is the first worker. */
function psiRefusal(cluster: ClusterState, object: KubeObject): string | undefined {
  const profile = asList(at(object, "spec", "profiles")).find((name) => asText(name)?.endsWith("RelieveAndMigrate"));
  if (cluster.scenario.descheduler?.needsPsi !== true || profile === undefined) return undefined;
  const [node] = cluster
    .list("Node")
    .filter(({ metadata }) => "node-role.kubernetes.io/worker" in (metadata.labels ?? {}))
    .toSorted((left, right) => compareUtf8(left.metadata.name, right.metadata.name));
  const running = node?.metadata.annotations?.["machineconfiguration.openshift.io/currentConfig"] ?? "";
  const rendered = findObject(cluster, "MachineConfig", running);
  if (asList(at(rendered, "spec", "kernelArguments")).includes("psi=1")) return undefined;
  return `profile ${asText(profile)} can only be used when PSI metrics are enabled for the worker nodes`;
}

function deschedulerStatusWrite(
  cluster: ClusterState,
  timers: SimulatedTimers,
  object: KubeObject,
): readonly ObjectWrite[] {
  const generation = object.metadata.generation ?? 1;
  const [deployment] = asList(at(object, "status", "generations"));
  const isKnown = asNumber(member(deployment, "lastGeneration")) === generation;
  if (!isKnown && !timers.hasElapsed(`descheduler ${generation}`, simulatedMs(cluster, "operators", "descheduler")))
    return [];
  const failure = faultOf(object, "degrade") ?? psiRefusal(cluster, object);
  const status = statusOf(cluster, object, failure);
  const event = isKnown || failure !== undefined ? {} : { event: "descheduler has carried out a change" };
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
