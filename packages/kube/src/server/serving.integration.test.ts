import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get as getPlain, type IncomingHttpHeaders } from "node:http";
import { get as getSecure, type RequestOptions } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { PeerCertificate, TLSSocket } from "node:tls";
import { reply, type ScriptedReply, VirtualClock } from "@virt/testkit";
import { expect, onTestFinished, test } from "vitest";
import { issueAuthority, issueServer } from "../auth/x509.ts";
import { noLease } from "../leaderelection/write-fence.ts";
import { Gauge, Registry } from "../metrics/metrics.ts";
import { startScripted } from "../testing/scripted-client.ts";
import { AccessGuard } from "./access-guard.ts";
import type { Routes } from "./routes.ts";
import { type Serving, serveGuarded, serveMetrics, serveProbes } from "./serving.ts";

const known = reply.json(201, { status: { authenticated: true, user: { username: "me" } } });
const unauthenticated = reply.json(201, { status: { authenticated: false } });
const yes = reply.json(201, { status: { allowed: true } });
const no = reply.json(201, { status: { allowed: false } });

function silent() {
  const reported: string[] = [];
  const observer = {
    warned: (message: string) => void reported.push(message),
    failed: (path: string, error: unknown) => void reported.push(`${path}: ${String(error)}`),
  };
  return { reported, observer };
}

function portOf(serving: Serving): number {
  if (serving.kind !== "serving") throw new Error(`not serving: ${JSON.stringify(serving)}`);
  onTestFinished(serving.close);
  return serving.port;
}

async function begin(script: readonly ScriptedReply[]) {
  const { server: api, client } = await startScripted(script);
  const clock = new VirtualClock(Date.now());
  return {
    ...silent(),
    api,
    clock,
    guard: new AccessGuard({ client: client.under(noLease), clock }),
    address: "127.0.0.1:0",
  };
}

type Got = { status: number; body: string; headers: IncomingHttpHeaders; peer?: PeerCertificate };

function get(url: string, headers: Record<string, string> = {}, options: RequestOptions = {}): Promise<Got> {
  const send = url.startsWith("https") ? getSecure : getPlain;
  const settings = { headers, agent: false, rejectUnauthorized: false, ...options };
  return new Promise((resolve, reject) => {
    const request = send(url, settings, (incoming) => {
      const socket = incoming.socket as TLSSocket;
      const peer = url.startsWith("https") ? { peer: socket.getPeerCertificate() } : {};
      const { statusCode = 0, headers } = incoming;
      text(incoming).then((body) => resolve({ status: statusCode, body, headers, ...peer }), reject);
    });
    request.once("error", reject);
  });
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test("answers a probe despite 240 idle connections, and closes those", async () => {
  const { observer } = silent();
  const port = portOf(await serveProbes({ address: "127.0.0.1:0", healthz: {}, readyz: {}, observer }));
  let open = 0;
  const sockets = Array.from({ length: 240 }, () => {
    const socket = connect(port, "127.0.0.1", () => open++).on("error", () => undefined);
    return socket.once("close", () => open--);
  });
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
  await Promise.all(sockets.map((socket) => new Promise((resolve) => void socket.once("connect", resolve))));
  expect(await get(`http://127.0.0.1:${port}/healthz`)).toMatchObject({ status: 200, body: "ok\n" });
  await expect.poll(() => open).toBeLessThanOrEqual(50);
});

test("answers probes in plain HTTP with the failed checks", async () => {
  let isReady = false;
  const { observer } = silent();
  const readyz = { sync: () => (isReady ? undefined : "nodes are not listed yet") };
  const port = portOf(await serveProbes({ address: "127.0.0.1:0", healthz: {}, readyz, observer }));
  const url = `http://127.0.0.1:${port}`;
  expect(await get(`${url}/healthz`)).toMatchObject({ status: 200, body: "ok\n" });
  expect(await get(`${url}/readyz`)).toMatchObject({ status: 500, body: "[-]sync failed: nodes are not listed yet\n" });
  isReady = true;
  expect(await get(`${url}/readyz?verbose`)).toMatchObject({ status: 200, body: "[+]sync ok\nok\n" });
  expect(await get(`${url}/metrics`)).toMatchObject({ status: 404 });
  expect(await get(`${url}/healthz`, {}, { method: "POST" })).toMatchObject({ status: 405, headers: { allow: "GET" } });
});

function registryWith(value: number): Registry {
  const registry = new Registry();
  new Gauge({ name: "answer", help: "The answer.", registers: [registry] }).set(value);
  return registry;
}

test("serves metrics over TLS to authorized tokens only", async () => {
  const { api, ...parts } = await begin([unauthenticated, known, no, known, yes]);
  const port = portOf(await serveMetrics({ ...parts, source: registryWith(42), isSecure: true }));
  const url = `https://127.0.0.1:${port}/metrics`;
  expect(await get(url)).toMatchObject({ status: 401, headers: { "www-authenticate": "Bearer" } });
  expect(await get(url, bearer("bad"))).toMatchObject({ status: 401 });
  expect(await get(url, bearer("weak"))).toMatchObject({ status: 403, body: "Forbidden: me may not get /metrics\n" });
  expect(await get(url, bearer("good"))).toMatchObject({
    status: 200,
    body: expect.stringContaining("answer 42") as string,
    headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
  });
  expect(await get(`https://127.0.0.1:${port}/other`, bearer("good"))).toMatchObject({ status: 404 });
  expect(await get(url, bearer("good"), { method: "PUT" })).toMatchObject({ status: 405 });
  await expect(get(`http://127.0.0.1:${port}/metrics`, bearer("good"))).rejects.toThrow(/hang up|reset/i);
  expect(api.seen).toHaveLength(5);
});

test("serves insecure metrics without a review", async () => {
  const { api, ...parts } = await begin([]);
  const port = portOf(await serveMetrics({ ...parts, source: registryWith(1), isSecure: false }));
  expect(await get(`http://127.0.0.1:${port}/metrics`)).toMatchObject({ status: 200 });
  expect(api.seen).toEqual([]);
});

test("guards other routes by their paths", async () => {
  const { api, ...parts } = await begin([known, yes, no]);
  const routes: Routes = { "/debug/render/": ({ rest, query }) => ({ status: 200, body: `${rest} ${query.get("format")}` }) }; // biome-ignore format: short
  const port = portOf(await serveGuarded({ ...parts, routes }));
  const url = `https://127.0.0.1:${port}/debug/render`;
  expect(await get(`${url}/swap?format=yaml`, bearer("t"))).toMatchObject({ status: 200, body: "swap yaml" });
  expect(await get(`${url}/psi`, bearer("t"))).toMatchObject({ status: 403 });
  expect(api.seen.map(({ body }) => /"path":"([^"]*)"/.exec(body)?.[1])).toEqual([
    undefined,
    "/debug/render/swap",
    "/debug/render/psi",
  ]);
});

test("denies access without the API server, and reports it once", async () => {
  const { reported, ...parts } = await begin([reply.json(500, {}), reply.json(500, {}), known, yes, reply.reset]);
  const port = portOf(await serveMetrics({ ...parts, source: registryWith(1), isSecure: true }));
  const url = `https://127.0.0.1:${port}/metrics`;
  const statuses: number[] = [];
  for (const token of ["a", "a", "a", "b"]) statuses.push((await get(url, bearer(token))).status);
  expect(statuses).toEqual([503, 503, 200, 503]);
  expect(reported).toHaveLength(2);
});

test("answers 429 to many invalid tokens", async () => {
  const { api, ...parts } = await begin(Array.from({ length: 10 }, () => unauthenticated));
  const port = portOf(await serveMetrics({ ...parts, source: registryWith(1), isSecure: true }));
  const statuses: number[] = [];
  for (let at = 0; at < 12; at++)
    statuses.push((await get(`https://127.0.0.1:${port}/metrics`, bearer(`${at}`))).status);
  expect(statuses.slice(9)).toEqual([401, 429, 429]);
  expect(api.seen).toHaveLength(10);
});

test("answers 500 without details if a route throws, and reports it", async () => {
  const { reported, ...parts } = await begin([known, yes]);
  const routes: Routes = { "/bug": () => Promise.reject(new Error("inner matters")) };
  const port = portOf(await serveGuarded({ ...parts, routes }));
  expect(await get(`https://127.0.0.1:${port}/bug`, bearer("t"))).toMatchObject({
    status: 500,
    body: "Internal error\n",
  });
  expect(reported).toEqual(["/bug: Error: inner matters"]);
});

test("ended connections make room for others, also over TLS", async () => {
  const parts = await begin([]);
  const port = portOf(await serveGuarded({ ...parts, routes: {}, limits: { connectionsEach: 2 } }));
  const ask = () => get(`https://127.0.0.1:${port}/`).then(({ status }) => status, String);
  for (let at = 0; at < 10; at++) await expect.poll(ask, { timeout: 120_000 }).toBe(404);
});

test("serves a renewed certificate for new connections", async () => {
  const validity = { from: new Date(0), until: new Date(4e12) };
  const authority = issueAuthority("ours", validity);
  const folder = mkdtempSync(join(tmpdir(), "serving-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const mount = (host: string) => {
    const { certificate, key } = issueServer(authority, [host, "127.0.0.1"], validity);
    writeFileSync(join(folder, "tls.crt"), certificate);
    writeFileSync(join(folder, "tls.key"), key);
  };
  mount("one");
  const { reported, ...parts } = await begin([]);
  const port = portOf(await serveGuarded({ ...parts, certificateFolder: folder, routes: {} }));
  const trusting = { rejectUnauthorized: true, ca: authority.certificate };
  const commonName = async () => (await get(`https://127.0.0.1:${port}/`, {}, trusting)).peer?.subject.CN;
  expect(await commonName()).toBe("one");
  mount("two");
  expect(await commonName()).toBe("two");
  writeFileSync(join(folder, "tls.key"), "rubbish");
  expect(await commonName()).toBe("two");
  expect(reported).toEqual([
    `the certificate in ${folder} was renewed`,
    expect.stringContaining(`cannot use the certificate in ${folder}`),
  ]);
});

test("0 starts no server, and reports an unusable address in one line", async () => {
  const { observer } = silent();
  const serve = (address: string) => serveProbes({ address, healthz: {}, readyz: {}, observer });
  const port = portOf(await serve("127.0.0.1:0"));
  expect(await serve("0")).toEqual({ kind: "off" });
  expect(await serve(`127.0.0.1:${port}`)).toEqual({
    kind: "refused",
    problem: `cannot listen on 127.0.0.1:${port}: the address is in use`,
  });
  expect(await serve("192.0.2.1:1")).toEqual({
    kind: "refused",
    problem: "cannot listen on 192.0.2.1:1: this machine has no such address",
  });
  expect(await serve("8081")).toMatchObject({ kind: "refused", problem: expect.stringContaining('"8081"') as string });
  const { guard, clock } = await begin([]);
  const absent = { address: "127.0.0.1:0", observer, guard, clock, certificateFolder: "/no/such/folder", routes: {} };
  expect(await serveGuarded(absent)).toMatchObject({ kind: "refused" });
  expect(await serveGuarded({ ...absent, address: "0" })).toEqual({ kind: "off" });
});

test("closes all connections and frees the port", async () => {
  const { observer } = silent();
  const serving = await serveProbes({ address: "127.0.0.1:0", healthz: {}, readyz: {}, observer });
  const port = portOf(serving);
  const kept = new Promise<void>((resolve) => {
    const request = getPlain(
      `http://127.0.0.1:${port}/healthz`,
      { headers: { connection: "keep-alive" } },
      (incoming) => {
        incoming.resume();
        incoming.socket.once("close", resolve);
      },
    );
    request.once("error", () => resolve());
  });
  await get(`http://127.0.0.1:${port}/healthz`);
  if (serving.kind === "serving") await serving.close();
  await kept;
  expect(await serveProbes({ address: `127.0.0.1:${port}`, healthz: {}, readyz: {}, observer })).toSatisfy(
    (again: Serving) => portOf(again) === port,
  );
});
