// Whatever may happen to a healthy cluster that makes it harder to judge: nodes that are away, pools that stand still, lost rights.

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
const lostRights = ["nodes", "vms", "pods", "budgets", "policies", "shape", "settings", "runStrategies"] as const;

/** One thing that goes wrong. */
export type ClusterFault =
  | { readonly kind: "cordon" | "silence" | "degrade" | "reset"; readonly node: number }
  | { readonly kind: "pool"; readonly pool: number; readonly spec?: JsonMap; readonly status?: JsonMap }
  | { readonly kind: "right"; readonly fact: (typeof lostRights)[number] };

const conditionsOf = (type: string) => ({ conditions: [{ type, status: "True" }] });

export const anyFault: fc.Arbitrary<ClusterFault> = fc.oneof(
  fc.record({ kind: fc.constantFrom("cordon", "silence", "degrade", "reset"), node: fc.nat(nodeNames.length - 1) }),
  fc.record({
    kind: fc.constant("pool"),
    pool: fc.nat(2),
    spec: fc.constantFrom<JsonMap[]>({ paused: true }, { maxUnavailable: "2" }, { maxUnavailable: -1 }),
  }),
  fc.record({
    kind: fc.constant("pool"),
    pool: fc.nat(2),
    status: fc.constantFrom<JsonMap[]>(
      { degradedMachineCount: 1 },
      ...["Degraded", "NodeDegraded", "RenderDegraded"].map(conditionsOf),
    ),
  }),
  fc.record({ kind: fc.constant("right"), fact: fc.constantFrom(...lostRights) }),
);

const anyVm: fc.Arbitrary<VmGiven & { readonly node: string }> = fc.record({
  node: fc.constantFrom(...nodeNames),
  gib: fc.constantFrom(4, 40, 90),
  strategy: fc.constantFrom<(string | null)[]>("LiveMigrate", "LiveMigrate", "None", "External", null),
  isMigratable: fc.constantFrom(true, true, true, false),
  owner: fc.constantFrom<(string | null)[]>("Always", "Manual", null),
});

/** A cluster in which every node starts automatically. */
export const anyHealthyCluster: fc.Arbitrary<ClusterGiven> = fc
  .record({
    roles: fc.array(fc.constantFrom("worker", "worker", "infra", "master"), { minLength: 1, maxLength: 5 }),
    memory: fc.constantFrom("64Gi", "120Gi", "240Gi"),
    limits: fc.tuple(fc.constantFrom(1, 2, "50%"), fc.constantFrom(1, 2, "50%")),
    vms: fc.array(anyVm, { maxLength: 8 }),
    topology: fc.constantFrom("HighlyAvailable", "HighlyAvailable", "SingleReplica"),
  })
  .map(({ roles, memory, limits: [worker, infra], vms, topology }) => ({
    nodes: roles.map((role, at) =>
      nodeObject(nodeNames[at] ?? "", {
        roles: role === "master" ? ["master"] : [...new Set(["worker", role])],
        memory,
      }),
    ),
    pools: [
      poolObject("master"),
      poolObject("worker", { maxUnavailable: worker }),
      poolObject("infra", { maxUnavailable: infra }),
    ],
    vms: vms.map(({ node, ...given }, at) => vmObject(`vm-${at}`, node, given)),
    pods: Object.fromEntries(nodeNames.map((name) => [name, []])),
    topology,
  }));

/** The facts of the cluster once all of these faults are there. */
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
  const lost = faults.flatMap((fault) => (fault.kind === "right" ? [[fault.fact, notAssessed("Forbidden")]] : []));
  return { ...clusterFacts({ ...given, nodes, pools }), ...Object.fromEntries(lost) };
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
