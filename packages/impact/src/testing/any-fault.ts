// Faults that make an impact uncertain: unavailable nodes, stopped pools, rejected KubeletConfigs, missing permissions.

import type { JsonMap, KubeObject } from "@virt/api";
import fc from "fast-check";
import { type ImpactFacts, notAssessed } from "../index.ts";
import {
  annotationPrefix,
  type ClusterGiven,
  clusterFacts,
  nodeObject,
  poolObject,
  type VmGiven,
  vmObject,
} from "./cluster-builder.ts";

const nodeNames = ["n-0", "n-1", "n-2", "n-3", "n-4"];
const poolNames = ["master", "worker", "infra"];
/** Missing permissions. Without permission to list pools, nodes cannot be assessed either. */
const lostRights = [
  "nodes",
  "pools",
  "vms",
  "pods",
  "budgets",
  "policies",
  "shape",
  "settings",
  "runStrategies",
  "kubeletConfigs",
] as const;

export type ClusterFault =
  | { readonly kind: "cordon" | "silence" | "degrade" | "reset"; readonly node: number }
  | { readonly kind: "pool"; readonly pool: number; readonly spec?: JsonMap; readonly status?: JsonMap }
  | { readonly kind: "refusal"; readonly pool: number }
  | { readonly kind: "right"; readonly fact: (typeof lostRights)[number] };

const conditionsOf = (type: string) => ({ conditions: [{ type, status: "True" }] });

const nodeFaults = (["cordon", "silence", "degrade", "reset"] as const).flatMap((kind) =>
  nodeNames.map((_, node): ClusterFault => ({ kind, node })),
);
const poolFaults = poolNames.flatMap((_, pool): readonly ClusterFault[] => [
  { kind: "pool", pool, spec: { paused: true } },
  { kind: "pool", pool, spec: { maxUnavailable: "2" } },
  { kind: "pool", pool, spec: { maxUnavailable: -1 } },
  { kind: "pool", pool, status: { degradedMachineCount: 1 } },
  ...["Degraded", "NodeDegraded", "RenderDegraded"].map((type) => ({
    kind: "pool" as const,
    pool,
    status: conditionsOf(type),
  })),
  { kind: "refusal", pool },
]);
export const everyLostRight = lostRights.map((fact): ClusterFault => ({ kind: "right", fact }));

/** All faults, to be tested one at a time, so that no fault hides another. */
export const everyFault: readonly ClusterFault[] = [...nodeFaults, ...poolFaults, ...everyLostRight];

/** One fault of each kind, for tests of pairs. Testing all pairs would take too long. */
export const faultOfEachKind: readonly ClusterFault[] = [
  ...nodeFaults.filter((fault) => "node" in fault && fault.node === 0),
  ...poolFaults.filter((fault) => "pool" in fault && poolNames[fault.pool] === "worker"),
];

export const anyFault: fc.Arbitrary<ClusterFault> = fc.oneof(
  fc.constantFrom(...nodeFaults),
  fc.constantFrom(...poolFaults),
  fc.constantFrom(...everyLostRight),
);

const anyVm: fc.Arbitrary<VmGiven & { readonly node: string }> = fc.record({
  node: fc.constantFrom(...nodeNames),
  gib: fc.constantFrom(4, 40, 90),
  strategy: fc.constantFrom<(string | null)[]>("LiveMigrate", "LiveMigrate", "None", "External", null),
  isMigratable: fc.constantFrom(true, true, true, false),
  owner: fc.constantFrom<(string | null)[]>("Always", "Manual", null),
});

const anyPod = fc.record({ node: fc.constantFrom(...nodeNames), app: fc.constantFrom("strict", "loose") });

function podObject(name: string, app: string): KubeObject {
  const ownerReferences = [{ kind: "ReplicaSet", name: app, controller: true }];
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "apps", labels: { app }, ownerReferences } };
}

function budgetObject(app: string, disruptionsAllowed: number): KubeObject {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: app, namespace: "apps" },
    spec: { selector: { matchLabels: { app } } },
    status: { disruptionsAllowed },
  };
}

const budgets = [budgetObject("strict", 0), budgetObject("loose", 1)];

function labelledPool(name: string, spec: JsonMap = {}): KubeObject {
  const pool = poolObject(name, spec);
  return { ...pool, metadata: { ...pool.metadata, labels: { pool: name } } };
}

/** Any cluster in which every node starts automatically. */
export const anyHealthyCluster: fc.Arbitrary<ClusterGiven> = fc
  .record({
    roles: fc.array(fc.constantFrom("worker", "worker", "infra", "master"), { minLength: 1, maxLength: 5 }),
    memory: fc.constantFrom("64Gi", "120Gi", "240Gi"),
    limits: fc.tuple(fc.constantFrom(1, 2, "50%"), fc.constantFrom(1, 2, "50%")),
    // Most clusters have few VMs, because a single fault changes less if there are more.
    vms: fc.oneof(fc.array(anyVm, { maxLength: 2 }), fc.array(anyVm, { maxLength: 8 })),
    pods: fc.array(anyPod, { maxLength: 1 }),
    topology: fc.constantFrom("HighlyAvailable", "HighlyAvailable", "SingleReplica"),
  })
  .map(({ roles, memory, limits: [worker, infra], vms, pods, topology }) => ({
    nodes: roles.map((role, at) =>
      nodeObject(nodeNames[at] ?? "", {
        roles: role === "master" ? ["master"] : [...new Set(["worker", role])],
        memory,
      }),
    ),
    pools: [
      labelledPool("master"),
      labelledPool("worker", { maxUnavailable: worker }),
      labelledPool("infra", { maxUnavailable: infra }),
    ],
    vms: vms.map(({ node, ...given }, at) => vmObject(`vm-${at}`, node, given)),
    pods: Object.fromEntries(
      nodeNames.map((name) => [
        name,
        pods.flatMap(({ node, app }, at) => (node === name ? [podObject(`pod-${at}`, app)] : [])),
      ]),
    ),
    budgets,
    topology,
  }));

export function factsWithFaults(given: ClusterGiven, faults: readonly ClusterFault[]): ImpactFacts {
  const nodes = (given.nodes ?? []).map((node, at) =>
    faults.reduce(
      (found, fault) => ("node" in fault && fault.node === at ? brokenNode(found, fault.kind) : found),
      node,
    ),
  );
  const pools = (given.pools ?? []).map((pool, at) =>
    faults.reduce(
      (found, fault) => (fault.kind === "pool" && fault.pool === at ? brokenPool(found, fault) : found),
      pool,
    ),
  );
  const kubeletConfigs = [
    ...(given.kubeletConfigs ?? []),
    ...faults.flatMap((fault) => (fault.kind === "refusal" ? [refusedConfig(poolNames[fault.pool] ?? "")] : [])),
  ];
  const lost = faults.flatMap((fault) => (fault.kind === "right" ? Object.entries(withoutRight(fault.fact)) : []));
  return { ...clusterFacts({ ...given, nodes, pools, kubeletConfigs }), ...Object.fromEntries(lost) };
}

function withoutRight(fact: (typeof lostRights)[number]): Partial<ImpactFacts> {
  const forbidden = notAssessed("Forbidden");
  return fact === "pools" ? { pools: [], disruption: [], nodes: forbidden } : { [fact]: forbidden };
}

function refusedConfig(pool: string): KubeObject {
  return {
    apiVersion: `${annotationPrefix}/v1`,
    kind: "KubeletConfig",
    metadata: { name: `refused-${pool}` },
    spec: { machineConfigPoolSelector: { matchLabels: { pool } } },
    status: { conditions: [{ type: "Failure", status: "False", message: "no such field" }] },
  };
}

function brokenNode(node: KubeObject, kind: "cordon" | "silence" | "degrade" | "reset"): KubeObject {
  const annotate = (annotations: Readonly<Record<string, string>>): KubeObject => ({
    ...node,
    metadata: { ...node.metadata, annotations: { ...node.metadata.annotations, ...annotations } },
  });
  switch (kind) {
    case "cordon":
      return { ...node, spec: { ...(node["spec"] as JsonMap), unschedulable: true } };
    case "silence":
      return {
        ...node,
        status: { ...(node["status"] as JsonMap), conditions: [{ type: "Ready", status: "Unknown" }] },
      };
    case "degrade":
      return annotate({ [`${annotationPrefix}/state`]: "Degraded" });
    case "reset":
      return annotate({ [`${annotationPrefix}/currentConfig`]: "", [`${annotationPrefix}/desiredConfig`]: "" });
  }
}

function brokenPool(pool: KubeObject, { spec = {}, status = {} }: Extract<ClusterFault, { kind: "pool" }>): KubeObject {
  const own = (key: "spec" | "status") => (pool[key] ?? {}) as JsonMap;
  return { ...pool, spec: { ...own("spec"), ...spec }, status: { ...own("status"), ...status } };
}
