// Attacks on the standalone console by other programs and web pages on the same machine: each one is refused and
// counted.

import { type IncomingHttpHeaders, type RequestOptions, request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningConsole, startConsole } from "../../tools/console/start-console.ts";
import { startTestCluster, type TestCluster } from "../support/test-cluster.ts";

let cluster: TestCluster;
let shown: RunningConsole;
let opened: Answer;
let cookie = "";
let key = "";
let before = 0;
let attacks = 0;

beforeAll(async () => {
  cluster = await startTestCluster();
  shown = await startConsole(cluster.server.kubeconfig);
  opened = await ask(shown, { path: new URL(shown.url).pathname + new URL(shown.url).search });
  cookie = (opened.headers["set-cookie"]?.[0] ?? "").split(";")[0] ?? "";
  key = (opened.headers.location ?? "").replace("/#key=", "");
  before = forwarded();
});
afterAll(async () => {
  await shown.end();
  await cluster[Symbol.asyncDispose]();
});

type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string };

function ask({ origin }: RunningConsole, options: RequestOptions, body = ""): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(origin, { agent: false, ...options }, (response) => {
      void text(response).then((said) =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: said }),
      );
    });
    sent.once("error", reject);
    sent.end(body);
  });
}

function ownHeaders() {
  return { cookie, "x-virt-console-key": key };
}

function attack(options: RequestOptions, body = ""): Promise<Answer> {
  attacks++;
  const headers = { ...ownHeaders(), origin: shown.origin, ...(options.headers as Record<string, string>) };
  return ask(shown, { ...options, headers }, body);
}

const config = "/cluster/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/load-aware-rebalancing";

function forwarded(): number {
  return cluster.server.audit().filter(({ userAgent = "" }) => userAgent.startsWith("virt-console")).length;
}

test("exchanges the link for a cookie and a key, and answers requests", async () => {
  expect(opened).toMatchObject({ status: 303, headers: { location: `/#key=${key}` } });
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(opened.headers["set-cookie"]?.[0]).toMatch(/; HttpOnly; SameSite=Strict; Path=\/$/);
  expect((await ask(shown, { path: "/", headers: { cookie } })).status).toBe(200);
  expect((await ask(shown, { path: config, headers: ownHeaders() })).status).toBe(404);
  await expect.poll(forwarded).toBe(before + 1);
});

test.each(["evil.example", "evil.example:80", "127.0.0.1", "localhost", "127.0.0.1.evil.example", "[::1]", "0.0.0.0"])(
  "rejects a host name of DNS rebinding: %s",
  async (host) => {
    const { port } = new URL(shown.origin);
    const named = host === "127.0.0.1" || host === "localhost" ? host : `${host}:${port}`;
    expect((await attack({ path: config, headers: { host: named } })).status).toBe(421);
    expect((await attack({ path: "/", headers: { host: named } })).status).toBe(421);
  },
);

test.each(["https://evil.example", "http://localhost", "null", "http://127.0.0.1:1", "file://"])(
  "rejects requests from another origin: %s",
  async (origin) => {
    expect((await attack({ path: config, headers: { origin } })).status).toBe(403);
    const body = '{"spec":{"action":"Apply"}}';
    const headers = { origin, "content-type": "application/merge-patch+json" };
    expect((await attack({ method: "PATCH", path: config, headers }, body)).status).toBe(403);
  },
);

test("rejects writes without an origin and requests embedded by another site", async () => {
  const headers = { ...ownHeaders(), "content-type": "application/merge-patch+json" };
  attacks += 2;
  expect((await ask(shown, { method: "PATCH", path: config, headers }, "{}")).status).toBe(403);
  const embedded = { cookie, "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
  expect((await ask(shown, { path: "/console.js", headers: embedded })).status).toBe(403);
});

test("rejects a missing or wrong cookie and a reused token", async () => {
  for (const path of ["/", "/console.js", config, "/stream?of=configs"])
    for (const wrong of ["", "virt-console=1", `${cookie.split("=")[0]}=${"0".repeat(64)}`])
      expect((await attack({ path, headers: { cookie: wrong } })).status).toBe(401);
  const { pathname, search } = new URL(shown.url);
  const again = await attack({ path: pathname + search, headers: { cookie: "" } });
  expect(again).toMatchObject({ status: 401, body: expect.stringContaining("has already been used") });
  expect((await attack({ path: `/?token=${"0".repeat(64)}`, headers: { cookie: "" } })).status).toBe(401);
  expect((await attack({ path: `${config}?${search.slice(1)}`, headers: { cookie: "" } })).status).toBe(401);
});

test("rejects the cookie without the key of the page", async () => {
  const body = '{"spec":{"action":"Apply"}}';
  const type = { "content-type": "application/merge-patch+json" };
  for (const wrong of [
    "",
    "0".repeat(64),
    cookie.split("=")[1] ?? "",
    new URL(shown.url).searchParams.get("token") ?? "",
  ]) {
    const headers = { "x-virt-console-key": wrong };
    for (const path of [config, "/stream?of=configs", "/session/activity"])
      expect((await attack({ path, headers })).status).toBe(401);
    expect((await attack({ method: "POST", path: "/session/activity", headers })).status).toBe(401);
    expect((await attack({ method: "PATCH", path: config, headers: { ...headers, ...type } }, body)).status).toBe(401);
  }
  const { pathname, search } = new URL(shown.url);
  const again = await attack({ path: pathname + search, headers: { "x-virt-console-key": "" } });
  expect(again).toMatchObject({ status: 303, headers: { location: "/" } });
});

test.each([
  "/cluster/api/v1/secrets",
  "/cluster/api/v1/namespaces/default/secrets/a",
  "/cluster/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/../../../../api/v1/secrets",
  "/cluster/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/%2e%2e/%2e%2e/%2e%2e/secrets",
  "/cluster/%2e%2e/api/v1/secrets",
  "/cluster//api/v1/secrets",
  "/cluster/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs/a%2f..%2fb",
  "/cluster/version",
  "/stream?of=secrets",
  "/stream?of=configs&of=__proto__",
  "/stream?of=configs&watch=true",
])("rejects a path that pages do not need: %s", async (path) => {
  expect((await attack({ path })).status).toBe(403);
});

test.each([
  "/..",
  "/../etc/passwd",
  "/%2e%2e/etc/passwd",
  "//evil.example/",
  "/console.js/../../main.ts",
  "/constructor",
  "/__proto__",
])("returns 404 for a path outside the pages: %s", async (path) => {
  expect((await attack({ path })).status).toBe(404);
});

test.each(["PUT", "DELETE", "POST", "OPTIONS"])("rejects the method %s", async (method) => {
  expect([403, 405]).toContain((await attack({ method, path: config })).status);
  expect((await attack({ method, path: "/" })).status).toBe(405);
});

test("rejects a long body and proxy requests", async () => {
  const headers = { "content-type": "application/merge-patch+json" };
  const answer = await attack(
    { method: "PATCH", path: config, headers },
    `{"spec":{"action":"${"a".repeat(100_000)}"}}`,
  );
  expect(answer.status).toBe(413);
  expect((await attack({ path: `http://evil.example${config}` })).status).toBe(404);
  const { port } = new URL(shown.origin);
  attacks++;
  const said = await new Promise<string>((resolve) => {
    const socket = connect(Number(port), "127.0.0.1", () =>
      socket.write("CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
    );
    let all = "";
    socket.on("data", (piece) => {
      all += piece.toString();
    });
    socket.once("close", () => resolve(all));
  });
  expect(said).toBe("");
});

test("every response forbids foreign scripts, framing and type sniffing", async () => {
  for (const path of ["/", "/console.js", config, "/nothing"]) {
    const { headers } = await ask(shown, { path, headers: ownHeaders() });
    expect(headers["content-security-policy"]).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(headers).toMatchObject({ "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" });
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  }
});

test("reports a busy port and uses the next one, on loopback only", async () => {
  const port = Number(new URL(shown.origin).port);
  const second = await startConsole(cluster.server.kubeconfig, port);
  try {
    expect(Number(new URL(second.origin).port)).toBeGreaterThan(port);
    await expect.poll(second.words).toMatch(new RegExp(`Port ${port} is in use. Using port \\d+ instead`));
    expect(second.origin).toMatch(/^http:\/\/127\.0\.0\.1:/);
    // The cookie of one console is not valid for another.
    expect((await ask(second, { path: "/", headers: ownHeaders() })).status).toBe(401);
  } finally {
    expect(await second.end()).toBe(0);
  }
});

test("no attack reaches the API server", () => {
  expect(attacks).toBeGreaterThan(60);
  // Two legitimate requests read the config: in the first test and in the test of response headers.
  expect(forwarded() - before).toBe(2);
});
