import type { KubeObject, NotAssessedReason } from "@virt/api";
import { readVirtSettings } from "@virt/cluster";
import { expect, test } from "vitest";
import { assessed, assessImpact, type ImpactFacts, notAssessed } from "./index.ts";
import { clusterFacts, namesOf, nodeObject, poolObject, vmObject, vmsOn, workers } from "./testing/cluster-builder.ts";

const nodes = workers(3);
const facts = clusterFacts({ nodes, vms: vmsOn(namesOf(nodes), 2) });
const reasons: readonly NotAssessedReason[] = ["NotServed", "Forbidden", "Listing", "Unavailable", "TooMany"];

test.each(reasons)("without nodes, assesses nothing: %s", (reason) => {
  const impact = assessImpact({ ...facts, nodes: notAssessed(reason, "the server's words") });
  expect(impact.summary).toBe(`Node impact: not assessed (${reason}).`);
  expect(impact.notAssessed).toEqual([{ what: "nodes", reason, message: "the server's words" }]);
  expect(impact).not.toHaveProperty("duration");
  expect(impact).not.toHaveProperty("vms");
});

const gaps: readonly { input: keyof ImpactFacts; what: string }[] = [
  { input: "vms", what: "VMs" },
  { input: "runStrategies", what: "VM owners" },
  { input: "settings", what: "KubeVirt" },
  { input: "budgets", what: "pods" },
  { input: "pods", what: "pods" },
  { input: "policies", what: "disruption policies" },
  { input: "shape", what: "infrastructure" },
  { input: "kubeletConfigs", what: "KubeletConfigs" },
];

test.each(gaps)("without $input, assesses the rest and reports $what", ({ input, what }) => {
  const impact = assessImpact({ ...facts, [input]: notAssessed("Unavailable") });
  expect(impact.notAssessed).toEqual([{ what, reason: "Unavailable", message: "" }]);
  expect(impact.nodes).toBe(3);
  expect(impact.duration).toBeDefined();
});

test("counts nodes without a pod list", () => {
  const { pods } = facts;
  const listed = pods.isAssessed ? new Map([...pods.value].slice(0, 1)) : new Map();
  const impact = assessImpact({ ...facts, pods: { isAssessed: true, value: listed } });
  expect(impact.pods).toEqual({ block: 0, delete: 0 });
  expect(impact.notAssessed).toEqual([{ what: "pods", reason: "TooMany", message: "pods of 2 nodes were not listed" }]);
});

test("does not require pods of nodes that are not drained", () => {
  const unlisted = { isAssessed: true, value: new Map() } as const;
  const reloading = assessImpact({ ...facts, disruption: [{ pool: "worker", class: "Reload" }], pods: unlisted });
  expect([reloading.nodes, reloading.notAssessed]).toEqual([3, []]);
  const cordoned = clusterFacts({ nodes: [nodeObject("worker-0", { isCordoned: true })] });
  const held = assessImpact({ ...cordoned, pods: unlisted });
  expect([held.held, held.notAssessed.map(({ what }) => what)]).toEqual([1, ["pods"]]);
});

test("lists a pool with a holdup among many pools", () => {
  const names = Array.from({ length: 12 }, (_, at) => `pool-${String(at).padStart(2, "0")}`);
  const nodes = names.map((name) => nodeObject(name, { roles: ["worker", name], isCordoned: name === "pool-11" }));
  const impact = assessImpact(
    clusterFacts({ nodes, pools: [poolObject("worker"), ...names.map((name) => poolObject(name))] }),
  );
  expect(impact.pools.map(({ name, holdup }) => holdup ?? name)).toEqual([...names.slice(0, 7), "MaxUnavailableUsed"]);
  expect(impact.more.pools).toBe(4);
});

test("a VM without a strategy is unknown without KubeVirt", () => {
  const vms = [vmObject("a", "worker-0", { strategy: null }), vmObject("b", "worker-0")];
  const impact = assessImpact({ ...clusterFacts({ nodes, vms }), settings: notAssessed("Listing") });
  expect(impact.vms).toMatchObject({ migrate: 1, unknown: 1 });
});

test("without KubeVirt, uses the HyperConverged and reports the gap", () => {
  const given = clusterFacts({ nodes, vms: [vmObject("a", "worker-0", { strategy: null })] });
  const hco = { apiVersion: "hco.kubevirt.io/v1beta1", kind: "HyperConverged", metadata: { name: "a" } };
  const fallbackSettings = readVirtSettings(undefined, { ...hco, spec: { evictionStrategy: "LiveMigrate" } });
  const impact = assessImpact({ ...given, settings: notAssessed("Forbidden"), fallbackSettings });
  expect(impact.vms).toMatchObject({ migrate: 1, unknown: 0 });
  expect(impact.notAssessed).toEqual([{ what: "KubeVirt", reason: "Forbidden", message: "" }]);
});

test("a VM with an unread owner counts as stopped", () => {
  const given = clusterFacts({ nodes, vms: [vmObject("a", "worker-0", { strategy: "None" })] });
  expect(assessImpact(given).vms).toMatchObject({ restart: 1, stop: 0 });
  expect(assessImpact({ ...given, runStrategies: notAssessed("TooMany") }).vms).toMatchObject({ restart: 0, stop: 1 });
});

test("no VM has a target if all nodes drain in one wave", () => {
  const pools = [poolObject("worker", { maxUnavailable: "100%" })];
  const impact = assessImpact(clusterFacts({ nodes, pools, vms: vmsOn(namesOf(nodes), 1) }));
  expect(impact.vms).toMatchObject({ migrate: 0, block: 3 });
  expect(impact.blockers.map(({ reason }) => reason)).toEqual(["NoTargetNode", "NoTargetNode", "NoTargetNode"]);
});

test("lists the objects of a node by namespace and name", () => {
  const blocking = ["c", "a", "b"].map((name) => vmObject(name, "worker-1", { isMigratable: false }));
  const other = vmObject("z", "worker-1", { isMigratable: false, metadata: { namespace: "apps" } });
  const earlier = vmObject("d", "worker-0", { isMigratable: false });
  const impact = assessImpact(clusterFacts({ nodes, vms: [...blocking, other, earlier] }));
  expect(impact.blockers.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual([
    "vms/d",
    "apps/z",
    "vms/a",
    "vms/b",
    "vms/c",
  ]);
});

test("sorts VMs and pods of a node together", () => {
  const pod = (namespace: string, name: string) => ({ apiVersion: "v1", kind: "Pod", metadata: { namespace, name } });
  const vms = [vmObject("b", "worker-0", { strategy: "None" })];
  const pods = { "worker-0": [pod("web", "a"), pod("vms", "a"), pod("vms", "c"), pod("apps", "z")] };
  const { stops } = assessImpact(clusterFacts({ nodes, vms, pods }));
  expect(stops.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`)).toEqual([
    "Pod apps/z",
    "Pod vms/a",
    "VirtualMachineInstance vms/b",
    "Pod vms/c",
    "Pod web/a",
  ]);
});

test("capacity is unknown if a VM reports no memory", () => {
  const vms = [vmObject("a", "worker-0", { spec: { domain: {} } })];
  expect(assessImpact(clusterFacts({ nodes, vms })).capacity.fits).toBe("Unknown");
});

test("capacity is unknown if the outcome of a VM is unknown", () => {
  const phase = clusterFacts({ nodes, vms: [vmObject("a", "worker-0", { phase: "Unknown" })] });
  expect(assessImpact(phase).capacity.fits).toBe("Unknown");
  const strategy = clusterFacts({ nodes, vms: [vmObject("a", "worker-0", { strategy: null })] });
  expect(assessImpact(strategy).capacity.fits).toBe("Yes");
  expect(assessImpact({ ...strategy, settings: notAssessed("Forbidden") }).capacity.fits).toBe("Unknown");
});

test("capacity is unknown if an owner is unread, and the gap is reported", () => {
  const vms = ["a", "b"].map((name) => vmObject(name, "worker-0", { strategy: "None", owner: "Manual" }));
  const given = clusterFacts({ nodes, vms });
  expect(assessImpact(given)).toMatchObject({ capacity: { fits: "Yes" }, notAssessed: [] });
  const refused = assessImpact({ ...given, runStrategies: notAssessed("Forbidden") });
  expect(refused.capacity.fits).toBe("Unknown");
  const half = assessImpact({ ...given, runStrategies: assessed(new Map([["vms/a", "Manual"]])) });
  expect(half.capacity.fits).toBe("Unknown");
  expect(half.notAssessed).toEqual([
    { what: "VM owners", reason: "Listing", message: "1 owner has not been read yet" },
  ]);
});

test("VMs without a node or phase are unknown, and so is capacity", () => {
  const unplaced = Array.from({ length: 5300 }, (_, at) =>
    vmObject(`vm-${at}`, "", { phase: at % 2 ? "" : "Pending" }),
  );
  const impact = assessImpact(clusterFacts({ nodes, vms: unplaced }));
  expect(impact.vms).toMatchObject({ migrate: 0, unknown: 5300 });
  expect(impact.capacity.fits).toBe("Unknown");
  expect(impact.summary).toContain("5300 VMs are in an unknown state.");
  const phaseless = assessImpact(clusterFacts({ nodes, vms: [vmObject("a", "worker-0", { phase: "" })] }));
  expect([phaseless.vms?.unknown, phaseless.vms?.starting, phaseless.capacity.fits]).toEqual([1, 0, "Unknown"]);
});

test("ignores VMs without a node if no node drains or they have ended", () => {
  const vms = [vmObject("a", "", { phase: "Pending" })];
  const reloading = assessImpact({
    ...clusterFacts({ nodes, vms }),
    disruption: [{ pool: "worker", class: "Reload" }],
  });
  expect(reloading.vms?.unknown).toBe(0);
  const ended = [
    vmObject("b", "", { phase: "Failed" }),
    vmObject("c", "", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }),
  ];
  expect(assessImpact(clusterFacts({ nodes, vms: ended })).vms?.unknown).toBe(0);
});

test("missing capacity takes precedence over unknown outcomes", () => {
  const small = workers(3, "worker-", { memory: "100Gi" });
  const vms = [...vmsOn(namesOf(small), 2, { gib: 40 }), vmObject("a", "worker-0", { phase: "Unknown" })];
  expect(assessImpact(clusterFacts({ nodes: small, vms })).capacity).toMatchObject({ fits: "No", unplacedVMs: 2 });
});

test("a rejected KubeletConfig is the holdup, and no reboot is predicted", () => {
  const kubeletConfig = (status: string): KubeObject => ({
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "KubeletConfig",
    metadata: { name: "tuned" },
    spec: { machineConfigPoolSelector: { matchLabels: { pool: "worker" } } },
    status: { conditions: [{ type: "Accepted", status, message: "Error: bad" }] },
  });
  const pool = { ...poolObject("worker"), metadata: { name: "worker", labels: { pool: "worker" } } };
  const impactOf = (config: KubeObject, labels = { pool: "worker" }) =>
    assessImpact(
      clusterFacts({
        nodes,
        pools: [{ ...pool, metadata: { name: "worker", labels } }],
        kubeletConfigs: [config],
        vms: vmsOn(namesOf(nodes), 2),
      }),
    );
  const refused = impactOf(kubeletConfig("False"));
  expect(refused.pools).toMatchObject([
    { name: "worker", nodes: 0, held: 3, holdup: "KubeletConfigRefused", heldBy: "tuned" },
  ]);
  expect(refused.summary).toContain("3 nodes of the worker pool are on hold (KubeletConfigRefused: tuned).");
  expect(refused.summary).not.toMatch(/reboot/i);
  expect(refused).not.toHaveProperty("duration");
  expect(impactOf(kubeletConfig("True"))).toMatchObject({ nodes: 3, held: 0 });
  expect(impactOf(kubeletConfig("False"), { pool: "infra" })).toMatchObject({ nodes: 3, held: 0 });
});

test("a random order of nodes is reported as an assumption", () => {
  const createdAt = (name: string, second: number, zone: string) => {
    const node = nodeObject(name, { labels: { "topology.kubernetes.io/zone": zone } });
    const creationTimestamp = `2026-01-01T00:00:0${second}Z`;
    return { ...node, metadata: { ...node.metadata, creationTimestamp } };
  };
  const assumesOf = (...given: readonly KubeObject[]) => assessImpact(clusterFacts({ nodes: given })).assumes;
  const random = "nodes of pool worker that were created in the same second are updated in random order";
  expect(assumesOf(createdAt("a", 1, "x"), createdAt("b", 1, "x"))).toContain(random);
  expect(assumesOf(createdAt("a", 1, "x"), createdAt("b", 2, "x"))).not.toContain(random);
  expect(assumesOf(createdAt("a", 1, "x"), createdAt("b", 1, "y"))).not.toContain(random);
});

test("reports assumptions", () => {
  const pinned = {
    spec: { nodeSelector: { "cpu-model.node.kubevirt.io/X": "true" }, domain: { memory: { guest: "8Gi" } } },
  };
  const masters = workers(2, "node-", { roles: ["master", "worker"] });
  const impact = assessImpact({
    ...clusterFacts({
      nodes: masters,
      vms: [vmObject("a", "node-0", pinned)],
      migrations: { bandwidthPerMigration: "1Mi" },
    }),
    disruption: [{ pool: "master", class: "Reboot" }],
  });
  expect(impact.assumes).toEqual([
    "10% of each node is reserved for other pods",
    "CPU, huge pages, devices, pod affinity and storage are not checked",
    "node selectors for CPU models and CPU features match every node",
    "migrations time out because the bandwidth limit is too low",
    "nodes of pool master that were created in the same second are updated in random order",
    "in pool master, the node that runs the Machine Config Operator is updated last, regardless of the order",
  ]);
});
