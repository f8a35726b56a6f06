import { conditionOf } from "@virt/advisor";
import type { Impact, JsonMap, KubeObject, Status } from "@virt/api";
import { nodeObject } from "@virt/impact/testing/cluster-builder";
import { utf8Length } from "@virt/objects";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { accountName } from "../support/account.ts";
import { edit, higherDensity, loadAware, paths, printRequestsOnFailure, readAt, removeAt } from "../support/advisor.ts";
import { PlantedCluster, podOf } from "../support/planted-cluster.ts";
import type { RunningProgram } from "../support/program.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";

type Rule = { readonly apiGroups: readonly string[]; readonly resources?: readonly string[] };

const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const managerRole = `${roles}/virt-advisor-operator-manager-role`;
const podRole = `${roles}/virt-advisor-operator-pod-reader`;
const configs = "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs";
let testCluster: TestCluster;
let planted: PlantedCluster;
let operator: RunningProgram;
const takenFrom = new Map<string, readonly Rule[]>();

beforeAll(async () => {
  const more = ["kubevirts", "virtualmachines", "machineconfigurations", "infrastructures"];
  testCluster = await startTestCluster({
    crds: Object.fromEntries(more.map((name) => [name, name])),
    lacksRights: true,
  });
  planted = new PlantedCluster(testCluster.server);
  await planted.plantPlatform();
  await planted.plant([0, 1, 2].map((at) => nodeObject(`worker-${at}`)));
  await planted.plant([podOf("bare", {})]);
  await planted.plantVms([
    { name: "moves", node: "worker-0" },
    { name: "restarts", node: "worker-0", strategy: "None" },
  ]);
  operator = await testCluster.startOperator({ flags: ["--advertise-profiles=false"] });
});
afterEach(printRequestsOnFailure(() => testCluster));
afterEach(async () => {
  for (const [role, rules] of takenFrom) await edit(testCluster.server, role, { rules });
  takenFrom.clear();
  for (const name of [loadAware, higherDensity]) await removeAt(testCluster.server, `${configs}/${name}`);
  await removeAt(testCluster.server, paths.psi);
});
afterAll(() => testCluster[Symbol.asyncDispose]());

async function untilWritten(isShown: (status: Status) => boolean): Promise<Status> {
  await expect.poll(() => readAt(testCluster.server, paths.psi)).toBeDefined();
  return testCluster.configs.until(loadAware, (status) => status.phase === "InProgress" && isShown(status));
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
  await testCluster.configs.create(loadAware, { action: "Apply" });
  const { impact } = await untilWritten((status) => status.impact !== undefined);
  expect(impact?.notAssessed).toMatchObject([{ what: read.what, reason: "Forbidden" }]);
});

test("without the right to read nodes, plans for workers and names the right", async () => {
  await takeAway({ group: "", resource: "nodes", verb: "list", role: managerRole });
  await testCluster.configs.create(loadAware);
  const { items = [] } = await testCluster.configs.until(loadAware, "ReviewRequired");
  const psi = items.find(({ targetRef }) => targetRef.kind === "MachineConfig");
  expect(psi?.targetRef.name).toBe("99-worker-psi-karg");
  expect(psi?.warnings?.join()).toMatch(
    /cannot read nodes \(403.*nodes is forbidden.*assumes that VMs run on worker nodes/,
  );
});

test("without the right to read nodes, the overcommit waits and names the right", async () => {
  await takeAway({ group: "", resource: "nodes", verb: "list", role: managerRole });
  await testCluster.configs.create(higherDensity);
  const { items = [] } = await testCluster.configs.until(higherDensity, "ReviewRequired");
  const overcommit = items.find(({ targetRef }) => targetRef.kind === "HyperConverged");
  expect(overcommit?.warnings?.join()).toContain("waits until the operator can read nodes (403");
});

test("without the right to read pools, a new config reports the missing right", async () => {
  const group = "machineconfiguration.openshift.io";
  await takeAway({ group, resource: "machineconfigpools", verb: "list", role: managerRole });
  await testCluster.configs.create(loadAware);
  const status = await testCluster.configs.until(loadAware, "Pending");
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
    await testCluster.configs.create(loadAware, { action: "Apply" });
    const { rollout } = await untilWritten((status) => status.rollout !== undefined);
    expect(rollout?.pools).toMatchObject([{ name: "worker", total: 3 }]);
    expect(rollout?.notAssessed).toMatchObject([{ what: kind, reason: "Forbidden" }]);
  },
);

type Read = { readonly group: string; readonly resource: string; readonly verb: string; readonly role: string };

/** Waits until the API server enforces the change. */
async function takeAway({ group, resource, verb, role }: Read): Promise<void> {
  const { server } = testCluster;
  const { rules } = (await readAt(server, role)) as unknown as { readonly rules: readonly Rule[] };
  const isIt = ({ apiGroups, resources = [] }: Rule) => apiGroups.includes(group) && resources.includes(resource);
  takenFrom.set(role, rules);
  await edit(server, role, { rules: rules.filter((rule) => !isIt(rule)) });
  const spec = { user: accountName("advisor"), resourceAttributes: { group, resource, verb, name: "cluster" } };
  const body = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", metadata: { name: "" }, spec };
  const isAllowed = async () => {
    const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    const answer = await server.request({ method: "POST", path, body });
    return (answer.body as { readonly status?: { readonly allowed?: boolean } }).status?.allowed;
  };
  await expect.poll(isAllowed).toBe(false);
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
  await testCluster.configs.create(loadAware, { action: "Apply" });
  const status = await untilWritten(({ impact }) => impact !== undefined);
  const impact = status.impact as Impact;
  expect(impact).toMatchObject({ nodes: 4, vms: { block: 31, migrate: 2, restart: 1, unknown: 2 }, notAssessed: [] });
  expect(impact.blockers.length + impact.more.blockers).toBe(31);
  expect(utf8Length(JSON.stringify(impact))).toBeLessThanOrEqual(16_000);
  expect(operator.log.filter(({ level }) => level === "error")).toEqual([]);
});

test("--impact-vm-names=false: lists VMs by node and namespace only", async () => {
  const { configs } = testCluster;
  await operator.kill();
  await planted.plantVms(["secret-0", "secret-1"].map((name) => ({ name, node: "worker-2", isMigratable: false })));
  await testCluster.startOperator({ flags: ["--advertise-profiles=false", "--impact-vm-names=false"] });
  await configs.create(loadAware);
  const { impact } = await configs.until(loadAware, (status) => status.impact !== undefined);
  const entry = { kind: "VirtualMachineInstance", namespace: "vms", name: "*" };
  expect(impact?.blockers.filter(({ node }) => node === "worker-2")).toEqual([
    { ...entry, node: "worker-2", reason: "DisksNotLiveMigratable" },
  ]);
  expect(JSON.stringify(impact)).not.toContain("secret");
});
