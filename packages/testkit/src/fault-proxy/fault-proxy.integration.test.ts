import { writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openTestClient } from "../server/test-client.ts";
import {
  maps,
  type ProxyHarness,
  type ProxyTestServer,
  uniqueName,
  useProxyHarness,
} from "../testing/proxy-harness.ts";
import type { Fault } from "./fault-plan.ts";
import { startFaultProxy } from "./fault-proxy.ts";

let site: ProxyTestServer;
let harness: ProxyHarness;
useProxyHarness((started) => ({ site, harness } = started));

test("kubectl works through the proxy: get, server-side apply, delete", async () => {
  const name = uniqueName();
  expect(await harness.kubectl("create", "configmap", name, "--from-literal=key=value")).toMatchObject({ code: 0 });
  expect(await harness.kubectl("get", "configmap", name, "-o", "jsonpath={.data.key}")).toMatchObject({
    stdout: "value",
  });
  expect((await harness.kubectl("get", "configmaps")).stdout).toContain(name);
  const file = join(site.api.folder, `${name}.yaml`);
  writeFileSync(file, `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {other: value}}`);
  expect(await harness.kubectl("apply", "--server-side", "-f", file)).toMatchObject({ code: 0 });
  expect(await harness.kubectl("delete", "configmap", name)).toMatchObject({ code: 0 });
  expect(await harness.isStored(name)).toBe(false);
});

test("a held request reaches the API server after the proxy is disarmed", async () => {
  const name = uniqueName();
  const isHeld = harness.arm({ kind: "hold-request" });
  const applied = harness.applyConfigMap(name);
  await expect.poll(isHeld).toBe(true);
  expect(await harness.isStored(name)).toBe(false);
  harness.proxy.disarm();
  await applied;
  expect(await harness.isStored(name)).toBe(true);
});

test("the trace has the content, result and numbers of each request", async () => {
  const name = uniqueName();
  await harness.applyConfigMap(name, {}, "&dryRun=All");
  await harness.send("POST", "/apis/coordination.k8s.io/v1/namespaces/default/leases", { metadata: { name } });
  harness.watchConfigMaps();
  await expect.poll(() => harness.proxy.trace().length).toBe(3);
  await harness.applyConfigMap(name);
  await harness.send("POST", maps, { metadata: { name } });
  const collection = { group: "", version: "v1", resource: "configmaps", namespace: "default", subresource: "" };
  const trace = harness.proxy.trace();
  expect(trace).toMatchObject([
    {
      ordinal: 1,
      requestNumber: 1,
      verb: "apply",
      ...collection,
      name,
      isDryRun: true,
      status: 201,
      isEffective: false,
    },
    { ordinal: 2, verb: "create", resource: "leases", name: "", status: 201, clientStatus: 201, isEffective: true },
    { ordinal: 3, verb: "watch", ...collection, name: "", isEffective: false },
    {
      ordinal: 4,
      requestNumber: 2,
      writeNumber: 1,
      verb: "apply",
      ...collection,
      name,
      fieldManager: "tester",
      status: 201,
    },
    { ordinal: 5, requestNumber: 3, verb: "create", ...collection, status: 409, clientStatus: 409, isEffective: false },
  ]);
  expect(trace.map(({ requestNumber, writeNumber }) => [requestNumber, writeNumber])).toEqual([
    [1, undefined],
    [undefined, undefined],
    [undefined, undefined],
    [2, 1],
    [3, undefined],
  ]);
});

test("rejects an unknown token", async () => {
  const stranger = openTestClient(harness.proxy.url, harness.proxy.authority, { token: "made up" });
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

test.each(answers)("answers $status as a Status, once, and stores nothing", async ({ status, reason }) => {
  const name = uniqueName();
  const hasFired = harness.arm({ kind: "answer", status });
  expect(await harness.applyConfigMap(name)).toMatchObject({ status, body: { kind: "Status", code: status, reason } });
  expect(hasFired()).toBe(true);
  expect(await harness.isStored(name)).toBe(false);
  expect(await harness.applyConfigMap(name)).toMatchObject({ status: 201 });
  const [struck, spared] = harness.proxy.trace();
  expect([struck?.fault, struck?.status, struck?.clientStatus]).toEqual(["answer", undefined, status]);
  expect([spared?.fault, spared?.status, spared?.clientStatus]).toEqual([undefined, 201, 201]);
});

test("kubectl understands a refusal and respects Retry-After", async () => {
  await harness.kubectl("get", "--raw", "/version");
  harness.arm({ kind: "answer", status: 403 }, { on: "every", matching: { resource: "configmaps" } });
  expect((await harness.kubectl("get", "configmap", "one")).stderr).toContain("Forbidden");
  harness.proxy.disarm();
  const name = uniqueName();
  await harness.applyConfigMap(name);
  harness.arm({ kind: "answer", status: 429, retryAfterSeconds: 1 }, { on: "request", number: 1, matching: { name } });
  expect(await harness.kubectl("get", "configmap", name)).toMatchObject({ code: 0 });
});

const broken: readonly { reason: string; fault: Fault; seen: object; isStored: boolean; crash: readonly number[] }[] = [
  {
    reason: "reset: does not forward the write",
    fault: { kind: "reset" },
    seen: { broken: "ECONNRESET" },
    isStored: false,
    crash: [],
  },
  {
    reason: "lost answer: stores the write without an answer",
    fault: { kind: "lose-answer" },
    seen: { broken: "ECONNRESET" },
    isStored: true,
    crash: [],
  },
  {
    reason: "cut JSON: stores the write",
    fault: { kind: "cut-answer" },
    seen: { broken: "ECONNRESET" },
    isStored: true,
    crash: [],
  },
  {
    reason: "504 after commit: stores the write and answers with a timeout",
    fault: { kind: "timeout-after-commit" },
    seen: { status: 504, body: { kind: "Status", reason: "Timeout" } },
    isStored: true,
    crash: [],
  },
  {
    reason: "crash before: does not forward the write",
    fault: { kind: "crash-before" },
    seen: { broken: "ECONNRESET" },
    isStored: false,
    crash: [0],
  },
  {
    reason: "crash after commit: stores the write without an answer",
    fault: { kind: "crash-after-commit" },
    seen: { broken: "ECONNRESET" },
    isStored: true,
    crash: [1],
  },
  {
    reason: "crash after answer: stores the write and delivers the answer",
    fault: { kind: "crash-after-answer" },
    seen: { status: 201 },
    isStored: true,
    crash: [1],
  },
];

test.each(broken)("$reason", async ({ fault, seen, isStored: expected, crash }) => {
  const name = uniqueName();
  harness.arm(fault, { on: "write", number: 1, matching: {} });
  await harness.send("GET", `${maps}/none`);
  await harness.applyConfigMap(name, {}, "&dryRun=All");
  expect(await harness.applyConfigMap(name)).toMatchObject(seen);
  await expect.poll(() => harness.crashes).toEqual(crash);
  expect(await harness.isStored(name)).toBe(expected);
  expect(harness.proxy.trace().map(({ fault }) => fault)).toEqual([undefined, undefined, fault.kind]);
  expect(await harness.applyConfigMap(name)).toMatchObject({ status: expected ? 200 : 201 });
});

test("counts only writes that succeed", async () => {
  const [first, second] = [uniqueName(), uniqueName()];
  await harness.applyConfigMap(first);
  harness.arm({ kind: "lose-answer" }, { on: "write", number: 2, matching: { resource: "configmaps" } });
  expect(await harness.applyConfigMap(first, { a: "b" })).toMatchObject({ status: 200 });
  expect(await harness.send("POST", maps, { metadata: { name: first } })).toMatchObject({ status: 409 });
  expect(await harness.applyConfigMap(second)).toEqual({ broken: "ECONNRESET" });
});

test("a crash without a handler fails the run", async () => {
  const helpless = await startFaultProxy({ server: site.api });
  const its = openTestClient(helpless.url, helpless.authority, { token: site.token });
  onTestFinished(() => its.close());
  helpless.arm({ name: "test", trigger: { on: "every", matching: {} }, fault: { kind: "crash-before" } });
  await expect(its.request({ path: maps })).rejects.toThrow("ECONNRESET");
  await expect(helpless.stop()).rejects.toThrow("a plan crashes the client, but the proxy was not told how");
});

test("a stalled request is not forwarded and ends with its client", async () => {
  const name = uniqueName();
  harness.arm({ kind: "stall" });
  const aborted = new AbortController();
  const outgoing = request(`${harness.proxy.url}${maps}/${name}`, {
    ca: harness.proxy.authority,
    agent: false,
    signal: aborted.signal,
  });
  const failed = new Promise((resolve) => outgoing.on("error", resolve));
  outgoing.on("response", () => expect.unreachable("it was answered"));
  outgoing.end();
  await expect.poll(() => harness.proxy.trace()).toMatchObject([{ fault: "stall" }]);
  expect(harness.proxy.trace()[0]?.endedMs).toBeUndefined();
  expect(await harness.send("GET", `${maps}/${name}`)).toMatchObject({ status: 404 });
  aborted.abort();
  await failed;
  await expect.poll(() => harness.proxy.trace()[0]?.endedMs).toBeDefined();
  expect(harness.proxy.trace()[0]?.status).toBeUndefined();
});
