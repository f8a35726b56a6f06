// Generates small random clusters: paused or limited pools, unavailable nodes, and VMs with every possible outcome.

import type { KubeObject } from "@virt/api";
import fc from "fast-check";
import {
  annotationPrefix,
  type ClusterGiven,
  nodeObject,
  poolObject,
  type VmGiven,
  vmObject,
} from "./cluster-builder.ts";

const nodeNames = ["n-0", "n-1", "n-2", "n-3", "n-4", "n-5"];

const anyNode = fc.record({
  role: fc.constantFrom("worker", "worker", "infra", "master"),
  zone: fc.constantFrom(undefined, "1", "2"),
  isCordoned: fc.integer({ max: 9, min: 0 }).map((dice) => dice === 0),
  memory: fc.constantFrom("16Gi", "64Gi", "240Gi", "none"),
  state: fc.constantFrom("Done", "Done", "Done", "Working", "Degraded"),
  current: fc.constantFrom("rendered-1", "rendered-1", "rendered-0", ""),
});

const anyNodes = fc.array(anyNode, { minLength: 1, maxLength: nodeNames.length }).map((nodes) =>
  nodes.map(({ role, zone, isCordoned, memory, state, current }, at) =>
    nodeObject(nodeNames[at] ?? "", {
      roles: role === "master" ? ["master"] : [...new Set(["worker", role])],
      ...(zone !== undefined && { zone }),
      isCordoned,
      memory,
      annotations: { [`${annotationPrefix}/state`]: state, [`${annotationPrefix}/currentConfig`]: current },
    }),
  ),
);

const limit = fc.constantFrom<(number | string)[]>(1, 2, 3, "50%", "100%", "2", -1, 0);

const anyPools = fc
  .record({ limits: fc.tuple(limit, limit), isPaused: fc.tuple(fc.boolean(), fc.boolean()) })
  .map(({ limits: [worker, infra], isPaused }): readonly KubeObject[] => [
    poolObject("master"),
    poolObject("worker", { maxUnavailable: worker, paused: isPaused[0] && isPaused[1] }),
    poolObject("infra", { maxUnavailable: infra, paused: isPaused[1] }),
  ]);

/** Any VM without migration history. */
export const anyVm: fc.Arbitrary<VmGiven & { readonly node: string }> = fc.record({
  node: fc.constantFrom(...nodeNames, ""),
  gib: fc.constantFrom(0, 1, 4, 40),
  vcpus: fc.integer({ min: 1, max: 4 }),
  strategy: fc.constantFrom<(string | null)[]>(
    "LiveMigrate",
    "LiveMigrate",
    "LiveMigrateIfPossible",
    "None",
    "External",
    null,
  ),
  isMigratable: fc.constantFrom(true, true, false, null),
  owner: fc.constantFrom<(string | null)[]>("Always", "Manual", "VirtualMachineInstanceReplicaSet", null),
  grace: fc.constantFrom(0, 30, 600),
  phase: fc.constantFrom("Running", "Running", "Running", "Scheduling", "", "Unknown", "Succeeded", "Failed"),
  metadata: fc.constantFrom({}, {}, {}, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
});

const anyVms = fc
  .array(anyVm, { maxLength: 12 })
  .map((vms) => vms.map(({ node, ...given }, at) => vmObject(`vm-${at}`, node, given)));

export const anyMigrations = fc.record({
  parallelMigrationsPerCluster: fc.integer({ min: 1, max: 8 }),
  parallelOutboundMigrationsPerNode: fc.integer({ min: 1, max: 4 }),
  completionTimeoutPerGiB: fc.constantFrom(1, 10, 150),
  bandwidthPerMigration: fc.constantFrom("0", "1Mi", "64Mi", "1Gi", "4Gi", "many"),
});

const anyPod = fc.record({
  node: fc.constantFrom(...nodeNames),
  app: fc.constantFrom("a", "b", "c"),
  controller: fc.constantFrom("ReplicaSet", "DaemonSet", undefined),
});

const anyPods = fc.array(anyPod, { maxLength: 6 }).map((pods) => {
  const objects = pods.map(({ node, app, controller }, at) => ({ node, pod: podObject(`pod-${at}`, app, controller) }));
  const byNode = Map.groupBy(objects, ({ node }) => node);
  return Object.fromEntries([...byNode].map(([node, each]) => [node, each.map(({ pod }) => pod)]));
});

function podObject(name: string, app: string, controller: string | undefined): KubeObject {
  const ownerReferences = controller === undefined ? [] : [{ kind: controller, name: "owner", controller: true }];
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "apps", labels: { app }, ownerReferences } };
}

const budgets: readonly KubeObject[] = [
  ["a", 0],
  ["b", 1],
  ["b", 2],
].map(([app, disruptionsAllowed], at) => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: `budget-${at}`, namespace: "apps" },
  spec: { selector: { matchLabels: { app: app ?? "" } } },
  status: { disruptionsAllowed: disruptionsAllowed ?? 0 },
}));

export const anyCluster: fc.Arbitrary<ClusterGiven> = fc
  .record({
    nodes: anyNodes,
    pools: anyPools,
    vms: anyVms,
    pods: anyPods,
    migrations: anyMigrations,
    topology: fc.constantFrom("HighlyAvailable", "HighlyAvailable", "SingleReplica"),
    platform: fc.constantFrom("BareMetal", "AWS", ""),
    samples: fc.array(fc.integer({ min: 0, max: 4000 }), { maxLength: 4 }),
  })
  .map(({ samples, ...given }) => ({ ...given, budgets, restartSamples: { worker: samples } }));
