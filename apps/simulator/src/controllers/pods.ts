// Simulates pods and PodDisruptionBudgets: launcher pods, evictions, replacement pods and the budgets' status.

import { readController } from "@virt/cluster";
import { asList, asNumber, asText, at, type Json, type JsonMap, type KubeObject, matchesSelector } from "@virt/objects";
import { type ClusterState, faultOf, findNamespaced } from "../cluster-state.ts";
import { isDraining, isFinishedMachine, launcherName, namespacedName, nodeOfMachine } from "../evictions.ts";
import type { ObjectWrite } from "../object-writes.ts";
import { endlessFinalizer } from "../objects/machines.ts";
import { isSchedulable } from "../placement.ts";
import { budgetsOf, isEvictedPod, isLauncher, mayEvict, podsOn } from "../pod-evictions.ts";
import { seededSuffix } from "../seeded-random.ts";

export function reconcilePods(cluster: ClusterState): readonly ObjectWrite[] {
  return [
    ...launcherWrites(cluster),
    ...cluster
      .list("Pod")
      .filter((pod) => !isLauncher(pod))
      .flatMap(podWrites),
    ...evictionWrites(cluster),
    ...cluster.list("PodDisruptionBudget").map((budget) => budgetWrite(cluster, budget)),
  ];
}

// If the API does not serve VirtualMachines, VMIs get no launcher pods.
function launcherWrites(cluster: ClusterState): readonly ObjectWrite[] {
  if (cluster.servedVersion("VirtualMachine") === undefined) return [];
  const running = cluster
    .list("VirtualMachineInstance")
    .filter((machine) => nodeOfMachine(machine) !== undefined && !isFinishedMachine(machine));
  const names = new Set(running.map((machine) => podKey(cluster, machine)));
  const missing = running.filter((machine) => findNamespaced(cluster, "Pod", podKey(cluster, machine)) === undefined);
  const surplus = cluster.list("Pod").filter((pod) => isLauncher(pod) && !names.has(namespacedName(pod)));
  return [
    ...missing.map(
      (machine): ObjectWrite => ({ kind: "create", object: launcherOf(cluster, machine), manager: "virt-controller" }),
    ),
    ...surplus.map((object): ObjectWrite => ({ kind: "delete", object, manager: "virt-controller" })),
    ...machineBudgets(cluster, running),
  ];
}

function podKey(cluster: ClusterState, machine: KubeObject): string {
  return `${machine.metadata.namespace ?? ""}/${launcherName(cluster, machine)}`;
}

function launcherOf(cluster: ClusterState, machine: KubeObject): KubeObject {
  const { name, namespace = "", uid = "" } = machine.metadata;
  const owner = { apiVersion: "kubevirt.io/v1", kind: "VirtualMachineInstance", name, uid, controller: true };
  const metadata = {
    name: launcherName(cluster, machine),
    namespace,
    labels: { "kubevirt.io": "virt-launcher", "kubevirt.io/created-by": uid, "vm.kubevirt.io/name": name },
    annotations: { "kubevirt.io/domain": name },
    ownerReferences: [owner],
  };
  return { apiVersion: "v1", kind: "Pod", metadata, spec: podSpec("compute", nodeOfMachine(machine) ?? "") };
}

/** Sets the grace period to 0, because no kubelet confirms the deletion. */
function podSpec(container: string, nodeName: string): JsonMap {
  const containers = [{ name: container, image: `registry.invalid/${container}:simulated` }];
  return { nodeName, terminationGracePeriodSeconds: 0, containers };
}

// KubeVirt up to 1.5 protects each migratable VM with a separate budget.
function machineBudgets(cluster: ClusterState, running: readonly KubeObject[]): readonly ObjectWrite[] {
  if (Number(cluster.scenario.kubevirtVersion.split(".")[1]) > 5) return [];
  return running.flatMap((machine): readonly ObjectWrite[] => {
    const { name, namespace = "", uid = "" } = machine.metadata;
    const budget = `kubevirt-disruption-budget-${seededSuffix(5, cluster.seed, "budget", namespacedName(machine))}`;
    if (findNamespaced(cluster, "PodDisruptionBudget", `${namespace}/${budget}`) !== undefined) return [];
    const owner = { apiVersion: "kubevirt.io/v1", kind: "VirtualMachineInstance", name, uid, controller: true };
    const selector = { matchLabels: { "kubevirt.io/created-by": uid } };
    const metadata = { name: budget, namespace, ownerReferences: [owner] };
    const object = {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata,
      spec: { minAvailable: 1, selector },
    };
    return [{ kind: "create", object, manager: "virt-controller" }];
  });
}

// Acts as the kubelet for pods. Pods with the fault never-ends have a finalizer, so they stay Terminating.
function podWrites(pod: KubeObject): readonly ObjectWrite[] {
  const isEndless = faultOf(pod, "never-ends") !== undefined;
  const finalizers = asList(at(pod, "metadata", "finalizers"));
  const isHeld = finalizers.includes(endlessFinalizer);
  const kept = finalizers.filter((each) => each !== endlessFinalizer);
  const held: readonly ObjectWrite[] =
    isEndless === isHeld
      ? []
      : [
          {
            kind: "set",
            object: pod,
            fields: { metadata: { finalizers: isEndless ? [...kept, endlessFinalizer] : kept } },
            manager: "kubelet",
          },
        ];
  if (at(pod, "status", "phase") === "Running" || at(pod, "spec", "nodeName") === undefined) return held;
  const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  return [...held, { kind: "set", object: pod, fields: { status }, isStatus: true, manager: "kubelet" }];
}

function evictionWrites(cluster: ClusterState): readonly ObjectWrite[] {
  const draining = cluster.list("Node").filter((node) => isDraining(cluster, node));
  const asked = new Set<string>();
  return draining
    .flatMap(({ metadata }) => podsOn(cluster, metadata.name))
    .filter(
      (pod) => isEvictedPod(pod) && at(pod, "metadata", "deletionTimestamp") === undefined && mayEvict(cluster, pod),
    )
    .filter((pod) => isFirstOfBudget(cluster, pod, asked))
    .flatMap((pod) => [
      {
        kind: "delete",
        object: pod,
        manager: "machine-config-operator",
        event: `pod ${namespacedName(pod)} is evicted from ${asText(at(pod, "spec", "nodeName")) ?? ""}`,
      } as const,
      ...replacementWrites(cluster, pod),
    ]);
}

// Allows one eviction per budget and round, because the budget must be recalculated in between.
function isFirstOfBudget(cluster: ClusterState, pod: KubeObject, asked: Set<string>): boolean {
  const [budget] = budgetsOf(cluster, pod);
  if (budget === undefined) return true;
  const isFirst = !asked.has(namespacedName(budget));
  asked.add(namespacedName(budget));
  return isFirst;
}

// The owner re-creates an evicted pod if a node is schedulable. A pod without an owner is lost.
function replacementWrites(cluster: ClusterState, pod: KubeObject): readonly ObjectWrite[] {
  const node = cluster.list("Node").find(isSchedulable);
  if (readController(pod) === undefined || node === undefined) return [];
  const { name, namespace = "", labels = {} } = pod.metadata;
  const suffix = seededSuffix(5, cluster.seed, "replacement", name);
  const ownerReferences = asList(at(pod, "metadata", "ownerReferences"));
  const metadata = { name: `${name.slice(0, 50)}-${suffix}`, namespace, labels, ownerReferences };
  const object = { apiVersion: "v1", kind: "Pod", metadata, spec: podSpec("app", node.metadata.name) };
  return [{ kind: "create", object, manager: "kube-controller-manager" }];
}

function budgetWrite(cluster: ClusterState, budget: KubeObject): ObjectWrite {
  const selector = at(budget, "spec", "selector");
  const pods = cluster
    .list("Pod")
    .filter(
      ({ metadata }) =>
        metadata.namespace === budget.metadata.namespace && matchesSelector(selector, metadata.labels ?? {}),
    );
  const isHealthy = (pod: KubeObject) =>
    at(pod, "metadata", "deletionTimestamp") === undefined &&
    (isLauncher(pod) || at(pod, "status", "phase") === "Running");
  const currentHealthy = pods.filter(isHealthy).length;
  const minAvailable = at(budget, "spec", "minAvailable");
  const desiredHealthy =
    minAvailable === undefined
      ? Math.max(0, pods.length - countOf(at(budget, "spec", "maxUnavailable"), pods.length))
      : countOf(minAvailable, pods.length);
  const status = {
    observedGeneration: budget.metadata.generation ?? 1,
    expectedPods: pods.length,
    currentHealthy,
    desiredHealthy,
    disruptionsAllowed: Math.max(0, currentHealthy - desiredHealthy),
  };
  return { kind: "set", object: budget, fields: { status }, isStatus: true, manager: "kube-controller-manager" };
}

function countOf(value: Json | undefined, pods: number): number {
  const percent = /^([0-9]+)%$/.exec(asText(value) ?? "")?.[1];
  return percent === undefined ? (asNumber(value) ?? 0) : Math.ceil((Number(percent) * pods) / 100);
}
