// Decides which pods a drain evicts, and which PodDisruptionBudgets block it.

import { readController } from "@virt/cluster";
import { asNumber, asText, at, type KubeObject, matchesSelector } from "@virt/objects";
import { type ClusterState, indexOf } from "./cluster-state.ts";

export function podsOn(cluster: ClusterState, node: string): readonly KubeObject[] {
  return indexOf(cluster.list("Pod"), nodeOfPod).get(node) ?? [];
}

function nodeOfPod(pod: KubeObject): string {
  return asText(at(pod, "spec", "nodeName")) ?? "";
}

/** Reports whether the pod is a virt-launcher pod, which leaves the node together with its VM. */
export function isLauncher({ metadata }: KubeObject): boolean {
  return metadata.labels?.["kubevirt.io"] === "virt-launcher";
}

/** Reports whether a drain evicts the pod. Skips DaemonSet pods, mirror pods and finished pods. */
export function isEvictedPod(pod: KubeObject): boolean {
  const isMirror = pod.metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined;
  const hasEnded = ["Succeeded", "Failed"].includes(asText(at(pod, "status", "phase")) ?? "");
  return !isLauncher(pod) && !isMirror && !hasEnded && readController(pod)?.kind !== "DaemonSet";
}

export function budgetsOf(cluster: ClusterState, pod: KubeObject): readonly KubeObject[] {
  const { namespace = "", labels = {} } = pod.metadata;
  const there = indexOf(cluster.list("PodDisruptionBudget"), namespaceOf).get(namespace) ?? [];
  return there.filter((budget) => matchesSelector(at(budget, "spec", "selector"), labels));
}

function namespaceOf({ metadata }: KubeObject): string {
  return metadata.namespace ?? "";
}

/** Reports whether the pod may be evicted. The eviction API rejects pods that match more than one budget. */
export function mayEvict(cluster: ClusterState, pod: KubeObject): boolean {
  const [budget, ...others] = budgetsOf(cluster, pod);
  return others.length === 0 && (budget === undefined || allowedDisruptions(budget) > 0);
}

function allowedDisruptions(budget: KubeObject): number {
  return asNumber(at(budget, "status", "disruptionsAllowed")) ?? 0;
}
