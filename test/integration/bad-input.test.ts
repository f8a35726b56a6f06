import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Authority, issueAuthority, issueClient } from "@virt/kube";
import { reply, type ScriptedReply, type Server, startScriptedServer, startServer, startTcpGate } from "@virt/testkit";
import { expect, onTestFinished, test } from "vitest";
import { alarms, startOperator } from "./operator/process.ts";

const dayMs = 86_400_000;
const days = (count: number) => new Date(Date.now() + count * dayMs);

/** Adds a client CA. The API server reloads its file after a change. */
function addAuthority(api: Server): Authority {
  const authority = issueAuthority("another authority", { from: days(-9), until: days(9) });
  appendFileSync(join(api.folder, "authority.crt"), authority.certificate);
  return authority;
}

type Config = { readonly clusters: unknown; readonly contexts: unknown; readonly users: { name: string }[] };

function certified(api: Server, authority: Authority, name: string) {
  const files = { certificate: join(api.folder, `${name}.crt`), key: join(api.folder, `${name}.key`) };
  const renew = (until: Date) => {
    const issued = issueClient(authority, name, ["system:masters"], { from: days(-2), until });
    writeFileSync(files.certificate, issued.certificate);
    writeFileSync(files.key, issued.key);
  };
  const config = JSON.parse(readFileSync(api.kubeconfig, "utf8")) as Config;
  const user = { "client-certificate": files.certificate, "client-key": files.key };
  const kubeconfig = join(api.folder, `${name}.json`);
  const users = config.users.map((each) => ({ ...each, user }));
  writeFileSync(kubeconfig, JSON.stringify({ ...config, users }));
  return { kubeconfig, renew };
}

test("reports an expired certificate once and uses its replacement without a restart", {
  timeout: 300_000,
  tags: ["thorough"],
}, async () => {
  await using api = await startServer();
  const authority = addAuthority(api);
  const good = certified(api, authority, "good");
  good.renew(days(1));
  const witness = await startOperator(`--kubeconfig=${good.kubeconfig}`);
  await expect.poll(() => witness.probe("/readyz")).toBe(200);

  const bad = certified(api, authority, "bad");
  bad.renew(days(-1));
  const operator = await startOperator(`--kubeconfig=${bad.kubeconfig}`);
  await expect.poll(() => alarms(operator).length).toBeGreaterThan(0);
  const refusals = () => api.audit().filter(({ responseStatus }) => responseStatus?.code === 401).length;
  const before = refusals();
  await expect.poll(refusals, { timeout: 120_000 }).toBeGreaterThan(before + 1); // backs off for up to half a minute
  expect(alarms(operator)).toEqual([
    expect.objectContaining({ why: expect.stringContaining("the client certificate expired at ") as string }),
  ]);
  expect([await operator.probe("/healthz"), await operator.probe("/readyz")]).toEqual([200, 500]);

  bad.renew(days(1));
  await expect.poll(() => operator.probe("/readyz")).toBe(200);
  expect(operator.words()).toBe("");
});

test("connects to an API server that starts after the operator", async () => {
  await using api = await startServer();
  await using gate = await startTcpGate({ host: "127.0.0.1", port: Number(new URL(api.url).port) });
  gate.setMode("closed");
  const kubeconfig = join(api.folder, "through-gate.kubeconfig");
  writeFileSync(kubeconfig, readFileSync(api.kubeconfig, "utf8").replace(api.url, `https://127.0.0.1:${gate.port}`));
  const operator = await startOperator(`--kubeconfig=${kubeconfig}`);
  await expect.poll(() => alarms(operator).length).toBe(1);
  const before = gate.connectionCount();
  await expect.poll(() => gate.connectionCount()).toBeGreaterThan(before + 1);
  gate.setMode("open");
  await expect.poll(() => operator.probe("/readyz")).toBe(200);
  expect(operator.words()).toBe("");
});

const bookmark = (resourceVersion: string, annotations = {}) =>
  `${JSON.stringify({ type: "BOOKMARK", object: { metadata: { resourceVersion, annotations } } })}\n`;
const listEnd = (version: string) => bookmark(version, { "k8s.io/initial-events-end": "true" });
const added = (name: string, resourceVersion: string) =>
  `${JSON.stringify({ type: "ADDED", object: { metadata: { name, resourceVersion } } })}\n`;

const broken = [
  { reason: "is not JSON", line: "<html>502 Bad Gateway</html>\n" },
  { reason: "is truncated", line: '{"type":"ADDED","object":{"metadata":{"na\n' },
  { reason: "has an unknown type", line: '{"type":"CHANGED","object":{}}\n' },
  { reason: "has an object without a name", line: '{"type":"ADDED","object":{"metadata":{"resourceVersion":"99"}}}\n' },
];

const crds = "/apis/apiextensions.k8s.io/v1";
const resources = [{ name: "customresourcedefinitions", kind: "CustomResourceDefinition", namespaced: false }];

function startSpoiled(line: string) {
  const spoiled = reply.stream(
    [listEnd("10"), added("a.example.org", "11"), line, added("b.example.org", "12")],
    "open",
  );
  const route: ScriptedReply = (response, seen) => {
    if (seen.path === crds) return reply.json(200, { kind: "APIResourceList", resources })(response, seen);
    if (!seen.path.startsWith(`${crds}/`)) return reply.text(404, "404 page not found")(response, seen);
    const isFirst = seen.path.includes("sendInitialEvents=true");
    return (isFirst ? spoiled : reply.stream([bookmark("20")], "open"))(response, seen);
  };
  return startScriptedServer(Array.from({ length: 1_000 }, () => route));
}

function plainKubeconfig(server: string): string {
  const file = join(tmpdir(), `plain-${new URL(server).port}.json`);
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "plain",
    clusters: [{ name: "plain", cluster: { server } }],
    users: [{ name: "nobody", user: {} }],
    contexts: [{ name: "plain", context: { cluster: "plain", user: "nobody" } }],
  };
  writeFileSync(file, JSON.stringify(config));
  onTestFinished(() => rmSync(file));
  return file;
}

test.each(broken)("resumes a watch at the last valid line after one that $reason", async ({ line }) => {
  await using server = await startSpoiled(line);
  const operator = await startOperator(`--kubeconfig=${plainKubeconfig(server.url)}`);
  const streams = () => server.seen.filter(({ path }) => path.startsWith(`${crds}/`));
  await expect.poll(() => streams().length).toBe(2);
  expect(streams()[1]?.path).toContain("&resourceVersion=11&");
  await expect.poll(() => operator.probe("/readyz")).toBe(200);
  // Such a server has no admission policies and accepts neither events nor reports.
  const beside = ["admission policies are not in force", "event dropped", "cannot write the report ConfigMap"];
  const alarming = () =>
    alarms(operator)
      .map(({ msg = "" }) => msg)
      .filter((msg) => !beside.includes(msg));
  await expect.poll(alarming).toEqual(["watch of CustomResourceDefinition: malformed"]);
  expect(operator.child.exitCode).toBeNull();
  expect(operator.words()).toBe("");
});
