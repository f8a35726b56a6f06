import { conditionOf } from "@virt/advisor";
import type { Impact, KubeObject } from "@virt/api";
import { nodeObject, workers } from "@virt/impact/testing/cluster-builder";
import { at } from "@virt/objects";
import { type FaultProxy, startFaultProxy } from "@virt/testkit";
import { afterAll, afterEach, expect, test } from "vitest";
import { openAccount } from "../support/account.ts";
import { auditTimeNow, loadAware, paths, readAt, reasonsAbout, requestsOf } from "../support/advisor.ts";
import { useAdvisor } from "../support/advisor-suite.ts";
import {
  budgetOf,
  createAssessed,
  noVms,
  PlantedCluster,
  type PlantedVm,
  podOf,
  untilWritten,
  vmsOnEach,
  zonedWorkers,
} from "../support/planted-cluster.ts";

const configPath = paths.config(loadAware);
let planted: PlantedCluster;
let proxy: FaultProxy;

const advisor = useAdvisor({
  moreCrds: ["virtualmachines", "machineconfigurations", "infrastructures"],
  lacksRights: true,
  prepare: async ({ server }) => {
    planted = new PlantedCluster(server);
    await planted.plantPlatform();
    proxy = await startFaultProxy({ server });
    return { kubeconfig: proxy.kubeconfigFor("advisor", await openAccount(server, "advisor")) };
  },
});
afterEach(async () => {
  proxy.disarm();
  await advisor().server.request({ method: "DELETE", path: configPath });
  await advisor().server.request({ method: "DELETE", path: paths.psi });
  await planted.clear();
});
afterAll(() => proxy.stop());

async function assessed(spec: object = {}): Promise<Impact> {
  const { impact, disruption } = await createAssessed(advisor(), loadAware, spec);
  expect(disruption).toEqual([{ pool: "worker", class: "Reboot" }]);
  return impact;
}

type ImpactCase = {
  readonly name: string;
  readonly nodes: readonly KubeObject[];
  readonly vms?: readonly PlantedVm[];
  readonly others?: readonly KubeObject[];
  readonly shows: object;
};

const small = { gib: 4 };
const onFirst = (name: string, given: Omit<PlantedVm, "name" | "node">): PlantedVm => ({
  name,
  node: "worker-0",
  ...small,
  ...given,
});

const refusedKubeletConfig: KubeObject = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "KubeletConfig",
  metadata: { name: "tuned" },
  spec: { machineConfigPoolSelector: {}, kubeletConfig: { staticPodPath: "/etc/pods" } },
  status: {
    conditions: [
      { type: "Success", status: "True", message: "Success", lastTransitionTime: "2026-01-01T00:00:00Z" },
      { type: "Failure", status: "False", message: "Error: staticPodPath", lastTransitionTime: "2026-01-02T00:00:00Z" },
    ],
  },
};

const impactCases: readonly ImpactCase[] = [
  {
    name: "1: twelve workers in three zones",
    nodes: zonedWorkers,
    vms: vmsOnEach(zonedWorkers, 18),
    shows: {
      summary: "Reboots 12 nodes (worker pool, one at a time). Live-migrates 216 VMs. Takes 2–13 hours.",
      nodes: 12,
      vms: { ...noVms, migrate: 216 },
      duration: { lowSeconds: 9468, highSeconds: 43_692, text: "2–13 hours", restart: "default", migration: "default" },
      capacity: { fits: "Yes", unplacedVMs: 0 },
      pools: [
        { name: "worker", class: "Reboot", waves: 12, order: expect.arrayContaining(["w-0", "w-3", "w-6", "w-9"]) },
      ],
      notAssessed: [],
    },
  },
  {
    name: "5: VMs with every eviction and run strategy",
    nodes: workers(3),
    vms: [
      onFirst("a-true", {}),
      onFirst("b-paused", {
        status: {
          conditions: [
            { type: "LiveMigratable", status: "True" },
            { type: "Paused", status: "True" },
          ],
        },
      }),
      onFirst("c-false", { isMigratable: false }),
      onFirst("d-none", { isMigratable: null }),
      onFirst("e-pinned", { spec: { nodeSelector: { "kubernetes.io/hostname": "worker-0" } } }),
      onFirst("f-cluster", { strategy: null }),
      onFirst("g-possible", { strategy: "LiveMigrateIfPossible" }),
      onFirst("h-possible", { strategy: "LiveMigrateIfPossible", isMigratable: false }),
      onFirst("i-possible", { strategy: "LiveMigrateIfPossible", isMigratable: false, owner: "Manual" }),
      onFirst("j-always", { strategy: "None" }),
      onFirst("k-rerun", { strategy: "None", owner: "RerunOnFailure" }),
      onFirst("l-alone", { strategy: "None", owner: null }),
      onFirst("m-set", { strategy: "None", owner: "VirtualMachineInstanceReplicaSet" }),
      onFirst("n-external", { strategy: "External" }),
      onFirst("o-starting", { phase: "Scheduling" }),
      onFirst("p-unknown", { phase: "Unknown" }),
      onFirst("q-over", { phase: "Succeeded" }),
    ],
    shows: {
      vms: { migrate: 4, block: 3, restart: 3, stop: 3, external: 1, starting: 1, unknown: 1 },
      duration: { lowSeconds: 1890, highSeconds: 5891, text: "30 minutes to 2 hours" },
      blockers: [
        { name: "c-false", reason: "DisksNotLiveMigratable" },
        { name: "d-none", reason: "LiveMigratableUnknown" },
        { name: "e-pinned", reason: "NoTargetNode" },
      ],
      stops: [
        { name: "h-possible", reason: "restart" },
        { name: "i-possible", reason: "stop" },
        { name: "j-always", reason: "restart" },
        { name: "k-rerun", reason: "stop" },
        { name: "l-alone", reason: "stop" },
        { name: "m-set", reason: "restart" },
        { name: "n-external", reason: "external" },
      ],
    },
  },
  {
    name: "11: budgets and pods of every kind",
    nodes: workers(3),
    others: [
      podOf("protected", { labels: { app: "one" }, owner: "ReplicaSet" }),
      podOf("twice", { labels: { app: "two" }, owner: "ReplicaSet" }),
      podOf("bare", {}),
      podOf("daemon", { owner: "DaemonSet" }),
      podOf("mirror", { isMirror: true }),
      podOf("free", { owner: "ReplicaSet" }),
      budgetOf("one", "one"),
      budgetOf("two", "two"),
      budgetOf("three", "two"),
      budgetOf("of-a-vm", "one", "VirtualMachineInstance"),
    ],
    shows: {
      pods: { block: 2, delete: 1 },
      blockers: [
        { kind: "Pod", name: "protected", reason: "PodDisruptionBudget" },
        { kind: "Pod", name: "twice", reason: "TwoBudgets" },
      ],
      stops: [{ kind: "Pod", name: "bare", reason: "delete" }],
    },
  },
  {
    name: "with a refused KubeletConfig that blocks rendering without RenderDegraded",
    nodes: workers(3),
    others: [refusedKubeletConfig],
    shows: {
      summary: expect.stringContaining("3 nodes of the worker pool are on hold (KubeletConfigRefused: tuned)"),
      pools: [{ name: "worker", nodes: 0, held: 3, holdup: "KubeletConfigRefused", heldBy: "tuned" }],
      notAssessed: [],
    },
  },
];

test.each(impactCases)("world $name", async ({ nodes, vms = [], others = [], shows }) => {
  await planted.plant([...nodes, ...others]);
  await planted.plantVms(vms);
  expect(await assessed()).toMatchObject(shows);
  await expect.poll(() => reasonsAbout(advisor().server, loadAware)).toContain("ImpactAssessed");
});

test("world 10: without the right to list VMs, a VM guard blocks the plan", async () => {
  await planted.plant(zonedWorkers);
  const matching = { resource: "virtualmachineinstances" };
  for (const verb of ["list", "watch"] as const)
    proxy.arm({
      name: `no ${verb}`,
      trigger: { on: "every", matching: { ...matching, verb } },
      fault: { kind: "answer", status: 403 },
    });
  const impact = await assessed({ guards: { maxBlockingVMs: 0 } });
  expect(impact).toMatchObject({
    duration: { lowSeconds: 7560, highSeconds: 22_680, text: "2–6.5 hours" },
    notAssessed: [{ what: "VMs", reason: "Forbidden" }],
    capacity: { fits: "Unknown" },
  });
  expect(impact).not.toHaveProperty("vms");
  const { planHash } = await advisor().configs.status(loadAware);
  await advisor().configs.edit(loadAware, { action: "Apply" });
  const held = await advisor().configs.until(loadAware, ({ conditions = [] }) =>
    conditions.some(({ message }) => message.includes("VMs not assessed (Forbidden)")),
  );
  expect(held).toMatchObject({ phase: "ReviewRequired", planHash, review: { reason: "Guarded", forced: false } });
  proxy.disarm();
  await untilWritten(advisor());
});

test("world 9: a capacity guard blocks the approved plan until VMs have room", async () => {
  const { configs, server } = advisor();
  await planted.plant(workers(3, "worker-", { memory: "100Gi" }));
  await planted.plantVms(vmsOnEach(workers(3), 2, { gib: 40, vcpus: 4 }));
  expect(await assessed({ guards: { requireCapacity: true } })).toMatchObject({
    capacity: { fits: "No", nodes: ["worker-0"], unplacedVMs: 2, unplacedMiB: 82_704 },
    duration: { lowSeconds: 2055, highSeconds: 8982, text: "30 minutes to 2.5 hours" },
  });
  await configs.edit(loadAware, { action: "Apply" });
  const held = await configs.until(loadAware, ({ review }) => review?.reason === "Guarded");
  expect(held.phase).toBe("ReviewRequired");
  expect(conditionOf(held, "Ready")).toMatchObject({
    status: "False",
    reason: "Guarded",
    message:
      "spec.guards.requireCapacity is true, but 2 VMs do not fit on other nodes while worker-0 is drained. Next: free memory on other nodes, or add a node. The plan starts automatically when the guard allows it. To withdraw the approval, set action to DryRun.",
  });
  await expect.poll(() => reasonsAbout(server, loadAware)).toContain("ExecutionHeld");
  expect(await readAt(server, paths.psi)).toBeUndefined();
  await planted.plant([nodeObject("worker-3", { memory: "100Gi" })]);
  await untilWritten(advisor());
});

test("a guard blocks the approved plan while a cordoned node prevents the assessment", async () => {
  const { configs, server } = advisor();
  await planted.plant([nodeObject("worker-0"), nodeObject("worker-1", { isCordoned: true }), nodeObject("worker-2")]);
  await assessed({ guards: { maxBlockingVMs: 0, maxNodes: 3 } });
  await configs.edit(loadAware, { action: "Apply" });
  const held = await configs.until(loadAware, ({ review }) => review?.reason === "Guarded");
  expect(conditionOf(held, "Ready")?.message).toContain(
    "spec.guards.maxBlockingVMs cannot be evaluated: pool worker has reached its maxUnavailable limit. Next: uncordon or repair the unavailable nodes of pool worker",
  );
  expect(await readAt(server, paths.psi)).toBeUndefined();
  await planted.change("/api/v1/nodes/worker-1", { spec: { unschedulable: null } });
  await untilWritten(advisor());
});

test("VM changes do not change the hash or send requests; Ignore ends the watches", async () => {
  const { configs, server } = advisor();
  await planted.plant(workers(3));
  await planted.plantVms(vmsOnEach(workers(1), 2));
  await assessed();
  const { planHash } = await configs.status(loadAware);
  const before = await readAt(server, configPath);
  const since = auditTimeNow();
  const vmis = "/apis/kubevirt.io/v1/namespaces/vms/virtualmachineinstances";
  await planted.plantVms([{ name: "blocks", node: "worker-2", isMigratable: false }]);
  await planted.change(`${vmis}/worker-0-0`, { status: { phase: "Failed" } });
  // Facts are updated at most once a minute. Until then the operator sends no requests.
  await expect.poll(() => streamsOf("virtualmachineinstances")).toBe(1);
  // Excludes discovery of absent kinds, which is retried after a start and names no resource.
  const asked = requestsOf(server, since).filter(
    ({ objectRef: { resource = "events" } = {} }) => resource !== "events",
  );
  expect(asked.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
  expect(at(await readAt(server, configPath), "metadata", "resourceVersion")).toBe(
    at(before, "metadata", "resourceVersion"),
  );
  expect((await configs.status(loadAware)).planHash).toBe(planHash);
  await configs.edit(loadAware, { action: "Ignore" });
  for (const resource of ["virtualmachineinstances", "poddisruptionbudgets"])
    await expect.poll(() => streamsOf(resource)).toBe(0);
});

function streamsOf(resource: string): number {
  const watches = advisor()
    .server.audit()
    .filter(
      ({ verb, objectRef, user }) =>
        verb === "watch" && objectRef?.resource === resource && user.username.includes("virt-advisor"),
    );
  const at = (wanted: string) => watches.filter(({ stage }) => stage === wanted).length;
  return at("ResponseStarted") - at("ResponseComplete");
}
