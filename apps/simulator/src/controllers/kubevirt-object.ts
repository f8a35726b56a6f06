// Simulates the KubeVirt object: the spec that HCO sets and the status of virt-operator.

import { asNumber, asText, type JsonMap, type KubeObject } from "@virt/objects";
import {
  type ClusterState,
  faultOf,
  hcoField,
  hyperConvergedObject,
  type SimulatedCondition,
  withTransitionTimes,
} from "../cluster-state.ts";
import type { ObjectWrite } from "../object-writes.ts";

export function reconcileKubevirtObject(cluster: ClusterState): readonly ObjectWrite[] {
  const hco = hyperConvergedObject(cluster);
  if (cluster.servedVersion("KubeVirt") === undefined || hco === undefined) return [];
  const [object] = cluster.list("KubeVirt");
  const spec = { configuration: configurationOf(hco) };
  const manager = "hco-operator";
  if (object === undefined) {
    const metadata = { name: "kubevirt-kubevirt-hyperconverged", namespace: hco.metadata.namespace ?? "" };
    return [{ kind: "create", object: { apiVersion: "kubevirt.io/v1", kind: "KubeVirt", metadata, spec }, manager }];
  }
  return [{ kind: "set", object, fields: { spec }, manager }, statusWrite(cluster, object)];
}

function configurationOf(hco: KubeObject): JsonMap {
  const evictionStrategy = asText(hcoField(hco, "evictionStrategy"));
  const migrations = hcoField(hco, "liveMigrationConfig");
  const overcommit = asNumber(hcoField(hco, "higherWorkloadDensity", "memoryOvercommitPercentage"));
  return {
    ...(evictionStrategy !== undefined && { evictionStrategy }),
    ...(migrations !== undefined && { migrations }),
    developerConfiguration: { memoryOvercommit: overcommit ?? 100 },
  };
}

function statusWrite(cluster: ClusterState, object: KubeObject): ObjectWrite {
  const release = `v${cluster.scenario.kubevirtVersion}.0`;
  const status = {
    phase: "Deployed",
    observedGeneration: object.metadata.generation ?? 1,
    observedKubeVirtVersion: release,
    operatorVersion: release,
    targetKubeVirtVersion: release,
    conditions: withTransitionTimes(object, conditionsOf(object), cluster.timestamp),
  };
  return { kind: "set", object, fields: { status }, isStatus: true, manager: "virt-operator" };
}

function conditionsOf(object: KubeObject): readonly SimulatedCondition[] {
  const good = { reason: "AllComponentsReady", message: "All components are ready." };
  const message = faultOf(object, "degrade");
  const bad = { reason: "DeploymentNotReady", message: message || "simulated failure" };
  return [
    { type: "Available", status: "True", ...good },
    { type: "Progressing", status: "False", ...good },
    message === undefined
      ? { type: "Degraded", status: "False", ...good }
      : { type: "Degraded", status: "True", ...bad },
  ];
}
