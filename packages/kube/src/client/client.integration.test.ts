import { reply, startScriptedServer } from "@virt/testkit";
import { expect, expectTypeOf, test } from "vitest";
import type { Access } from "../auth/access.ts";
import { issueAuthority, issueServer } from "../auth/x509.ts";
import { noLease, type WriteGate } from "../leaderelection/write-fence.ts";
import { ManualWriteGate } from "../testing/manual-write-gate.ts";
import { clientOf } from "../testing/scripted-client.ts";
import type { ApiReader, ApiWriter } from "./api-client.ts";
import type { Client } from "./client.ts";
import {
  createObject,
  deleteObject,
  getObject,
  patchObject,
  type Resource,
  type WriteRequest,
  watchObjects,
} from "./request.ts";

const configMaps: Resource = { group: "", version: "v1", plural: "configmaps", isNamespaced: true };
const one = { namespace: "default", name: "one" };
const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } };
const read = getObject(configMaps, one);
const write = createObject(configMaps, { namespace: "default" }, object);
const follow = watchObjects(configMaps, {}, { timeoutSeconds: 240, resourceVersion: "5" });
const never = new AbortController().signal;

test("requests reuse connections, also over plain HTTP", async () => {
  await using server = await startScriptedServer([
    reply.json(200, object),
    reply.json(200, object),
    reply.json(201, object),
  ]);
  const client = clientOf(server);
  for (const request of [read, read]) await client.send(request, { signal: never });
  await client.under(noLease).write(write, { signal: never });
  expect(server.seen.map(({ method, path, connection }) => [method, path, connection])).toEqual([
    ["GET", "/api/v1/namespaces/default/configmaps/one", 0],
    ["GET", "/api/v1/namespaces/default/configmaps/one", 0],
    ["POST", "/api/v1/namespaces/default/configmaps", 0],
  ]);
  expect(server.seen[0]?.headers["user-agent"]).toBe("test/1");
});

test("retries a read on a reset connection once, never a write", async () => {
  await using server = await startScriptedServer([reply.json(200, {}), reply.reset, reply.json(200, {}), reply.reset]);
  const client = clientOf(server);
  await client.send(read, { signal: never });
  expect(await client.send(read, { signal: never })).toMatchObject({ kind: "answered", status: 200 });
  expect(await client.under(noLease).write(write, { signal: never })).toMatchObject({
    kind: "failed",
    failure: { reason: "reset" },
  });
  expect(server.seen.map(({ method }) => method)).toEqual(["GET", "GET", "GET", "POST"]);
});

test("the observer is notified once per request, even after a retry", async () => {
  const script = [reply.json(200, {}), reply.reset, reply.json(200, {}), reply.json(201, {}), reply.json(410, {})];
  await using server = await startScriptedServer(script);
  const observed: string[] = [];
  const client = clientOf(server, { observer: ({ method }, { kind }) => observed.push(`${method} ${kind}`) });
  for (const request of [read, read]) await client.send(request, { signal: never });
  await client.under(noLease).write(write, { signal: never });
  await client.stream(follow, { signal: never });
  expect(observed).toEqual(["GET answered", "GET answered", "POST answered", "GET answered"]);
});

test("does not retry a read on a new connection", async () => {
  await using server = await startScriptedServer([reply.reset]);
  expect(await clientOf(server).send(read, { signal: never })).toMatchObject({ failure: { reason: "reset" } });
  expect(server.seen).toHaveLength(1);
});

const faults = [
  {
    reason: "an answer that never arrives",
    scripted: reply.stall,
    given: { readMs: 100 },
    failure: { reason: "timeout", message: "no response within 0.1 s" },
  },
  { reason: "a truncated answer", scripted: reply.cut('{"kind":'), failure: { reason: "cut" } },
  {
    reason: "an answer that stops in the middle",
    scripted: reply.freeze('{"kind":'),
    given: { silenceMs: 100 },
    failure: { reason: "cut", message: "no data from the API server for 0.1 s" },
  },
  {
    reason: "an invalid JSON answer",
    scripted: reply.stream(["{]"], "end"),
    failure: { reason: "cut", message: "the response is not valid JSON" },
  },
];

test.each(faults)("reports $reason as a failure", async ({ scripted, given, failure }) => {
  await using server = await startScriptedServer([scripted]);
  expect(await clientOf(server, { limits: given ?? {} }).send(read, { signal: never })).toMatchObject({
    kind: "failed",
    failure,
  });
});

test("distinguishes refused connections, unknown hosts and untrusted certificates", async () => {
  const authority = issueAuthority("ours", { from: new Date(0), until: new Date(4e12) });
  const certificate = issueServer(authority, ["127.0.0.1"], { from: new Date(0), until: new Date(4e12) });
  await using server = await startScriptedServer([reply.json(200, {})], certificate);
  const reasonOf = async (access: Partial<Access>) => {
    const answer = await clientOf(server, { access }).send(read, { signal: never });
    return answer.kind === "failed" ? answer.failure.reason : answer.status;
  };
  expect(await reasonOf({ server: "http://127.0.0.1:9" })).toBe("refused");
  expect(await reasonOf({ server: "http://no-such-host.invalid" })).toBe("unresolved");
  expect(await reasonOf({})).toBe("tls");
  expect(await reasonOf({ authority: { data: authority.certificate } })).toBe(200);
});

test("an aborted request ends at once, or is not sent", async () => {
  await using server = await startScriptedServer([reply.stall]);
  const client = clientOf(server);
  const leaving = new AbortController();
  const answer = client.send(read, { signal: leaving.signal });
  await expect.poll(() => server.seen.length).toBe(1);
  leaving.abort();
  expect(await answer).toMatchObject({ failure: { reason: "aborted" } });
  expect(await client.send(read, { signal: leaving.signal })).toMatchObject({ failure: { reason: "aborted" } });
  expect(server.seen).toHaveLength(1);
});

test("does not send a write after the fence closed, even if queued", async () => {
  await using server = await startScriptedServer([reply.json(201, {}), reply.json(201, {})]);
  const client = clientOf(server);
  const gate = new ManualWriteGate();
  const first = client.under(noLease).write(write, { signal: never, pool: "lease" });
  const second = client.under(gate).write(write, { signal: never, pool: "lease" }); // waits: the pool has one socket
  gate.turn(false);
  expect(await first).toMatchObject({ status: 201 });
  expect(await second).toMatchObject({ failure: { reason: "fenced" } });
  expect(server.seen).toHaveLength(1);
});

test("a write without a write gate does not compile", () => {
  expectTypeOf<WriteRequest>().not.toExtend<Parameters<ApiReader["send"]>[0]>();
  expectTypeOf<ApiReader>().not.toHaveProperty("write");
  expectTypeOf<Client>().not.toHaveProperty("write");
  expectTypeOf<Client>().not.toExtend<ApiWriter>();
  expectTypeOf<Parameters<Client["under"]>>().toEqualTypeOf<[gate: WriteGate]>();
  expectTypeOf<{ mayWrite: () => true; subscribe: WriteGate["subscribe"] }>().not.toExtend<WriteGate>();
  expectTypeOf<undefined>().not.toExtend<Parameters<Client["under"]>[0]>();
});

test("the fence does not block reads and dry runs", async () => {
  await using server = await startScriptedServer([reply.json(200, {}), reply.json(200, {})]);
  const writer = clientOf(server).under(new ManualWriteGate(false));
  const rehearsal = patchObject(configMaps, one, object, { type: "apply", isDryRun: true, fieldManager: "us" });
  expect(await writer.send(read, { signal: never })).toMatchObject({ status: 200 });
  expect(await writer.write(rehearsal, { signal: never })).toMatchObject({ status: 200 });
});

test("sends the preconditions of a deletion with a content length", async () => {
  await using server = await startScriptedServer([reply.json(200, {})]);
  await clientOf(server)
    .under(noLease)
    .write(deleteObject(configMaps, one, { preconditions: { uid: "u-1" } }), { signal: never });
  const [seen] = server.seen;
  expect(seen?.headers["transfer-encoding"]).toBeUndefined();
  expect(seen?.headers["content-length"]).toBe(`${seen?.body.length}`);
  expect(JSON.parse(seen?.body ?? "")).toMatchObject({ preconditions: { uid: "u-1" } });
});

test("returns Retry-After with the answer", async () => {
  await using server = await startScriptedServer([reply.json(429, {}, { "retry-after": "7" })]);
  expect(await clientOf(server).send(read, { signal: never })).toMatchObject({ status: 429, retryInMs: 7000 });
});

test("a stream delivers whole lines and reports its end", async () => {
  const line = Buffer.from('{"type":"ADDED","object":{"text":"größe 🚀"}}\n');
  const pieces = Array.from({ length: line.length }, (_, at) => line.subarray(at, at + 1));
  await using server = await startScriptedServer([
    reply.stream(pieces, "end"),
    reply.stream(['{"a":1}\n{"b"'], "reset"),
    reply.json(410, {}),
  ]);
  const client = clientOf(server);
  const lines: string[] = [];
  const whole = await client.stream(follow, { signal: never });
  expect(whole.kind === "streaming" && (await whole.follow((some) => lines.push(...some.map(String))))).toBeUndefined();
  const broken = await client.stream(follow, { signal: never });
  expect(broken.kind === "streaming" && (await broken.follow((some) => lines.push(...some.map(String))))).toMatchObject(
    { reason: "reset" },
  );
  expect(lines).toEqual([line.toString().trim(), '{"a":1}']);
  expect(await client.stream(follow, { signal: never })).toMatchObject({ kind: "answered", status: 410 });
});

test("a line beyond the limit ends its stream", async () => {
  await using server = await startScriptedServer([reply.stream(["x".repeat(600), "x".repeat(600)], "open")]);
  const stream = await clientOf(server, { limits: { frameBytes: 1000 } }).stream(follow, { signal: never });
  const ending = stream.kind === "streaming" && (await stream.follow(() => undefined));
  expect(ending).toMatchObject({ reason: "too large", message: "a line of the stream is longer than 1000 bytes" });
});
