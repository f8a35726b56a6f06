// Simulates the HyperConverged operator: the defaults that the CRD does not set, the status, and wasp-agent.

import { asNumber, at, type JsonMap, type KubeObject } from "@virt/objects";
import {
  type ClusterState,
  conditionStatus,
  faultOf,
  hyperConvergedObject as find,
  hcoField,
  type SimulatedCondition,
  simulatedMs,
  withTransitionTimes,
} from "../cluster-state.ts";
import type { ObjectWrite } from "../object-writes.ts";
import { hcoSpec } from "../objects/cluster.ts";
import type { SimulatedTimers } from "../simulated-timers.ts";

const manager = "hco-operator";
const version = "1.17.0";

export function reconcileHyperConverged(cluster: ClusterState, timers: SimulatedTimers): readonly ObjectWrite[] {
  const hco = find(cluster);
  if (hco === undefined) return [];
  return [...defaultFields(cluster, hco), hcoStatusWrite(cluster, timers, hco), ...reconcileWaspAgent(cluster, hco)];
}

function isHighlyAvailable(cluster: ClusterState): boolean {
  const workers = cluster
    .list("Node")
    .filter(({ metadata }) => "node-role.kubernetes.io/worker" in (metadata.labels ?? {}));
  return workers.length > 1;
}

function defaultFields(cluster: ClusterState, hco: KubeObject): readonly ObjectWrite[] {
  if (hcoField(hco, "evictionStrategy") !== undefined) return [];
  const evictionStrategy = isHighlyAvailable(cluster) ? "LiveMigrate" : "None";
  return [{ kind: "set", object: hco, fields: { spec: hcoSpec(hco.apiVersion, { evictionStrategy }) }, manager }];
}

function hcoStatusWrite(cluster: ClusterState, timers: SimulatedTimers, hco: KubeObject): ObjectWrite {
  const generation = hco.metadata.generation ?? 1;
  const isBehind = asNumber(at(hco, "status", "observedGeneration")) !== generation;
  const isBusy = isBehind || conditionStatus(hco, "Progressing") === "True";
  const isOver = isBusy && timers.hasElapsed(`hco ${generation}`, simulatedMs(cluster, "operators", "hco"));
  const isProgressing = isBehind || (isBusy && !isOver);
  const status: JsonMap = {
    observedGeneration: generation,
    infrastructureHighlyAvailable: isHighlyAvailable(cluster),
    systemHealthStatus: "healthy",
    versions: [{ name: "operator", version }],
    conditions: withTransitionTimes(hco, conditionsOf(hco, isProgressing), cluster.timestamp).map((each) => ({
      ...each,
      observedGeneration: generation,
    })),
  };
  const event = isBusy && isOver && !isBehind ? { event: "hco has carried out a change" } : {};
  return { kind: "set", object: hco, fields: { status }, isStatus: true, manager, ...event };
}

function conditionsOf(hco: KubeObject, isProgressing: boolean): readonly SimulatedCondition[] {
  const failure = faultOf(hco, "degrade");
  const good = { reason: "ReconcileCompleted", message: "Reconcile completed successfully" };
  return [
    { type: "ReconcileComplete", status: "True", ...good },
    { type: "Available", status: "True", ...good },
    isProgressing
      ? {
          type: "Progressing",
          status: "True",
          reason: "KubeVirtProgressing",
          message: "KubeVirt is progressing: Deploying version",
        }
      : { type: "Progressing", status: "False", ...good },
    failure === undefined
      ? { type: "Degraded", status: "False", ...good }
      : { type: "Degraded", status: "True", reason: "KubeVirtDegraded", message: failure || "simulated failure" },
    { type: "Upgradeable", status: isProgressing ? "False" : "True", ...good },
  ];
}

const autopilot = "platform.kubevirt.io/autopilot";

function reconcileWaspAgent(cluster: ClusterState, hco: KubeObject): readonly ObjectWrite[] {
  const { namespace = "", annotations = {} } = hco.metadata;
  const isOvercommitted = (asNumber(hcoField(hco, "higherWorkloadDensity", "memoryOvercommitPercentage")) ?? 100) > 100;
  const chosen = (annotations[autopilot] ?? "").split(",").map((name) => name.trim());
  const isWanted = isOvercommitted && !chosen.includes("true") && !chosen.includes("swap-enable");
  const present = cluster
    .list("DaemonSet")
    .filter(({ metadata }) => metadata.name === "wasp-agent" && metadata.namespace === namespace);
  if (!isWanted) return present.map((object) => ({ kind: "delete", object, manager, event: "hco removes wasp-agent" }));
  return present.length > 0
    ? []
    : [{ kind: "create", object: daemonSet(namespace), manager, event: "hco starts wasp-agent" }];
}

function daemonSet(namespace: string): KubeObject {
  const labels = { name: "wasp-agent", "app.kubernetes.io/managed-by": "hco-operator" };
  const containers = [{ name: "wasp-agent", image: "registry.invalid/wasp-agent:simulated" }];
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "wasp-agent", namespace, labels },
    spec: {
      selector: { matchLabels: { name: "wasp-agent" } },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
}
