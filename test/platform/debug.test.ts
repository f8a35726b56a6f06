import { get as getPlain } from "node:http";
import { request as askSecure } from "node:https";
import { text } from "node:stream/consumers";
import type { KubeObject } from "@virt/api";
import { type ApiUser, freePorts } from "@virt/testkit";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { hcoPath, runCommand, startPlatformCluster } from "../support/platform-cluster.ts";
import type { RunningProgram } from "../support/program.ts";
import { objectPaths } from "../support/running-platform.ts";
import type { TestCluster } from "../support/test-cluster.ts";

const canary = "eyJhbGciOiJSUzI1NiJ9.canary-that-nobody-may-see";
const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 90_000, interval: 100 });
let testCluster: TestCluster;
let reader: ApiUser & { readonly token: string };
let stranger: ApiUser & { readonly token: string };
let ports: readonly number[];
const operators: RunningProgram[] = [];

beforeAll(async () => {
  testCluster = await startPlatformCluster();
  reader = await testCluster.server.serviceAccount("support", "reader");
  stranger = await testCluster.server.serviceAccount("support", "stranger");
  await grant("debug-reader", "reader", ["/debug/*"]);
  await grant("metrics-reader", "stranger", ["/metrics"]);
  ports = await freePorts(2);
  for (const port of ports)
    operators.push(
      await testCluster.startOperator({
        flags: ["--activation=always", "--leader-elect", "--log-level=debug", `--debug-bind-address=127.0.0.1:${port}`],
      }),
    );
});
afterAll(() => testCluster[Symbol.asyncDispose]());

async function grant(name: string, account: string, nonResourceURLs: readonly string[]): Promise<void> {
  const rbac = "rbac.authorization.k8s.io";
  const metadata = { name };
  const roleRef = { apiGroup: rbac, kind: "ClusterRole", name };
  const subjects = [{ kind: "ServiceAccount", namespace: "support", name: account }];
  const bodies = {
    clusterroles: { kind: "ClusterRole", metadata, rules: [{ nonResourceURLs, verbs: ["get"] }] },
    clusterrolebindings: { kind: "ClusterRoleBinding", metadata, roleRef, subjects },
  };
  for (const [plural, body] of Object.entries(bodies)) {
    const path = `/apis/${rbac}/v1/${plural}`;
    const answer = await testCluster.server.request({
      method: "POST",
      path,
      body: { apiVersion: `${rbac}/v1`, ...body },
    });
    expect(answer.status).toBe(201);
  }
}

type DebugResponse = { readonly status: number; readonly body: string; readonly type: string | undefined };
type DebugRequest = { readonly token?: string | undefined; readonly method?: string; readonly replica?: number };

function ask(path: string, request: DebugRequest = {}): Promise<DebugResponse> {
  const { method = "GET", replica = 0 } = request;
  const token = "token" in request ? request.token : reader.token;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const settings = { method, headers, agent: false, rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    const request = askSecure(`https://127.0.0.1:${ports[replica]}${path}`, settings, (incoming) => {
      const { statusCode: status = 0, headers } = incoming;
      text(incoming).then((body) => resolve({ status, body, type: headers["content-type"] }), reject);
    });
    request.once("error", reject);
    request.end();
  });
}

const pages = [
  "/debug/render",
  "/debug/render/node-health-check",
  "/debug/exclusions",
  "/debug/objects",
  "/debug/features",
  "/debug/tombstones",
  "/debug/facts",
];

async function json<T>(path: string, replica = 0): Promise<T> {
  const { status, body, type } = await ask(`${path}?format=json`, { replica });
  expect({ status, type }).toEqual({ status: 200, type: "application/json; charset=utf-8" });
  return JSON.parse(body) as T;
}

test("the debug endpoint listens before any data is available", async () => {
  await until(async () => expect(await ask("/debug/health")).toMatchObject({ status: 200, body: "OK\n" }));
});

test("authenticates and authorizes each request, and refuses plain HTTP", async () => {
  for (const path of pages) {
    expect(await ask(path, { token: undefined })).toMatchObject({ status: 401 });
    expect(await ask(path, { token: "bad" })).toMatchObject({ status: 401 });
    // Retries, because frequent requests are rate-limited.
    await until(async () =>
      expect(await ask(path, { token: stranger.token })).toMatchObject({
        status: 403,
        body: `Forbidden: system:serviceaccount:support:stranger may not get ${path}\n`,
      }),
    );
  }
  const plain = new Promise((resolve, reject) => {
    getPlain(`http://127.0.0.1:${ports[0]}/debug/health`, resolve).once("error", reject);
  });
  await expect(plain).rejects.toThrow(/hang up|reset/i);
});

test("every page except health returns 503 without a HyperConverged", async () => {
  for (const path of pages)
    await until(async () =>
      expect(await ask(path)).toMatchObject({ status: 503, body: "no HyperConverged resource found\n" }),
    );
});

test("returns 405, 400 or 404 for an unsupported method, format or path", async () => {
  await testCluster.simulate("no-vms");
  await until(async () => expect(await ask("/debug/exclusions")).toMatchObject({ status: 200 }));
  expect(await ask("/debug/render", { method: "POST" })).toMatchObject({ status: 405, body: "Method not allowed\n" });
  expect(await ask("/debug/facts?format=xml")).toMatchObject({ status: 400, body: "Unsupported format: xml\n" });
  expect(await ask("/debug/facts?format=toString")).toMatchObject({ status: 400 });
  expect(await ask("/debug/render/nope")).toMatchObject({ status: 404, body: "Asset not found: nope\n" });
  expect(await ask("/debug/other")).toMatchObject({ status: 404 });
});

type Row = {
  readonly object: string;
  readonly status: string;
  readonly assets: readonly string[];
  readonly owned: readonly string[];
  readonly released: readonly string[];
  readonly contested: readonly object[];
  readonly lastWrite?: string;
  readonly lastError?: string;
};

const rowOf = async (object: string, replica = 0) =>
  (await json<readonly Row[]>("/debug/objects", replica)).find((row) => row.object === object);

test("the debug log traces a reconcile with its triggers, decisions and requests", async () => {
  const texts = (some: RegExp) => expect.arrayContaining([expect.stringMatching(some)]) as readonly string[];
  const traces = () => operators.flatMap(({ log }) => log.filter(({ msg }) => msg === "reconciled"));
  await until(async () =>
    expect(traces()).toContainEqual(
      expect.objectContaining({
        level: "debug",
        controller: "platform",
        key: expect.stringContaining("NodeHealthCheck") as string,
        triggers: texts(/./),
        decisions: texts(/^applied/),
        requests: texts(/nodehealthchecks.* \(20[01]\)$/),
        outcome: "done",
        durationMs: expect.any(Number) as number,
      }),
    ),
  );
});

test("the leader and the standby report unchanged objects as in sync", async () => {
  for (const replica of [0, 1])
    await until(async () =>
      expect(await rowOf("NodeHealthCheck virt-node-health-check", replica)).toMatchObject({
        status: "InSync",
        assets: ["node-health-check"],
        owned: expect.arrayContaining(["/spec/minHealthy"]) as readonly string[],
        released: [],
        contested: [],
        lastWrite: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
        fights: {},
      }),
    );
});

test("all replicas render the same YAML as the render command", async () => {
  await until(async () => {
    const [first, second] = [await ask("/debug/render"), await ask("/debug/render", { replica: 1 })];
    expect(first.type).toBe("application/yaml; charset=utf-8");
    expect(second.body).toBe(first.body);
    const { stdout } = await runCommand("render", `--kubeconfig=${testCluster.server.kubeconfig}`);
    expect(first.body).toBe(stdout);
    const whole = await runCommand("render", `--kubeconfig=${testCluster.server.kubeconfig}`, "--show-excluded");
    expect((await ask("/debug/render?show-excluded=true")).body).toBe(whole.stdout);
  });
});

test("renders a single asset with its object's overrides", async () => {
  const path = objectPaths.check;
  const annotations = {
    "platform.kubevirt.io/patch": '[{"op": "replace", "path": "/spec/minHealthy", "value": "60%"}]',
    "platform.kubevirt.io/ignore-fields": "/spec/stormCooldownDuration",
  };
  await testCluster.server.request({ method: "PATCH", path, body: { metadata: { annotations } } });
  await until(async () => {
    const entries = await json<readonly { readonly object: KubeObject }[]>("/debug/render/node-health-check");
    expect(entries).toMatchObject([{ asset: "node-health-check", status: "INCLUDED", object: { spec: { minHealthy: "60%" } } }]); // biome-ignore format: one line
    expect(await rowOf("NodeHealthCheck virt-node-health-check")).toMatchObject({
      status: "InSync",
      released: ["/spec/stormCooldownDuration"],
    });
  });
});

test("reports an unmanaged object as Unmanaged", async () => {
  const path = objectPaths.plugin;
  const mode = (value: string | null) =>
    testCluster.server.request({
      method: "PATCH",
      path,
      body: { metadata: { annotations: { "platform.kubevirt.io/mode": value } } },
    });
  await until(async () => expect(await rowOf("UIPlugin monitoring")).toMatchObject({ status: "InSync" }));
  await mode("unmanaged");
  await until(async () => expect(await rowOf("UIPlugin monitoring")).toMatchObject({ status: "Unmanaged" }));
  expect(await json("/debug/exclusions")).toContainEqual({
    asset: "observability-operator",
    group: "observability-operator",
    target: "UIPlugin monitoring",
    reason: "Unmanaged",
    details: "annotation platform.kubevirt.io/mode is unmanaged",
  });
  await mode(null);
});

test("shows the operator's exclusions, features, facts and tombstones", async () => {
  expect(await json("/debug/exclusions")).toContainEqual({
    asset: "aaq-operator",
    group: "aaq-operator",
    target: "HyperConverged openshift-cnv/kubevirt-hyperconverged",
    reason: "SwitchedOff",
    details: "expected platform.kubevirt.io/enable-aaq=true, found not set",
  });
  expect(await json("/debug/features")).toContainEqual(
    expect.objectContaining({ feature: "swap", active: ["swap-enable"], maturity: "TP" }),
  );
  expect(await json("/debug/facts")).toMatchObject({
    activation: { isActive: true, listed: null },
    topology: { isOpenShift: true, workerCount: 3 },
    crds: { "metallbs.metallb.io": true },
    ownNamespace: "virt-platform-operator-system",
  });
  expect(await json("/debug/tombstones")).toEqual([]);
});

test("never shows secrets or other clients' annotations", async () => {
  await testCluster.server.request({
    method: "PATCH",
    path: hcoPath,
    body: { metadata: { annotations: { "example.com/token": canary, "platform.kubevirt.io/enable-mtv": "false" } } },
  });
  await testCluster.server.request({
    method: "POST",
    path: "/api/v1/namespaces/openshift-cnv/secrets",
    body: { apiVersion: "v1", kind: "Secret", metadata: { name: "canary" }, stringData: { token: canary } },
  });
  await until(async () => expect((await ask("/debug/facts")).body).toContain("enable-mtv"));
  for (const path of [...pages, "/debug/render?show-excluded=true"]) {
    const { body } = await ask(path);
    expect(body).not.toContain(canary);
    expect(body).not.toContain(reader.token);
  }
});
