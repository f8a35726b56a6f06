import { get as getPlain } from "node:http";
import { get as getSecure } from "node:https";
import { text } from "node:stream/consumers";
import {
  AccessGuard,
  Client,
  findAccess,
  noLease,
  Registry,
  type Serving,
  serveMetrics,
  systemClock,
} from "@virt/kube";
import { type ApiUser, type Server, startServer } from "@virt/testkit";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

const rbac = "rbac.authorization.k8s.io";

const reports: string[] = [];
let server: Server;
let client: Client;
let serving: Serving;
let reader: ApiUser & { readonly token: string };
let stranger: ApiUser & { readonly token: string };

beforeAll(async () => {
  server = await startServer();
  const operator = await server.serviceAccount("operator", "operator");
  reader = await server.serviceAccount("monitoring", "reader");
  stranger = await server.serviceAccount("monitoring", "stranger");
  await grant("reviewer", "operator", "operator", [
    { apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] },
    { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
  ]);
  await grant("metrics-reader", "monitoring", "reader", [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }]);
  await grant("other-reader", "monitoring", "stranger", [{ nonResourceURLs: ["/metrics/*"], verbs: ["get"] }]);
  await untilGranted(operator, {
    resourceAttributes: { group: "authorization.k8s.io", resource: "subjectaccessreviews", verb: "create" },
  });
  await untilGranted(reader, { nonResourceAttributes: { path: "/metrics", verb: "get" } });
  await untilGranted(stranger, { nonResourceAttributes: { path: "/metrics/other", verb: "get" } });
  client = new Client({ access: findAccess({ env: {}, kubeconfig: operator.kubeconfig }), userAgent: "test" });
  serving = await serveMetrics({
    address: "127.0.0.1:0",
    registry: new Registry(),
    isSecure: true,
    guard: new AccessGuard({ client: client.under(noLease), clock: systemClock }),
    clock: systemClock,
    observer: {
      warned: (message) => reports.push(message),
      failed: (path, error) => reports.push(`${path} ${String(error)}`),
    },
  });
});

afterAll(async () => {
  if (serving.kind === "serving") await serving.close();
  client.close();
  await server.stop();
});

async function grant(name: string, namespace: string, account: string, rules: readonly object[]): Promise<void> {
  const post = async (plural: string, body: object) => {
    const path = `/apis/${rbac}/v1/${plural}`;
    expect((await server.request({ method: "POST", path, body })).status).toBe(201);
  };
  const apiVersion = `${rbac}/v1`;
  const roleRef = { apiGroup: rbac, kind: "ClusterRole", name };
  const subjects = [{ kind: "ServiceAccount", namespace, name: account }];
  await post("clusterroles", { apiVersion, kind: "ClusterRole", metadata: { name }, rules });
  await post("clusterrolebindings", { apiVersion, kind: "ClusterRoleBinding", metadata: { name }, roleRef, subjects });
}

// A new binding takes effect after some milliseconds.
async function untilGranted(who: ApiUser, spec: object): Promise<void> {
  const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  const isGranted = async () =>
    expect((await who.request({ method: "POST", path, body: { spec } })).body).toMatchObject({
      status: { allowed: true },
    });
  await vi.waitFor(isGranted, { timeout: 120_000, interval: 50 });
}

function ask(scheme: "http" | "https", token?: string): Promise<{ status: number; body: string }> {
  const port = serving.kind === "serving" ? serving.port : 0;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const settings = { headers, agent: false, rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    const send = scheme === "https" ? getSecure : getPlain;
    const request = send(`${scheme}://127.0.0.1:${port}/metrics`, settings, (incoming) => {
      text(incoming).then((body) => resolve({ status: incoming.statusCode ?? 0, body }), reject);
    });
    request.once("error", reject);
  });
}

test("a request without a token returns 401", async () => {
  expect(await ask("https")).toMatchObject({ status: 401 });
});

test("an unknown token returns 401", async () => {
  expect(await ask("https", "no-such-token")).toMatchObject({ status: 401 });
  expect(await ask("https", `${reader.token.slice(0, -8)}AAAAAAAA`)).toMatchObject({ status: 401 });
});

test("a token without the right returns 403 and names the account", async () => {
  const body = "Forbidden: system:serviceaccount:monitoring:stranger may not get /metrics\n";
  expect(await ask("https", stranger.token)).toEqual({ status: 403, body });
});

test("a token with the right returns 200 and costs one review a minute", async () => {
  const since = new Date().toISOString();
  const reviews = () =>
    server
      .audit()
      .filter(({ requestReceivedTimestamp }) => requestReceivedTimestamp > since)
      .filter(({ requestURI }) => /\/(?:tokenreviews|subjectaccessreviews)$/.test(requestURI)).length;
  for (let times = 0; times < 5; times++) expect(await ask("https", reader.token)).toMatchObject({ status: 200 });
  await expect.poll(reviews).toBe(2); // the audit log can be late
  expect(reports).toEqual([]);
});

test("refuses plain HTTP with any token", async () => {
  await expect(ask("http", reader.token)).rejects.toThrow(/hang up|reset/i);
});
