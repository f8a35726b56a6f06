import {
  reply,
  type ScriptedReply,
  type ScriptedServer,
  startScriptedServer,
  startServer,
  VirtualClock,
} from "@virt/testkit";
import { expect, onTestFinished, test } from "vitest";
import { findAccess } from "../auth/find-access.ts";
import { Client } from "../client/client.ts";
import type { Resource } from "../client/request.ts";
import { type Clock, systemClock } from "../clock.ts";
import { clientOf } from "../testing/scripted-client.ts";
import { silentBreakers } from "../testing/silent-observers.ts";
import { thing, thingCrd, thingsPath } from "../testing/thing-crd.ts";
import { Reflector } from "./reflector.ts";
import { Store } from "./store.ts";
import { ProbeLimit, WatchSource, type WatchSubject } from "./watch-source.ts";

const configMaps: Resource = { group: "", version: "v1", plural: "configmaps", isNamespaced: true };
const allConfigMaps: WatchSubject = { resource: configMaps, selection: {}, content: "full" };

function reflect(
  client: Client,
  clock: Clock,
  subject = allConfigMaps,
  bytesOf: (version: string) => number = () => 1,
) {
  const reported: string[] = [];
  const store = new Store<string>({
    isEqual: (a, b) => a === b,
    bytesOf,
    onHandlerError: (error) => reported.push(String(error)),
  });
  const reflector = new Reflector<string>({
    source: new WatchSource(subject, ({ metadata }) => metadata.resourceVersion ?? ""),
    client,
    breakers: silentBreakers(clock),
    caller: "watch",
    store,
    clock,
    random: () => 0.5,
    probes: new ProbeLimit(clock),
    server: { canStream: true },
    observer: {
      warned: (what, why) => reported.push(`${what}: ${why}`),
      vanished: () => reported.push("vanished"),
      overflowed: (why) => reported.push(`too large: ${why}`),
      recovered: () => undefined,
    },
  });
  onTestFinished(() => {
    reflector.stop();
    client.close();
  });
  const contents = () => Object.fromEntries([...store.keys()].toSorted().map((key) => [key, store.get(key)]));
  reflector.start();
  return { reflector, store, reported, contents };
}

const object = (name: string, version: number) => ({
  metadata: { name, namespace: "n", resourceVersion: `${version}` },
});
const line = (type: string, name: string, version: number) =>
  `${JSON.stringify({ type, object: object(name, version) })}\n`;
const bookmark = (version: number, annotations = {}) =>
  `${JSON.stringify({ type: "BOOKMARK", object: { metadata: { resourceVersion: `${version}`, annotations } } })}\n`;
const initialEnd = (version: number) => bookmark(version, { "k8s.io/initial-events-end": "true" });
const queries = (server: ScriptedServer) =>
  server.seen.map(({ path }) => Object.fromEntries(new URL(path, "http://x").searchParams));

test("watches after a streaming list, and resumes an ended stream", async () => {
  const first = [line("ADDED", "a", 3), initialEnd(5), line("ADDED", "b", 6), bookmark(9)];
  await using server = await startScriptedServer([
    reply.stream(first, "end"),
    reply.stream([line("DELETED", "a", 10)], "open"),
  ]);
  const { contents, reported } = reflect(clientOf(server), systemClock);
  await expect.poll(contents).toEqual({ "n/b": "6" });
  expect(queries(server)).toMatchObject([
    {
      watch: "true",
      sendInitialEvents: "true",
      resourceVersionMatch: "NotOlderThan",
      allowWatchBookmarks: "true",
      timeoutSeconds: "265",
    },
    { watch: "true", resourceVersion: "9", allowWatchBookmarks: "true" },
  ]);
  expect(reported).toEqual([]);
});

const refusals: readonly { reason: string; refusal: ScriptedReply }[] = [
  { reason: "answers 422", refusal: reply.json(422, { kind: "Status", message: "sendInitialEvents is forbidden" }) },
  {
    reason: "sends an error frame",
    refusal: reply.stream(
      [`${JSON.stringify({ type: "ERROR", object: { code: 500, message: "old etcd" } })}\n`],
      "open",
    ),
  },
];

test.each(refusals)("lists pages if a server $reason to a streaming list", async ({ refusal }) => {
  const page = (names: readonly string[], metadata: object) => ({
    kind: "ConfigMapList",
    apiVersion: "v1",
    metadata,
    items: names.map((name) => object(name, 4)),
  });
  await using server = await startScriptedServer([
    refusal,
    reply.json(200, page(["a", "b"], { resourceVersion: "7", continue: "token" })),
    reply.json(200, page(["c"], { resourceVersion: "7" })),
    reply.stream([line("MODIFIED", "c", 8)], "open"),
  ]);
  const { contents } = reflect(clientOf(server), systemClock);
  await expect.poll(contents).toEqual({ "n/a": "4", "n/b": "4", "n/c": "8" });
  expect(queries(server).slice(1)).toMatchObject([
    { limit: "250" },
    { limit: "250", continue: "token" },
    { watch: "true", resourceVersion: "7" },
  ]);
});

test("resumes a broken stream from its last whole line", async () => {
  const whole = line("ADDED", "b", 6);
  const cut = [initialEnd(5), whole, line("ADDED", "c", 7).slice(0, 20)];
  await using server = await startScriptedServer([
    reply.stream(cut, "reset"),
    reply.stream([line("ADDED", "c", 7)], "open"),
  ]);
  const { contents, reported } = reflect(clientOf(server), systemClock);
  await expect.poll(contents).toEqual({ "n/b": "6", "n/c": "7" });
  expect(queries(server).at(1)).toMatchObject({ resourceVersion: "6" });
  expect(reported).toEqual([expect.stringMatching(/^broken: /)]);
});

test("lists again if the server forgot the version, and drops deleted objects", async () => {
  const gone = `${JSON.stringify({ type: "ERROR", object: { code: 410, message: "too old" } })}\n`;
  const removed: unknown[] = [];
  await using server = await startScriptedServer([
    reply.stream([line("ADDED", "a", 3), initialEnd(5)], "end"),
    reply.stream([gone], "open"),
    reply.stream([line("ADDED", "b", 8), initialEnd(9)], "open"),
  ]);
  const { contents, store } = reflect(clientOf(server), systemClock);
  store.subscribe(({ key, before, after }) => removed.push([key, before, after]));
  await expect.poll(contents).toEqual({ "n/b": "8" });
  expect(removed).toEqual([
    ["n/a", undefined, "3"],
    ["n/a", "3", undefined],
    ["n/b", undefined, "8"],
  ]);
  expect(queries(server).at(2)).toMatchObject({ sendInitialEvents: "true", resourceVersion: "5" });
});

test("probes a silent stream after 30 seconds, and replaces it if outdated", async () => {
  const clock = new VirtualClock();
  await using server = await startScriptedServer([
    reply.stream([initialEnd(5)], "open"),
    reply.stream([], "end"),
    reply.stream([line("ADDED", "a", 6)], "end"),
    reply.stream([line("ADDED", "a", 6)], "open"),
  ]);
  const { contents, store, reported } = reflect(clientOf(server), clock);
  await expect.poll(() => store.isSynced).toBe(true);
  await clock.advance(30_000);
  await expect.poll(() => server.seen.length).toBe(2);
  expect(queries(server).at(1)).toMatchObject({ resourceVersion: "5", timeoutSeconds: "1" });
  await expect.poll(async () => (await clock.advance(10_000), server.seen.length)).toBe(4);
  await expect.poll(contents).toEqual({ "n/a": "6" });
  expect(reported).toEqual(["dead stream: a probe found changes that the watch did not deliver"]);
});

test("other handlers still run if a handler throws", async () => {
  await using server = await startScriptedServer([
    reply.stream([initialEnd(5), line("ADDED", "a", 6), line("ADDED", "b", 7)], "open"),
  ]);
  const { store, reported, contents } = reflect(clientOf(server), systemClock);
  const heard: string[] = [];
  store.subscribe(() => {
    throw new Error("handler");
  });
  store.subscribe(({ key }) => heard.push(key));
  await expect.poll(contents).toEqual({ "n/a": "6", "n/b": "7" });
  expect(heard).toEqual(["n/a", "n/b"]);
  expect(reported).toEqual(["Error: handler", "Error: handler"]);
});

test("follows every change of a real server until the kind is removed", async () => {
  await using api = await startServer();
  const client = () => new Client({ access: findAccess({ env: {}, kubeconfig: api.kubeconfig }), userAgent: "test" });
  const { contents } = reflect(client(), systemClock, { ...allConfigMaps, namespace: "default" });
  const path = "/api/v1/namespaces/default/configmaps";
  const truth = async () => {
    const { items } = (await api.request({ path })).body as {
      items: { metadata: { name: string; resourceVersion: string } }[];
    };
    return Object.fromEntries(items.map(({ metadata }) => [`default/${metadata.name}`, metadata.resourceVersion]));
  };
  const names = Array.from({ length: 40 }, (_, at) => `map-${at}`);
  await Promise.all(names.map((name) => api.request({ method: "POST", path, body: { metadata: { name } } })));
  await Promise.all(
    names.map((name, at) =>
      api.request(
        at % 3 === 0
          ? { method: "DELETE", path: `${path}/${name}` }
          : { method: "PATCH", path: `${path}/${name}`, body: { data: { at: `${at}` } } },
      ),
    ),
  );
  await expect.poll(async () => contents()).toEqual(await truth());

  await api.installCrds([thingCrd]);
  await api.request({ method: "POST", path: thingsPath, body: thing });
  const things = { group: "example.org", version: "v1", plural: "things", isNamespaced: false };
  const kind = reflect(client(), systemClock, { resource: things, selection: {}, content: "metadata" });
  await expect.poll(() => Object.keys(kind.contents())).toEqual(["one"]);
  await api.removeCrd(thingCrd);
  await expect.poll(() => kind.reported).toContain("vanished");
  expect(kind.contents()).toEqual({});
});

const listOf = (version: number, items: readonly object[], more = "") => ({
  apiVersion: "v1",
  kind: "ConfigMapList",
  metadata: { resourceVersion: `${version}`, ...(more !== "" && { continue: more }) },
  items,
});
const noStreams = reply.json(422, { kind: "Status", message: "sendInitialEvents is forbidden" });

test("requests fewer objects if a page is too large, without missing any", async () => {
  const heavy = { ...object("heavy", 1), data: { text: "x".repeat(9_000_000) } };
  await using server = await startScriptedServer([
    noStreams,
    reply.json(200, listOf(5, [heavy])),
    reply.json(200, listOf(5, [heavy])),
    reply.json(200, listOf(5, [object("a", 1)], "token")),
    reply.json(200, listOf(5, [object("b", 2)])),
    reply.stream([], "open"),
  ]);
  const { contents, reported } = reflect(clientOf(server), systemClock);
  await expect.poll(contents).toEqual({ "n/a": "1", "n/b": "2" });
  expect(queries(server).slice(1, 5)).toEqual([
    { limit: "250" },
    { limit: "31" },
    { limit: "3" },
    { limit: "3", continue: "token" },
  ]);
  expect(reported).toEqual([]);
});

test("drops objects that exceed the memory budget until they shrink", async () => {
  await using server = await startScriptedServer([
    reply.stream([line("ADDED", "a", 3), initialEnd(5), line("MODIFIED", "a", 6)], "open"),
    reply.stream([line("ADDED", "a", 6), initialEnd(7)], "open"),
    reply.stream([line("ADDED", "a", 8), initialEnd(9)], "open"),
  ]);
  const clock = new VirtualClock();
  const bytesOf = (version: string) => (version === "6" ? 17_000_000 : 1);
  const { contents, reported, store } = reflect(clientOf(server), clock, allConfigMaps, bytesOf);
  await expect
    .poll(() => reported)
    .toEqual(["too large: 17.0 MB so far, most of it in namespace n, and no more than 16.0 MB are kept in memory"]);
  expect([store.isSynced, contents()]).toEqual([false, {}]);
  await clock.advance(30_000);
  await expect.poll(() => reported.length).toBe(2);
  expect(store.isSynced).toBe(false);
  await clock.advance(30_000);
  await expect.poll(contents).toEqual({ "n/a": "8" });
  expect(store.isSynced).toBe(true);
});
