import { writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { openWire } from "../server/wire.ts";
import { startFaultProxy } from "./fault-proxy.ts";
import type { Fault } from "./plan.ts";
import { maps, openSite, ProxyWorld, type Site } from "./proxy-world.ts";

let site: Site;
let world: ProxyWorld;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.api.stop());
beforeEach(async () => {
  world = await ProxyWorld.start(site);
  onTestFinished(() => world.stop());
});

const uniqueName = () => `map-${crypto.randomUUID()}`;

test("kubectl works through the proxy: get, server-side apply, delete", async () => {
  const name = uniqueName();
  expect(await world.kubectl("create", "configmap", name, "--from-literal=key=value")).toMatchObject({ code: 0 });
  expect(await world.kubectl("get", "configmap", name, "-o", "jsonpath={.data.key}")).toMatchObject({
    stdout: "value",
  });
  expect((await world.kubectl("get", "configmaps")).stdout).toContain(name);
  const file = join(site.api.folder, `${name}.yaml`);
  writeFileSync(file, `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {other: value}}`);
  expect(await world.kubectl("apply", "--server-side", "-f", file)).toMatchObject({ code: 0 });
  expect(await world.kubectl("delete", "configmap", name)).toMatchObject({ code: 0 });
  expect(await world.isStored(name)).toBe(false);
});

test("the trace tells what each request was about, what came of it, and counts without Leases, Events and watches", async () => {
  const name = uniqueName();
  await world.applyMap(name, {}, "&dryRun=All");
  await world.ask("POST", "/apis/coordination.k8s.io/v1/namespaces/default/leases", { metadata: { name } });
  world.follow();
  await expect.poll(() => world.proxy.trace().length).toBe(3);
  await world.applyMap(name);
  await world.ask("POST", maps, { metadata: { name } });
  const place = { group: "", version: "v1", resource: "configmaps", namespace: "default", subresource: "" };
  const trace = world.proxy.trace();
  expect(trace).toMatchObject([
    { ordinal: 1, counted: 1, verb: "apply", ...place, name, isDryRun: true, status: 201, isEffective: false },
    { ordinal: 2, verb: "create", resource: "leases", name: "", status: 201, told: 201, isEffective: true },
    { ordinal: 3, verb: "watch", ...place, name: "", isEffective: false },
    { ordinal: 4, counted: 2, writeNumber: 1, verb: "apply", ...place, name, fieldManager: "tester", status: 201 },
    { ordinal: 5, counted: 3, verb: "create", ...place, status: 409, told: 409, isEffective: false },
  ]);
  expect(trace.map(({ counted, writeNumber }) => [counted, writeNumber])).toEqual([
    [1, undefined],
    [undefined, undefined],
    [undefined, undefined],
    [2, 1],
    [3, undefined],
  ]);
});

test("nobody gets through without the token of a real account", async () => {
  const stranger = openWire(world.proxy.url, world.proxy.authority, { token: "made up" });
  onTestFinished(() => stranger.close());
  expect((await stranger.request({ path: maps })).status).toBe(401);
});

const answers = [
  { status: 401, reason: "Unauthorized" },
  { status: 403, reason: "Forbidden" },
  { status: 404, reason: "NotFound" },
  { status: 409, reason: "Conflict" },
  { status: 429, reason: "TooManyRequests" },
  { status: 500, reason: "InternalError" },
  { status: 503, reason: "ServiceUnavailable" },
] as const;

test.each(answers)("$status is answered as a Status, once, and nothing is stored", async ({ status, reason }) => {
  const name = uniqueName();
  const hasFired = world.arm({ kind: "answer", status });
  expect(await world.applyMap(name)).toMatchObject({ status, body: { kind: "Status", code: status, reason } });
  expect(hasFired()).toBe(true);
  expect(await world.isStored(name)).toBe(false);
  expect(await world.applyMap(name)).toMatchObject({ status: 201 });
  const [struck, spared] = world.proxy.trace();
  expect([struck?.fault, struck?.status, struck?.told]).toEqual(["answer", undefined, status]);
  expect([spared?.fault, spared?.status, spared?.told]).toEqual([undefined, 201, 201]);
});

test("kubectl understands a refusal and obeys Retry-After", async () => {
  await world.kubectl("get", "--raw", "/version");
  world.arm({ kind: "answer", status: 403 }, { on: "every", matching: { resource: "configmaps" } });
  expect((await world.kubectl("get", "configmap", "one")).stderr).toContain("Forbidden");
  world.proxy.disarm();
  const name = uniqueName();
  await world.applyMap(name);
  world.arm({ kind: "answer", status: 429, retryAfterSeconds: 1 }, { on: "request", number: 1, matching: { name } });
  expect(await world.kubectl("get", "configmap", name)).toMatchObject({ code: 0 });
});

const broken: readonly { reason: string; fault: Fault; seen: object; isStored: boolean; crash: readonly number[] }[] = [
  {
    reason: "reset: not forwarded",
    fault: { kind: "reset" },
    seen: { broken: "ECONNRESET" },
    isStored: false,
    crash: [],
  },
  {
    reason: "lost acknowledgement: stored, and the client does not know",
    fault: { kind: "lose-answer" },
    seen: { broken: "ECONNRESET" },
    isStored: true,
    crash: [],
  },
  {
    reason: "cut JSON: stored",
    fault: { kind: "cut-answer" },
    seen: { broken: "ECONNRESET" },
    isStored: true,
    crash: [],
  },
  {
    reason: "504 after commit: stored, and the client is told of a timeout",
    fault: { kind: "timeout-after-commit" },
    seen: { status: 504, body: { kind: "Status", reason: "Timeout" } },
    isStored: true,
    crash: [],
  },
  {
    reason: "crash before: not forwarded",
    fault: { kind: "crash-before" },
    seen: { broken: "ECONNRESET" },
    isStored: false,
    crash: [0],
  },
  {
    reason: "crash after commit: stored, no answer",
    fault: { kind: "crash-after-commit" },
    seen: { broken: "ECONNRESET" },
    isStored: true,
    crash: [1],
  },
  {
    reason: "crash after answer: stored, and the answer was delivered",
    fault: { kind: "crash-after-answer" },
    seen: { status: 201 },
    isStored: true,
    crash: [1],
  },
];

test.each(broken)("$reason", async ({ fault, seen, isStored: expected, crash }) => {
  const name = uniqueName();
  world.arm(fault, { on: "write", number: 1, matching: {} });
  await world.ask("GET", `${maps}/none`);
  await world.applyMap(name, {}, "&dryRun=All");
  expect(await world.applyMap(name)).toMatchObject(seen);
  await expect.poll(() => world.crashes).toEqual(crash);
  expect(await world.isStored(name)).toBe(expected);
  expect(world.proxy.trace().map(({ fault }) => fault)).toEqual([undefined, undefined, fault.kind]);
  expect(await world.applyMap(name)).toMatchObject({ status: expected ? 200 : 201 });
});

test("the k-th effective write is the k-th that succeeds, not the k-th that is tried", async () => {
  const [first, second] = [uniqueName(), uniqueName()];
  await world.applyMap(first);
  world.arm({ kind: "lose-answer" }, { on: "write", number: 2, matching: { resource: "configmaps" } });
  expect(await world.applyMap(first, { a: "b" })).toMatchObject({ status: 200 });
  expect(await world.ask("POST", maps, { metadata: { name: first } })).toMatchObject({ status: 409 });
  expect(await world.applyMap(second)).toEqual({ broken: "ECONNRESET" });
});

test("a crash that nobody can carry out fails the run", async () => {
  const helpless = await startFaultProxy({ server: site.api });
  const its = openWire(helpless.url, helpless.authority, { token: site.token });
  onTestFinished(() => its.close());
  helpless.arm({ name: "test", trigger: { on: "every", matching: {} }, fault: { kind: "crash-before" } });
  await expect(its.request({ path: maps })).rejects.toThrow("ECONNRESET");
  await expect(helpless.stop()).rejects.toThrow("a plan crashes the client, but the proxy was not told how");
});

test("a stalled request is never answered nor forwarded, and ends when the client gives up", async () => {
  const name = uniqueName();
  world.arm({ kind: "stall" });
  const giveUp = new AbortController();
  const outgoing = request(`${world.proxy.url}${maps}/${name}`, {
    ca: world.proxy.authority,
    agent: false,
    signal: giveUp.signal,
  });
  const failed = new Promise((resolve) => outgoing.on("error", resolve));
  outgoing.on("response", () => expect.unreachable("it was answered"));
  outgoing.end();
  await expect.poll(() => world.proxy.trace()).toMatchObject([{ fault: "stall" }]);
  expect(world.proxy.trace()[0]?.endedMs).toBeUndefined();
  expect(await world.ask("GET", `${maps}/${name}`)).toMatchObject({ status: 404 });
  giveUp.abort();
  await failed;
  await expect.poll(() => world.proxy.trace()[0]?.endedMs).toBeDefined();
  expect(world.proxy.trace()[0]?.status).toBeUndefined();
});
