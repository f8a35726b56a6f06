import { conditionOf } from "@virt/advisor";
import type { Impact, JsonMap, KubeObject, Status } from "@virt/api";
import { nodeObject, workers } from "@virt/impact/testing/cluster-builder";
import { utf8Length } from "@virt/objects";
import { afterEach, expect, test } from "vitest";
import { edit, higherDensity, loadAware, paths, readAt, removeAt } from "../support/advisor.ts";
import { useAdvisor } from "../support/advisor-suite.ts";
import { createAssessed, isAssessed, PlantedCluster, podOf } from "../support/planted-cluster.ts";
import { changeRules, managerRole, type Rule, roles, untilAllowed } from "../support/rights.ts";

const podRole = `${roles}/virt-advisor-operator-pod-reader`;
let planted: PlantedCluster;
const takenFrom = new Map<string, readonly Rule[]>();

const advisor = useAdvisor({
  moreCrds: ["kubevirts", "virtualmachines", "machineconfigurations", "infrastructures"],
  lacksRights: true,
  prepare: async ({ server }) => {
    planted = new PlantedCluster(server);
    await planted.plantPlatform();
    await planted.plant(workers(3));
    await planted.plant([podOf("bare", {})]);
    await planted.plantVms([
      { name: "moves", node: "worker-0" },
      { name: "restarts", node: "worker-0", strategy: "None" },
    ]);
  },
});
afterEach(async () => {
  for (const [role, rules] of takenFrom) await edit(advisor().server, role, { rules });
  takenFrom.clear();
  for (const name of [loadAware, higherDensity]) await removeAt(advisor().server, paths.config(name));
  await removeAt(advisor().server, paths.psi);
});

async function untilWritten(isShown: (status: Status) => boolean): Promise<Status> {
  await expect.poll(() => readAt(advisor().server, paths.psi)).toBeDefined();
  return advisor().configs.until(loadAware, (status) => status.phase === "InProgress" && isShown(status));
}

/** Excludes pools, without which no plan is possible. */
const reads = [
  { group: "kubevirt.io", resource: "virtualmachineinstances", verb: "list", role: managerRole, what: "VMs" },
  { group: "kubevirt.io", resource: "virtualmachines", verb: "get", role: managerRole, what: "VM owners" },
  { group: "kubevirt.io", resource: "kubevirts", verb: "list", role: managerRole, what: "KubeVirt" },
  { group: "policy", resource: "poddisruptionbudgets", verb: "list", role: managerRole, what: "pods" },
  { group: "", resource: "pods", verb: "list", role: podRole, what: "pods" },
  {
    group: "operator.openshift.io",
    resource: "machineconfigurations",
    verb: "list",
    role: managerRole,
    what: "disruption policies",
  },
  { group: "config.openshift.io", resource: "infrastructures", verb: "get", role: managerRole, what: "infrastructure" },
] as const;

test.each(reads)("without the right to read $resource, runs the plan and reports the gap", async (read) => {
  await takeAway(read);
  await advisor().configs.create(loadAware, { action: "Apply" });
  const { impact } = await untilWritten(isAssessed);
  expect(impact?.notAssessed).toMatchObject([{ what: read.what, reason: "Forbidden" }]);
});

test("without the right to read nodes, plans for workers and names the right", async () => {
  await takeAway({ group: "", resource: "nodes", verb: "list", role: managerRole });
  await advisor().configs.create(loadAware);
  const { items = [] } = await advisor().configs.until(loadAware, "ReviewRequired");
  const psi = items.find(({ targetRef }) => targetRef.kind === "MachineConfig");
  expect(psi?.targetRef.name).toBe("99-worker-psi-karg");
  expect(psi?.warnings?.join()).toMatch(
    /cannot read nodes \(403.*nodes is forbidden.*assumes that VMs run on worker nodes/,
  );
});

test("without the right to read nodes, the overcommit waits and names the right", async () => {
  await takeAway({ group: "", resource: "nodes", verb: "list", role: managerRole });
  await advisor().configs.create(higherDensity);
  const { items = [] } = await advisor().configs.until(higherDensity, "ReviewRequired");
  const overcommit = items.find(({ targetRef }) => targetRef.kind === "HyperConverged");
  expect(overcommit?.warnings?.join()).toContain("waits until the operator can read nodes (403");
});

test("without the right to read pools, a new config reports the missing right", async () => {
  const group = "machineconfiguration.openshift.io";
  await takeAway({ group, resource: "machineconfigpools", verb: "list", role: managerRole });
  await advisor().configs.create(loadAware);
  const status = await advisor().configs.until(loadAware, "Pending");
  expect(conditionOf(status, "Reconciling")).toMatchObject({ status: "True", reason: "Retrying" });
  expect(conditionOf(status, "Ready")?.message).toMatch(
    /MachineConfigPool not synced: 403.*machineconfigpools.* is forbidden/,
  );
});

const machineConfiguration = "machineconfiguration.openshift.io";
const reports = [
  { group: machineConfiguration, resource: "machineconfignodes", kind: "MachineConfigNode" },
  { group: machineConfiguration, resource: "kubeletconfigs", kind: "KubeletConfig" },
  { group: "kubevirt.io", resource: "virtualmachineinstancemigrations", kind: "VirtualMachineInstanceMigration" },
  { group: "kubevirt.io", resource: "virtualmachineinstances", kind: "VirtualMachineInstance" },
  { group: "policy", resource: "poddisruptionbudgets", kind: "PodDisruptionBudget" },
];

test.each(reports)(
  "without the right to read $resource, diagnoses the rollout and names the kind",
  async ({ kind, ...read }) => {
    await takeAway({ ...read, verb: "list", role: managerRole });
    await advisor().configs.create(loadAware, { action: "Apply" });
    const { rollout } = await untilWritten((status) => status.rollout !== undefined);
    expect(rollout?.pools).toMatchObject([{ name: "worker", total: 3 }]);
    expect(rollout?.notAssessed).toMatchObject([{ what: kind, reason: "Forbidden" }]);
  },
);

type Read = { readonly group: string; readonly resource: string; readonly verb: string; readonly role: string };

async function takeAway({ role, ...access }: Read): Promise<void> {
  const isIt = ({ apiGroups, resources = [] }: Rule) =>
    apiGroups.includes(access.group) && resources.includes(access.resource);
  const { server } = advisor();
  takenFrom.set(role, await changeRules(server, role, (rules) => rules.filter((rule) => !isIt(rule))));
  await untilAllowed(server, access, false);
}

test("counts incomplete VMs and VMs with the longest names within the status limit", async () => {
  const long = (start: string) => start.padEnd(253, "x");
  const bare = (name: string, more: JsonMap = {}): KubeObject => ({
    apiVersion: "kubevirt.io/v1",
    kind: "VirtualMachineInstance",
    metadata: { name },
    spec: { domain: { devices: {} } },
    ...more,
  });
  const twoNodes = {
    phase: "Running",
    nodeName: "worker-1",
    evacuationNodeName: "worker-0",
    migrationState: { sourceNode: "worker-1", targetNode: "worker-0", startTimestamp: "2026-01-01T00:00:00Z" },
    conditions: [{ type: "LiveMigratable", status: "True" }],
  };
  await planted.plant([
    nodeObject(long("long-"), { labels: { "kubernetes.io/hostname": "long" } }),
    bare("no-status"),
    bare("no-node", { status: { phase: "Running" } }),
    bare("no-memory", { status: { phase: "Running", nodeName: "worker-1" } }),
    bare("two-nodes", { status: twoNodes }),
  ]);
  await planted.plantVms(
    Array.from({ length: 30 }, (_, at) => ({ name: long(`vm-${at}-`), node: long("long-"), isMigratable: false })),
  );
  await advisor().configs.create(loadAware, { action: "Apply" });
  const status = await untilWritten(isAssessed);
  const impact = status.impact as Impact;
  expect(impact).toMatchObject({ nodes: 4, vms: { block: 31, migrate: 2, restart: 1, unknown: 2 }, notAssessed: [] });
  expect(impact.blockers.length + impact.more.blockers).toBe(31);
  expect(utf8Length(JSON.stringify(impact))).toBeLessThanOrEqual(16_000);
  expect(advisor().operator.log.filter(({ level }) => level === "error")).toEqual([]);
});

test("--impact-vm-names=false: lists VMs by node and namespace only", async () => {
  await advisor().stop();
  await planted.plantVms(["secret-0", "secret-1"].map((name) => ({ name, node: "worker-2", isMigratable: false })));
  await advisor().start("--impact-vm-names=false");
  const { impact } = await createAssessed(advisor(), loadAware);
  const entry = { kind: "VirtualMachineInstance", namespace: "vms", name: "*" };
  expect(impact.blockers.filter(({ node }) => node === "worker-2")).toEqual([
    { ...entry, node: "worker-2", reason: "DisksNotLiveMigratable" },
  ]);
  expect(JSON.stringify(impact)).not.toContain("secret");
});
