// Impacts of whole clusters with numbers computed by hand: policies, cluster sizes, capacity, budgets.

import type { KubeObject } from "@virt/api";
import { readVirtSettings, readVmFact, requestOf } from "@virt/cluster";
import { expect, test } from "vitest";
import { ClusterRooms } from "./capacity.ts";
import { assessedOr, assessImpact, notAssessed, severityOfClass } from "./index.ts";
import {
  type ClusterGiven,
  clusterFacts,
  namesOf,
  policyObject,
  poolObject,
  psiConfig,
  vmObject,
  vmsOn,
  workers,
} from "./testing/cluster-builder.ts";
import { bounds, impactOf, noVms, zonedCluster } from "./testing/worlds.ts";

const swapFiles = ["/etc/kubernetes/kubelet.conf.d/90-swap.conf", "/usr/local/bin/find-swap"];
const swapUnits = ["swap-on.service", "swap-check.service"];
const density: KubeObject = {
  ...psiConfig(),
  spec: {
    config: {
      storage: { files: swapFiles.map((path) => ({ path, mode: 420, contents: { source: "data:,a" } })) },
      systemd: { units: swapUnits.map((name) => ({ name, enabled: true, contents: "[Unit]" })) },
    },
  },
};
const restart = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, ["Restart"]]));
const dense = (units: readonly string[]): ClusterGiven => {
  const nodes = workers(12);
  const policies = policyObject(restart(swapFiles), restart(units));
  return { nodes, vms: vmsOn(namesOf(nodes), 2), policies, writes: [{ before: undefined, after: density }] };
};

test("world 7: without a drain, no VM is affected", () => {
  const impact = impactOf(dense(swapUnits));
  expect(impact.vms).toEqual(noVms);
  expect(bounds(impact)).toEqual([120, 720]);
  expect(impact.summary).toBe("Reloads services on 12 nodes (worker pool, one at a time). Takes up to 15 minutes.");
  expect(severityOfClass(impact.pools[0]?.class ?? "None")).toBe("Medium");
});

test("world 7b: one unit without a policy reboots the pool and changes the plan", () => {
  const impact = impactOf(dense(swapUnits.slice(1)));
  expect(impact.pools[0]?.class).toBe("Reboot");
  expect(severityOfClass(impact.pools[0]?.class ?? "None")).toBe("High");
  expect(clusterFacts(dense(swapUnits.slice(1))).disruption).not.toEqual(clusterFacts(dense(swapUnits)).disruption);
});

const noSettings = readVirtSettings(undefined, undefined);
const compact = workers(3, "node-", { roles: ["master", "worker"] });
const forMasters = [{ before: undefined, after: psiConfig("master") }];

test("world 8a: a compact cluster reboots its control plane", () => {
  const impact = assessImpact(clusterFacts({ nodes: compact, writes: forMasters }));
  expect(bounds(impact)).toEqual([1890, 5670]);
  expect(impact.summary).toBe("Reboots 3 nodes (master pool, one at a time). Takes 30 minutes to 2 hours.");
});

test("world 8b: a single node reboots without a drain", () => {
  const vms = [
    vmObject("a", "node-0", { grace: 180 }),
    vmObject("b", "node-0", { grace: 180 }),
    vmObject("c", "node-0", { grace: 180, owner: "Manual" }),
  ];
  const impact = assessImpact(
    clusterFacts({ nodes: compact.slice(0, 1), writes: forMasters, vms, topology: "SingleReplica" }),
  );
  expect(impact).toMatchObject({ nodes: 1, vms: { ...noVms, restart: 2, stop: 1 } });
  expect(bounds(impact)).toEqual([600, 1980]);
  expect(impact.summary).toBe("Reboots 1 node (master pool). Stops 1 VM. Restarts 2 VMs. Takes 10–35 minutes.");
});

test("world 8c: VMs migrate between control plane nodes of a compact cluster", () => {
  const impact = assessImpact(clusterFacts({ nodes: compact, writes: forMasters, vms: vmsOn(namesOf(compact), 4) }));
  expect(impact).toMatchObject({ nodes: 3, vms: { ...noVms, migrate: 12 } });
  expect(bounds(impact)).toEqual([3 * 642, 3 * 2282]);
  expect(bounds(impact)).toEqual([1926, 6846]);
  expect(impact.duration?.text).toBe("30 minutes to 2 hours");
  expect(impact.pools[0]?.name).toBe("master");
});

test("world 9: two workers have no capacity for the VMs of the third", () => {
  const nodes = workers(3, "worker-", { memory: "100Gi" });
  const impact = impactOf({ nodes, vms: vmsOn(namesOf(nodes), 2, { gib: 40, vcpus: 4 }) });
  expect(requestOf(readVmFact(vmObject("a", "b", { gib: 40, vcpus: 4 })), { memoryOvercommit: 100 }) / 2 ** 20).toBe(
    41_352,
  );
  const { nodes: known, vms, settings } = clusterFacts({ nodes, vms: vmsOn(namesOf(nodes), 2, { gib: 40, vcpus: 4 }) });
  const rooms = new ClusterRooms(assessedOr(known, []), assessedOr(vms, []), assessedOr(settings, noSettings));
  const [first] = assessedOr(vms, []);
  expect((first && rooms.mostFree(first.placement, new Set(["worker-0"]))) ?? 0).toBe(9_456 * 2 ** 20);
  expect(impact.capacity).toEqual({ fits: "No", nodes: ["worker-0"], unplacedVMs: 2, unplacedMiB: 82_704 });
  expect(bounds(impact)).toEqual([2055, 8982]);
  expect(impact.summary).toBe(
    "Reboots 3 nodes (worker pool, one at a time). Live-migrates 6 VMs. 2 VMs do not fit on other nodes while worker-0 is drained. Takes 30 minutes to 2.5 hours.",
  );
});

test.each(["NotServed", "Forbidden"] as const)("world 10: with VMs that are %s, assesses everything else", (reason) => {
  const facts = clusterFacts(zonedCluster);
  const impact = assessImpact({ ...facts, vms: notAssessed(reason) });
  expect(impact).not.toHaveProperty("vms");
  expect(impact.notAssessed).toEqual([{ what: "VMs", reason, message: "" }]);
  expect(bounds(impact)).toEqual([7560, 22_680]);
  expect(impact.capacity.fits).toBe("Unknown");
  expect(impact.summary).toBe(
    `Reboots 12 nodes (worker pool, one at a time). VM impact: not assessed (${reason}). Takes 2–6.5 hours.`,
  );
});

test("world 11: budgets block drains, and a bare pod is deleted", () => {
  const pod = (
    name: string,
    controller: string | undefined,
    metadata: KubeObject["metadata"] = { name },
  ): KubeObject => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...metadata,
      name,
      namespace: "apps",
      labels: { app: name, ...metadata.labels },
      ...(controller !== undefined && { ownerReferences: [{ kind: controller, name: "a", controller: true }] }),
    },
  });
  const budget = (app: string, disruptionsAllowed: number, owner?: string): KubeObject => ({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: {
      name: `${app}-${disruptionsAllowed}`,
      namespace: "apps",
      ...(owner !== undefined && { ownerReferences: [{ kind: owner, name: "a", controller: true }] }),
    },
    spec: { selector: { matchLabels: { app } } },
    status: { disruptionsAllowed },
  });
  const impact = impactOf({
    nodes: workers(3),
    pods: {
      "worker-1": [
        pod("web", "ReplicaSet"),
        pod("twice", "ReplicaSet"),
        pod("bare", undefined),
        pod("agent", "DaemonSet"),
        pod("static", "Node", { name: "static", annotations: { "kubernetes.io/config.mirror": "a" } }),
        pod("virt-launcher-vm", undefined, { name: "virt-launcher-vm", labels: { "kubevirt.io": "virt-launcher" } }),
      ],
    },
    budgets: [
      budget("web", 0),
      budget("twice", 1),
      budget("twice", 2),
      budget("agent", 0),
      budget("virt-launcher-vm", 0, "VirtualMachineInstance"),
    ],
  });
  expect(impact.pods).toEqual({ block: 2, delete: 1 });
  expect(impact.blockers.map(({ kind, name, reason }) => `${kind} ${name} ${reason}`)).toEqual([
    "Pod twice TwoBudgets",
    "Pod web PodDisruptionBudget",
  ]);
  expect(impact.summary).toBe(
    "Reboots 3 nodes (worker pool, one at a time). 2 pods block the drain of worker-1. Deletes 1 pod that has no controller. Takes 30 minutes to 2 hours, not counting blocked time.",
  );
});

test("world 12: 500 workers share five lanes, and 20 blockers are listed", () => {
  const nodes = workers(500);
  const names = namesOf(nodes);
  const impact = impactOf({
    nodes,
    pools: [poolObject("master"), poolObject("worker", { maxUnavailable: "10%" })],
    vms: [
      ...vmsOn(names, 10, { gib: 4 }),
      ...names.slice(0, 300).map((node) => vmObject(`${node}-disks`, node, { gib: 4, isMigratable: false })),
    ],
  });
  expect(impact.pools[0]).toMatchObject({ atOnce: 50 });
  expect(bounds(impact)).toEqual([(500 * 1900) / 50, Math.ceil((500 * 12_440) / 50 + (12_440 * 49) / 50)]);
  expect(bounds(impact)).toEqual([19_000, 136_592]);
  expect(impact.duration?.text).toBe("5–38 hours");
  expect(impact.vms).toEqual({ ...noVms, migrate: 5000, block: 300 });
  expect(impact.blockers).toHaveLength(20);
  expect(impact.more.blockers).toBe(280);
});
