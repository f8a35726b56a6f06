// Each operator uses all of its shipped rights. Lists are not streamed, as on older clusters.

import { readFileSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { join } from "node:path";
import type { JsonMap, KubeObject } from "@virt/api";
import { nodeObject, poolObject, vmObject } from "@virt/impact/testing/cluster-builder";
import { at } from "@virt/objects";
import { type AuditEvent, freePorts, inRepository, startFaultProxy } from "@virt/testkit";
import { afterEach, expect, test, vi } from "vitest";
import { advisor, type OperatorNames, platform } from "../../../tools/generate/operators.ts";
import { compareRights } from "../../../tools/rights/compare-rights.ts";
import { exceptions } from "../../../tools/rights/exceptions.ts";
import { grantedRights } from "../../../tools/rights/granted-rights.ts";
import { usedRights } from "../../../tools/rights/used-rights.ts";
import { fieldSettingWebhook, startWebhook } from "../../support/admission-webhook.ts";
import { edit, higherDensity, loadAware, paths } from "../../support/advisor.ts";
import { type FullCluster, startFullCluster, untilConverged } from "../../support/full-cluster.ts";
import { createPrometheusRoute, deschedulerNamespace, monitoredNamespace, routeCrd } from "../../support/monitoring.ts";
import { PlantedCluster } from "../../support/planted-cluster.ts";
import { hcoPath, runCommand } from "../../support/platform-cluster.ts";
import { createSelfTemplate, remediationCrds, remediationPaths } from "../../support/remediation.ts";
import { mockCrd, startTestCluster, type TestCluster } from "../../support/test-cluster.ts";

const availability = "vm-high-availability";
const prefix = "platform.kubevirt.io/";
const vms = "/apis/kubevirt.io/v1/namespaces/openshift-cnv/virtualmachineinstances";
const liveMigration = "live-migration";
const migrationPolicy = "/apis/migrations.kubevirt.io/v1alpha1/migrationpolicies/virt-live-migration";
const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Starts the operator behind a proxy that refuses streamed lists. Returns a function that requests its metrics. */
async function startBehindProxy(
  { server, startOperator }: TestCluster,
  { name, namespace }: OperatorNames,
  flags: readonly string[],
) {
  const account = await server.serviceAccount(namespace, `${name}-controller-manager`);
  const proxy = await startFaultProxy({ server });
  ends.push(proxy.stop);
  const refusal = { name: "no streams", trigger: { on: "every", matching: { verb: "watch" } } } as const;
  proxy.arm({ ...refusal, fault: { kind: "refuse-streaming-list" } });
  const [port = 0] = await freePorts(1);
  await startOperator({
    kubeconfig: proxy.kubeconfigFor(name, account),
    flags: ["--leader-elect", `--metrics-bind-address=127.0.0.1:${port}`, ...flags],
  });
  return () => statusOf(`https://127.0.0.1:${port}/metrics`, account.token);
}

function statusOf(url: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    // Accepts the operator's self-signed certificate, because the test concerns authorization.
    const asked = get(url, { headers, rejectUnauthorized: false }, (answer) =>
      resolve(answer.resume().statusCode ?? 0),
    );
    asked.once("error", reject);
  });
}

const until = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 90_000, interval: 100 });

function comparison({ server }: TestCluster, operator: OperatorNames, ...folders: readonly string[]) {
  const roles = folders.map((folder) => readFileSync(inRepository("config", "rbac", folder, "role.yaml"), "utf8"));
  const used = usedRights(server.audit(), [operator.account]);
  return compareRights(
    roles.flatMap((role) => grantedRights(operator.account, role)),
    used,
    exceptions,
  );
}

const nothingLeft = { unused: [], needless: [] };

test("the advisor uses every right that it is granted", { timeout: 300_000 }, async () => {
  const ofMigrations = ["migrationpolicies", "networkattachmentdefinitions"];
  const kinds = ["infrastructures", "machineconfigurations", "kubevirts", "virtualmachines", ...ofMigrations];
  const crds = { ...Object.fromEntries(kinds.map((kind) => [kind, kind])), ...remediationCrds };
  const testCluster = await startTestCluster({ crds });
  ends.push(testCluster[Symbol.asyncDispose]);
  const { configs, server } = testCluster;
  const scenario = join(server.folder, "scenario.json");
  const size = { count: 1, cpus: 8, memoryGiB: 32, swapGiB: 16 };
  const nodes = [
    { ...size, name: "worker", roles: ["worker"] },
    { ...size, name: "both", roles: ["master", "control-plane", "worker"] },
  ];
  writeFileSync(scenario, JSON.stringify({ nodes, vms: [], descheduler: null, mastersSchedulable: true }));
  await testCluster.simulate(scenario);
  await server.installCrds([routeCrd]);
  await createPrometheusRoute(server);
  await edit(server, deschedulerNamespace, monitoredNamespace);
  const askForMetrics = await startBehindProxy(testCluster, advisor, []);
  const isThere = async (name: string) => expect((await configs.status(name)).phase).toBe("Ignored");
  await until(() => isThere(loadAware));
  await until(() => isThere(higherDensity));
  await until(() => isThere(liveMigration));
  await until(() => isThere(availability));
  await createSelfTemplate(server);
  await assessPlan(testCluster);
  await configs.create("example-profile", { action: "Apply" });
  await configs.edit(loadAware, { action: "Apply" });
  await configs.edit(higherDensity, { action: "Apply" });
  await configs.edit(availability, { action: "Apply", options: { vmHighAvailability: { includeControlPlane: true } } });
  await configs.edit(liveMigration, {
    action: "Apply",
    options: { liveMigration: { policy: { vmLabels: { a: "b" } } } },
  });
  for (const name of ["example-profile", availability, liveMigration, loadAware, higherDensity])
    await configs.until(name, "Completed");
  await configs.edit(liveMigration, { options: { liveMigration: { enabled: false } } });
  await configs.edit(availability, { options: { vmHighAvailability: { enabled: false } } });
  await configs.edit(loadAware, { options: { loadAware: { enablePSIMetrics: false } } });
  await configs.edit(higherDensity, { options: { virtHigherDensity: { enableSwap: false } } });
  const ofMaster = [paths.psi, paths.swap].map((path) => path.replace("-worker-", "-master-"));
  for (const path of [paths.psi, paths.swap, ...ofMaster, migrationPolicy, remediationPaths.check])
    await until(async () => expect((await server.request({ path })).status).toBe(404));
  expect(await askForMetrics()).toBe(403);
  await until(() => expect(comparison(testCluster, advisor, "advisor", "example-profile")).toEqual(nothingLeft));
});

/** Shows a plan that stops a VM, whose owner determines whether it restarts. */
async function assessPlan({ configs, server }: TestCluster): Promise<void> {
  await server.request({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: "vms" } } });
  const planted = new PlantedCluster(server);
  const { body } = await server.request({ path: "/api/v1/nodes?labelSelector=node-role.kubernetes.io/worker" });
  const [worker] = (body as { readonly items: readonly KubeObject[] }).items;
  const node = worker?.metadata.name ?? "";
  // The strategy is manual, because the simulator would otherwise create the VM first.
  await planted.plantVms([{ name: "stops", node, strategy: "None", owner: "Manual" }]);
  await configs.edit(loadAware, { action: "DryRun" });
  const { impact } = await configs.until(loadAware, (status) => status.impact !== undefined);
  expect(impact).toMatchObject({ vms: { stop: 1 } });
  await planted.clear();
}

test("the platform operator uses every right that it is granted", { timeout: 300_000 }, async () => {
  const fullCluster = await startFullCluster();
  ends.push(fullCluster[Symbol.asyncDispose]);
  const { testCluster, read, edit, targets } = fullCluster;
  await expectReboots(fullCluster);
  const askForMetrics = await startBehindProxy(testCluster, platform, ["--activation=always"]);
  const isOwnerRead = ({ verb, requestURI }: AuditEvent) => verb === "get" && requestURI.includes("/virtualmachines/");
  await until(() => expect(testCluster.server.audit().some(isOwnerRead)).toBe(true));
  expect((await testCluster.server.request({ method: "DELETE", path: `${vms}/blocking` })).status).toBe(200);
  await untilConverged(fullCluster);
  await sufferMutation(fullCluster);
  const { annotations = {} } = (await read(hcoPath)).metadata;
  const asked = Object.keys(annotations).filter((key) => /\/(vfio|usb)-devices$|\/feature-gates$/.test(key));
  const switches = ["kubelet-performance-settings", "numa", "swap", "pci-passthrough", "loadaware", "mtv", "metallb"];
  const off = [...switches, "node-health-check", "observability"].map((name) => [`${prefix}enable-${name}`, "false"]);
  const taken = Object.fromEntries([...off, ...asked.map((key) => [key, null]), [`${prefix}prune`, "true"]]);
  await edit(hcoPath, { metadata: { annotations: taken } });
  const stays = ["HyperConverged", "Service", "ServiceMonitor", "PrometheusRule"];
  const gone = targets.filter(({ ref }) => !stays.includes(ref.kind)).map(({ path }) => path);
  await until(async () => {
    const answers = await Promise.all(gone.map((path) => testCluster.server.request({ path })));
    expect(gone.filter((_, at) => answers[at]?.status !== 404)).toEqual([]);
  });
  await governFor(testCluster);
  expect(await askForMetrics()).toBe(403);
  const { kubeconfig } = await testCluster.server.serviceAccount(
    platform.namespace,
    `${platform.name}-controller-manager`,
  );
  expect(await runCommand("render", `--kubeconfig=${kubeconfig}`)).toMatchObject({ code: 0 });
  await until(() => expect(comparison(testCluster, platform, "platform")).toEqual(nothingLeft));
});

/** Makes the reboot gate assess the impact on a pool with one node, with a VM that stops and one that blocks. */
async function expectReboots({ testCluster: { server }, edit }: FullCluster): Promise<void> {
  const create = async (path: string, body: KubeObject) =>
    expect((await server.request({ method: "POST", path, body })).status).toBe(201);
  await server.installCrds(["virtualmachines", "kubevirts", "machineconfigurations"].map(mockCrd));
  const mco = "machineconfiguration.openshift.io/v1";
  await create(`/apis/${mco}/machineconfigpools`, poolObject("worker"));
  const rendered = { apiVersion: mco, kind: "MachineConfig", metadata: { name: "rendered-1" }, spec: {} };
  await create(`/apis/${mco}/machineconfigs`, rendered);
  const { metadata, status } = nodeObject("worker-0");
  await edit("/api/v1/nodes/worker-0", {
    metadata: { annotations: metadata.annotations ?? {} },
    spec: { taints: null },
  });
  await edit("/api/v1/nodes/worker-0/status", { status: status ?? {} });
  for (const [name, strategy] of [
    ["ending", "None"],
    ["blocking", "LiveMigrate"],
  ] as const) {
    const owner = { apiVersion: "kubevirt.io/v1", kind: "VirtualMachine", name, uid: name, controller: true };
    const { metadata: _own, spec, ...vmi } = vmObject(name, "worker-0", { strategy, isMigratable: false });
    const own = { name, ownerReferences: [owner] };
    await create(vms, { ...vmi, metadata: own, spec: { ...(spec as JsonMap), domain: { devices: {} } } });
  }
  await edit(hcoPath, { metadata: { annotations: { [`${prefix}reboot-gate`]: "no-blockers" } } });
}

async function sufferMutation({ testCluster, edit, read }: FullCluster): Promise<void> {
  const check = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks/virt-node-health-check";
  const minHealthy = async () => at(await read(check), "spec", "minHealthy");
  const options = fieldSettingWebhook("remediation.medik8s.io", "nodehealthchecks", "/spec/minHealthy", "10%");
  await using webhook = await startWebhook(testCluster.server, options);
  await until(async () => {
    await edit(check, { metadata: { labels: { touched: `${Math.random()}` } } }, "person");
    expect(await minHealthy()).toBe("10%");
  });
  const isWatched = ({ verb, requestURI }: AuditEvent) =>
    verb === "watch" && requestURI.includes("/mutatingwebhookconfigurations");
  await until(() => expect(testCluster.server.audit().some(isWatched)).toBe(true));
  await webhook.remove();
  await until(async () => expect(await minHealthy()).toBe("51%"));
}

/** Completes and removes a plan, so that the operator records it and reads the current switches. */
async function governFor({ configs, server }: TestCluster): Promise<void> {
  const record = `/api/v1/namespaces/${platform.namespace}/configmaps/virt-platform-operator-governance`;
  const isRecorded = (text: string) =>
    until(async () => {
      const { body } = await server.request({ path: record });
      const { data = {} } = body as { readonly data?: Readonly<Record<string, string>> };
      expect(data["governance.json"]).toContain(text);
    });
  await configs.create(higherDensity, { action: "Apply" });
  const path = `/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/${higherDensity}/status`;
  const { status } = await server.request({ method: "PATCH", path, body: { status: { executedGeneration: 1 } } });
  expect(status).toBe(200);
  await isRecorded(higherDensity);
  await configs.remove(higherDensity);
  await isRecorded('"since"');
}
