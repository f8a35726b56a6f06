import { chmod, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";
import type { JsonMap } from "@virt/api";
import { reply, startScriptedServer, startTcpGate } from "@virt/testkit";
import { load } from "js-yaml";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startConsole } from "../../tools/console/start-console.ts";
import { loadAware } from "../support/advisor.ts";
import { followPlugin, type PluginRun, runPlugin } from "../support/plugin.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";
import { createHyperConverged, storeReport } from "./platform-objects.ts";
import { type Rule, userWithRules } from "./user-with-rules.ts";

let testCluster: TestCluster;
let kubeconfig: string;

beforeAll(async () => {
  testCluster = await startTestCluster({ crds: { kubevirts: "kubevirts" }, lacksRights: true });
  ({ kubeconfig } = testCluster.server);
  await testCluster.configs.create(loadAware, { action: "Ignore" });
});
afterAll(() => testCluster[Symbol.asyncDispose]());

const run = (...args: readonly string[]): Promise<PluginRun> => runPlugin(args, { kubeconfig });

test("names the verb and the resource that a user lacks", async () => {
  const nobody = testCluster.server.user("nobody");
  for (const [args, verb] of [
    [["profiles"], "list"],
    [["status", loadAware], "get"],
    [["status", "--watch"], "list"],
  ] as const) {
    const { code, err } = await runPlugin(args, nobody);
    expect(code).toBe(1);
    expect(err).toContain(`cannot ${verb} virtplatformconfigs.advisor.kubevirt.io`);
    expect(err).toContain(`kubectl auth can-i ${verb} virtplatformconfigs.advisor.kubevirt.io`);
  }
  const blind = await runPlugin(["doctor"], nobody);
  expect(blind.code).toBe(1);
  expect(blind.out).toContain("MachineConfigPool: Forbidden");
  expect(blind.out).toContain("VirtualMachineInstance: Forbidden");
});

const machineConfiguration = "machineconfiguration.openshift.io";
const poolsPath = `/apis/${machineConfiguration}/v1/machineconfigpools`;

async function createPool(name: string, spec: JsonMap = {}): Promise<void> {
  const body = { apiVersion: `${machineConfiguration}/v1`, kind: "MachineConfigPool", metadata: { name }, spec };
  expect(await testCluster.server.request({ method: "POST", path: poolsPath, body })).toMatchObject({ status: 201 });
}

test("doctor exits with 7 for a user who may not list VMs", async () => {
  const user = await userWithRules(testCluster.server, "pool-reader", [
    { apiGroups: [machineConfiguration], resources: ["*"], verbs: ["list"] },
    { apiGroups: [""], resources: ["nodes"], verbs: ["list"] },
  ]);
  await createPool("worker");
  await expect.poll(async () => (await runPlugin(["doctor"], user)).code).toBe(7);
  const { out } = await runPlugin(["doctor"], user);
  expect(out).toMatch(/Found no blocking cause, but could not check: .*VirtualMachineInstance/);
  expect(out).not.toContain("Nothing is blocking the pools");
});

const unknownCause =
  "Cause: unknown, because the platform controller's report was not found or cannot be read. Changed: 50-virt-swap-enable.";
const readsStatus: readonly Rule[] = [
  { apiGroups: [machineConfiguration], resources: ["machineconfigpools"], verbs: ["list"] },
  { apiGroups: ["advisor.kubevirt.io"], resources: ["virtplatformconfigs"], verbs: ["get", "list"] },
];

async function rollSwap(pool: string): Promise<void> {
  const { server } = testCluster;
  const source = [{ kind: "MachineConfig", name: "50-virt-swap-enable" }];
  await createPool(pool, { configuration: { name: "rendered-2", source } });
  const body = { status: { configuration: { name: "rendered-1", source: [] } } };
  const patched = await server.request({ method: "PATCH", path: `${poolsPath}/${pool}/status`, body });
  expect(patched).toMatchObject({ status: 200 });
  onTestFinished(async () => void (await server.request({ method: "DELETE", path: `${poolsPath}/${pool}` })));
}

test("status shows an unknown cause without the platform controller's report", async () => {
  const user = await userWithRules(testCluster.server, "status-reader", readsStatus);
  await rollSwap("infra");
  await expect.poll(async () => (await runPlugin(["status"], user)).out).toContain(unknownCause);
  expect((await run("status")).out).toContain(unknownCause);
});

test("status and render find the report in OLM's namespace with rights only there", async () => {
  const { server } = testCluster;
  const namespace = "virt-operators-system";
  const user = await userWithRules(server, "olm-reader", readsStatus);
  const name = "virt-platform-operator-report";
  await storeReport(server, namespace, {
    objects: [{ object: "MachineConfig 50-virt-swap-enable", lastWrite: "2026-01-01T00:00:00Z" }],
  });
  const readsReport = { apiGroups: [""], resources: ["configmaps"], resourceNames: [name], verbs: ["get"] };
  await userWithRules(server, "olm-reader", [readsReport], namespace);
  onTestFinished(async () => {
    await server.request({ method: "DELETE", path: `/api/v1/namespaces/${namespace}/configmaps/${name}` });
  });
  await rollSwap("olm");
  const cause = "Cause: the platform controller (MachineConfig 50-virt-swap-enable).";
  await expect.poll(async () => (await runPlugin(["status"], user)).out).toContain(cause);
  for (const args of [["status"], ["status", loadAware]]) expect((await run(...args)).out).toContain(cause);
  await createHyperConverged(server);
  expect((await run("render")).out).toMatch(/swap-enable +EXCLUDED .* NotActivated/);
});

const verbs: readonly (readonly string[])[] = [
  ["profiles"],
  ["plan", loadAware, "--timeout", "1s"],
  ["diff", loadAware],
  ["impact", loadAware],
  ["approve", loadAware, "--hash", "0".repeat(64)],
  ["reject", loadAware],
  ["ignore", loadAware],
  ["status", loadAware],
  ["drift"],
  ["doctor"],
  ["assets"],
  ["render"],
  ["explain", "swap-enable"],
  ["enable"],
  ["version"],
];

test.each(verbs)("%s impersonates the --as user in every request", async (...args) => {
  const since = new Date().toISOString();
  await run(...args, "--as", "ann", "--as-group", "system:masters");
  const asked = testCluster.server
    .audit()
    .filter(({ userAgent }) => userAgent?.startsWith("kubectl-virt_advisor/"))
    .filter(({ requestReceivedTimestamp }) => requestReceivedTimestamp > since);
  expect(new Set(asked.map(({ impersonatedUser }) => impersonatedUser?.username))).toEqual(new Set(["ann"]));
});

test("the console impersonates the --as user and shows missing rights", async () => {
  const served = await startConsole(kubeconfig, 0, "--as", "viewer", "--as-group", "nothing");
  const opened = await fetch(served.url, { redirect: "manual" });
  const headers = {
    cookie: opened.headers.getSetCookie()[0]?.split(";")[0] ?? "",
    "x-virt-console-key": opened.headers.get("location")?.replace("/#key=", "") ?? "",
  };
  const answer = await fetch(
    `${served.origin}/cluster/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/${loadAware}`,
    { headers },
  );
  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain('User \\"viewer\\" cannot get resource');
  expect(await served.end()).toBe(0);
});

test("--context selects the cluster, and an HTML response is an error", async () => {
  await using html = await startScriptedServer([reply.text(200, "<html><title>Log in</title></html>")]);
  const other = join(testCluster.server.folder, "other-context.yaml");
  await writeFile(
    other,
    `apiVersion: v1\nkind: Config\nclusters: [{name: page, cluster: {server: "${html.url}"}}]\ncontexts: [{name: page, context: {cluster: page}}]\n`,
  );
  const both = { kubeconfig: `${kubeconfig}:${other}` };
  const asked = await runPlugin(["profiles", "--context", "page"], both);
  expect(asked).toMatchObject({ code: 1, out: "" });
  expect(asked.err).toContain("returned 200 with HTML. Check that this is the address of an API server");
  expect(await runPlugin(["profiles", "--context", "default"], both)).toMatchObject({ code: 0 });
});

test("--watch reports a lost connection, resumes, and ends with Ctrl-C", async () => {
  const { hostname, port } = new URL(testCluster.server.url);
  await using gate = await startTcpGate({ host: hostname, port: Number(port) });
  const text = await readFile(kubeconfig, "utf8");
  const gated = join(testCluster.server.folder, "gated.yaml");
  await writeFile(gated, text.replaceAll(testCluster.server.url, `https://127.0.0.1:${gate.port}`));
  const watching = followPlugin(["status", loadAware, "--watch"], { kubeconfig: gated });
  await expect.poll(watching.out).toContain(`${loadAware}: not processed yet`);
  gate.setMode("closed");
  await expect.poll(watching.err).toContain("connection lost: ");
  gate.setMode("open");
  await expect.poll(watching.err).toContain("connection restored");
  await testCluster.server.request({
    method: "PATCH",
    path: `/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/${loadAware}/status`,
    contentType: "application/merge-patch+json",
    body: { status: { phase: "Ignored" } },
  });
  await expect.poll(watching.out).toContain(`${loadAware}: Ignored`);
  watching.interrupt();
  expect(await watching.ended).toMatchObject({ code: 130 });
});

type Kubeconfig = {
  readonly clusters: { cluster: Record<string, unknown> }[];
  readonly users: { user: Record<string, unknown> }[];
};

async function writeKubeconfig(name: string, change: (config: Kubeconfig) => void): Promise<string> {
  const config = load(await readFile(kubeconfig, "utf8")) as Kubeconfig;
  change(config);
  const file = join(testCluster.server.folder, name);
  await writeFile(file, JSON.stringify(config));
  return file;
}

test("runs the credential plugin of the kubeconfig and reports its failure", async () => {
  const { token } = await testCluster.server.serviceAccount("default", "robot");
  const program = join(testCluster.server.folder, "credentials.sh");
  const credential = {
    apiVersion: "client.authentication.k8s.io/v1",
    kind: "ExecCredential",
    status: { token },
  };
  await writeFile(program, `#!/bin/sh\necho '${JSON.stringify(credential)}'\n`);
  await chmod(program, 0o755);
  const withExec = (command: string) => (config: Kubeconfig) => {
    const exec = { apiVersion: credential.apiVersion, command, interactiveMode: "Never" };
    for (const entry of config.users) entry.user = { exec };
  };
  const good = await runPlugin(["profiles"], { kubeconfig: await writeKubeconfig("exec.yaml", withExec(program)) });
  expect(good.err).toContain('User "system:serviceaccount:default:robot" cannot list resource');
  const bad = await runPlugin(["profiles"], {
    kubeconfig: await writeKubeconfig("no-exec.yaml", withExec("/no/such")),
  });
  expect(bad).toMatchObject({ code: 1, out: "" });
  expect(bad.err).toContain("/no/such");
});

test("sends requests through the proxy of the kubeconfig", async () => {
  const asked: string[] = [];
  const proxy = createServer().on("connect", (request, client: Socket) => {
    asked.push(request.url ?? "");
    const [host = "", port = ""] = (request.url ?? "").split(":");
    const server = connect(Number(port), host, () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      server.pipe(client).pipe(server);
    });
    server.on("error", () => client.destroy());
    client.on("error", () => server.destroy());
  });
  await new Promise<void>((resolve) => void proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const proxied = await writeKubeconfig("proxied.yaml", ({ clusters }) => {
    for (const { cluster } of clusters) cluster["proxy-url"] = `http://127.0.0.1:${port}`;
  });
  expect(await runPlugin(["profiles"], { kubeconfig: proxied })).toMatchObject({ code: 0, err: "" });
  expect(asked).toContain(new URL(testCluster.server.url).host);
});
