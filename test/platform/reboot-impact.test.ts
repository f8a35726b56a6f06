import type { JsonMap, KubeObject } from "@virt/api";
import { nodeObject, poolObject } from "@virt/impact/testing/cluster-builder";
import { asList, asText, at } from "@virt/objects";
import { type ApiResponse, type FaultProxy, startFaultProxy } from "@virt/testkit";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { operatorAccount } from "../support/account.ts";
import { PlantedCluster, type PlantedVm } from "../support/planted-cluster.ts";
import { hcoPath, runCommand } from "../support/platform-cluster.ts";
import { objectPaths } from "../support/running-platform.ts";
import { mockCrd, startTestCluster, type TestCluster } from "../support/test-cluster.ts";

const mco = "/apis/machineconfiguration.openshift.io/v1";
const psi = `${mco}/machineconfigs/99-openshift-machineconfig-master-psi-karg`;
const vmis = "/apis/kubevirt.io/v1/namespaces/vms/virtualmachineinstances";
const infrastructure = "/apis/config.openshift.io/v1/infrastructures";
const prefix = "platform.kubevirt.io/";
let testCluster: TestCluster;
let proxy: FaultProxy;
let planted: PlantedCluster;

/** The shown impact changes once a minute. */
const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 150_000, interval: 100 });

function accepted({ status, body }: ApiResponse): void {
  if (status >= 300) throw new Error(JSON.stringify(body));
}

async function create(path: string, { status, ...body }: KubeObject): Promise<void> {
  const { server } = testCluster;
  accepted(await server.request({ method: "POST", path, body }));
  if (status === undefined) return;
  const shown = `${path}/${body.metadata.name}/status`;
  accepted(await server.request({ method: "PATCH", path: shown, body: { status } }));
}

const gate = (value: string | null) =>
  planted.change(hcoPath, { metadata: { annotations: { [`${prefix}reboot-gate`]: value } } });
const isWritten = async () => (await testCluster.server.request({ path: psi })).status === 200;

const addNode = (name: string) => planted.plant([nodeObject(name, { roles: ["master", "worker"] })]);
const addVm = (name: string, node: string, given: Partial<PlantedVm> = {}) =>
  planted.plantVms([{ owner: "Always", ...given, name, node }]);

async function explained(): Promise<string> {
  const { stdout, stderr } = await runCommand(
    "explain",
    "psi-enable-master",
    `--kubeconfig=${testCluster.server.kubeconfig}`,
  );
  return /^Impact: +(.*)$/m.exec(stdout)?.[1] ?? stderr;
}

async function reported(): Promise<{ readonly row: JsonMap; readonly text: string }> {
  const { body } = await testCluster.server.request({ path: objectPaths.report });
  const text = asText(at(body as JsonMap, "data", "report.json")) ?? "{}";
  const rows = asList(at(JSON.parse(text) as JsonMap, "objects")) as readonly JsonMap[];
  return { row: rows.find(({ object }) => asText(object)?.endsWith("master-psi-karg")) ?? {}, text };
}

const untilHeld = (why: string) =>
  until(async () => {
    const { row } = await reported();
    expect(row).toMatchObject({ status: "Held", held: expect.stringContaining(why) });
    expect(row["held"]).toMatch(/^RebootGate: /);
  });

async function events(reason: string): Promise<readonly JsonMap[]> {
  const { body } = await testCluster.server.request({ path: "/apis/events.k8s.io/v1/events" });
  return (asList(at(body as JsonMap, "items")) as readonly JsonMap[]).filter((event) => event["reason"] === reason);
}

beforeAll(async () => {
  const absent = { virtualmachineinstances: null, virtualmachineinstancemigrations: null };
  const crds = {
    infrastructures: "infrastructures",
    schedulers: "schedulers",
    machineconfigurations: "machineconfigurations",
  };
  testCluster = await startTestCluster({ controller: "platform", crds: { ...crds, ...absent } });
  const { server } = testCluster;
  planted = new PlantedCluster(server);
  const cluster = { name: "cluster" };
  await create(infrastructure, {
    apiVersion: "config.openshift.io/v1",
    kind: "Infrastructure",
    metadata: cluster,
    spec: {},
    status: { controlPlaneTopology: "SingleReplica", platformStatus: { type: "BareMetal" } },
  });
  const scheduler = {
    apiVersion: "config.openshift.io/v1",
    kind: "Scheduler",
    metadata: cluster,
    spec: { mastersSchedulable: true },
  };
  await create("/apis/config.openshift.io/v1/schedulers", scheduler);
  const rendered = { apiVersion: mco.slice(6), kind: "MachineConfig", metadata: { name: "rendered-1" }, spec: {} };
  await create(`${mco}/machineconfigs`, rendered);
  await planted.plant(["master", "worker"].map((name) => poolObject(name)));
  await addNode("node-0");
  const annotations = {
    "virt-platform-operator": "psi-enable-master",
    "enable-loadaware": "true",
    "reboot-gate": "no-blocker",
  };
  await create(hcoPath.slice(0, hcoPath.lastIndexOf("/")), {
    apiVersion: "hco.kubevirt.io/v1beta1",
    kind: "HyperConverged",
    metadata: {
      name: "kubevirt-hyperconverged",
      annotations: Object.fromEntries(Object.entries(annotations).map(([key, value]) => [`${prefix}${key}`, value])),
    },
    spec: {},
  });
  proxy = await startFaultProxy({ server });
  const kubeconfig = proxy.kubeconfigFor("platform", await operatorAccount(server, "platform"));
  const trigger = { on: "every", matching: { verb: "list", resource: "pods" } } as const;
  proxy.arm({ name: "pods are forbidden", trigger, fault: { kind: "answer", status: 403 } });
  await testCluster.startOperator({ kubeconfig });
});
afterAll(async () => {
  await testCluster[Symbol.asyncDispose]();
  await proxy.stop();
});

test("reports an unknown reboot-gate value and holds the write", async () => {
  await untilHeld('must be no-blockers, not "no-blocker"; did you mean no-blockers?');
  await until(async () => expect(await events("InvalidConfiguration")).toHaveLength(1));
  expect(await isWritten()).toBe(false);
}, 400_000);

test("holds the write and names the inputs that are not assessed", async () => {
  expect(await explained()).toBe(
    "Reboots 1 node (master pool). VM impact: not assessed (NotServed). Takes 10–30 minutes.",
  );
  await gate("no-blockers");
  await untilHeld("VMs not assessed (NotServed), pods not assessed (Forbidden)");
  await until(async () => {
    const notAssessed = [
      { what: "VMs", reason: "NotServed" },
      { what: "pods", reason: "Forbidden" },
    ];
    expect((await reported()).row).toMatchObject({ impact: { nodes: 1, notAssessed } });
  });
  expect(await isWritten()).toBe(false);
}, 400_000);

test("a single-node impact counts stopped and restarted VMs", async () => {
  await gate("none");
  proxy.disarm();
  await testCluster.server.installCrds(
    ["virtualmachineinstances", "virtualmachineinstancemigrations", "virtualmachines", "kubevirts"].map(mockCrd),
  );
  await planted.plantNamespace();
  for (const [name, owner] of [
    ["a", "Always"],
    ["b", "Always"],
    ["c", "Manual"],
  ] as const)
    await addVm(`single-${name}`, "node-0", { owner, grace: 180 });
  const summary = "Reboots 1 node (master pool). Stops 1 VM. Restarts 2 VMs. Takes 10–35 minutes.";
  expect(await explained()).toBe(summary);
  await until(async () =>
    expect((await reported()).row).toMatchObject({
      impact: { summary, nodes: 1, duration: { lowSeconds: 600, highSeconds: 1980 } },
    }),
  );
  expect(await isWritten()).toBe(false);
}, 400_000);

test("a VM that blocks the drain holds the write and is not named", async () => {
  await gate("none");
  for (const name of ["a", "b", "c"])
    accepted(await testCluster.server.request({ method: "DELETE", path: `${vmis}/single-${name}` }));
  for (const name of ["node-1", "node-2"]) await addNode(name);
  await planted.change(`${infrastructure}/cluster/status`, { status: { controlPlaneTopology: "HighlyAvailable" } });
  for (const node of ["node-0", "node-1", "node-2"])
    for (const each of [0, 1, 2, 3]) await addVm(`${node}-vm-${each}`, node);
  expect(await explained()).toBe(
    "Reboots 3 nodes (master pool, one at a time). Live-migrates 12 VMs. Takes 30 minutes to 2 hours.",
  );
  await addVm("stubborn", "node-1", { isMigratable: false });
  await gate("no-blockers");
  await untilHeld("1 VM blocks the drain");
  const blocked =
    "Reboots 3 nodes (master pool, one at a time). Live-migrates 12 VMs. 1 VM blocks the drain of node-1. Takes 30 minutes to 2 hours, not counting blocked time.";
  expect(await explained()).toBe(blocked);
  expect((await reported()).text).not.toContain("stubborn");
  await until(async () => expect(await events("RebootHeld")).not.toEqual([]));
  expect(JSON.stringify(await events("RebootHeld"))).not.toContain("stubborn");
  expect(await isWritten()).toBe(false);
}, 400_000);

test("sends the held write after the blocker is gone, with one report", async () => {
  const reportedBefore = (await events("RebootHeld")).length;
  accepted(await testCluster.server.request({ method: "DELETE", path: `${vmis}/stubborn` }));
  await until(async () => expect(await isWritten()).toBe(true));
  await until(async () => {
    const { row } = await reported();
    expect(row).toMatchObject({ status: "InSync" });
    expect(row).not.toHaveProperty("impact");
  });
  expect(await events("RebootHeld")).toHaveLength(reportedBefore);
}, 400_000);

test("holds a deletion that reboots nodes until nothing blocks it", async () => {
  const heldBefore = (await events("RebootHeld")).length;
  await addVm("steadfast", "node-1", { isMigratable: false });
  const switchedOff = { [`${prefix}enable-loadaware`]: "false", [`${prefix}prune`]: "true" };
  await planted.change(hcoPath, { metadata: { annotations: switchedOff } });
  await untilHeld("1 VM blocks the drain. The object is deleted automatically after the cause is resolved.");
  await until(async () => {
    const { row, text } = await reported();
    expect(row).toMatchObject({ assets: [], impact: { nodes: 3, vms: { block: 1 } } });
    expect(text).not.toContain("steadfast");
  });
  await until(async () => expect(await events("RebootHeld")).toHaveLength(heldBefore + 1));
  expect(JSON.stringify(await events("RebootHeld"))).not.toContain("steadfast");
  expect(await events("AssetPruned")).toEqual([]);
  expect(await isWritten()).toBe(true);
  accepted(await testCluster.server.request({ method: "DELETE", path: `${vmis}/steadfast` }));
  await until(async () => expect(await isWritten()).toBe(false));
  await until(async () => expect(await events("AssetPruned")).toHaveLength(1));
  await until(async () => {
    const { row } = await reported();
    expect(row).toMatchObject({ status: "Excluded" });
    expect(row).not.toHaveProperty("held");
    expect(row).not.toHaveProperty("impact");
  });
}, 400_000);
