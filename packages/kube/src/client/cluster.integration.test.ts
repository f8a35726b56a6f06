import type { KubeObject, Outcome } from "@virt/objects";
import { borrowServer, emptySetup, type Server } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findAccess } from "../auth/find-access.ts";
import { noLease, type WriteGate } from "../leaderelection/write-fence.ts";
import { ManualWriteGate } from "../testing/manual-write-gate.ts";
import { Client } from "./client.ts";
import { clusterFor } from "./cluster.ts";
import { Discovery } from "./discovery.ts";
import { deleteObject } from "./request.ts";

let api: Server;
let client: Client;
beforeAll(async () => {
  api = await borrowServer(emptySetup);
  client = new Client({ access: findAccess({ env: {}, kubeconfig: api.kubeconfig }), userAgent: "test" });
});
afterAll(async () => {
  client.close();
  await api.stop();
});

const cluster = (gate: WriteGate = noLease) =>
  clusterFor({ client: client.under(gate), discovery: new Discovery(client) }, new AbortController().signal);

const map = (name: string, data: Readonly<Record<string, string>>, namespace = "default"): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace },
  data,
});
const ref = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", name, namespace: "default" });
const ours = { manager: "us", force: false, expect: "anything" } as const;
const theirs = { manager: "them", force: true, expect: "anything" } as const;

const requestsTo = (path: string) => api.audit().filter(({ requestURI }) => requestURI.startsWith(path));

function live(outcome: Outcome): { uid: string; resourceVersion: string } {
  if (outcome.kind !== "done" || outcome.live === undefined) throw new Error(`not done: ${JSON.stringify(outcome)}`);
  const { uid = "", resourceVersion = "" } = outcome.live.metadata;
  return { uid, resourceVersion };
}

test("a dry run returns the object and writes nothing", async () => {
  const predicted = await cluster().dryRunApply(map("predicted", { a: "1" }), ours);
  expect(predicted).toMatchObject({ kind: "done", live: { data: { a: "1" } } });
  expect(await cluster().read(ref("predicted"))).toEqual({ kind: "absent" });
});

test("a creation never overwrites another client's object, even with force", async () => {
  await cluster().apply(map("taken", { a: "theirs" }), theirs);
  const outcome = await cluster().apply(map("taken", { a: "ours" }), { ...ours, force: true, expect: "absent" });
  expect(outcome).toEqual({ kind: "conflict", conflicts: [{ field: "data.a", manager: "them" }] });
});

test("reports the conflict of a write without a further request", async () => {
  await cluster().apply(map("write-only", { a: "theirs" }), theirs);
  const outcome = await cluster().apply(map("write-only", { a: "ours" }), ours);
  expect(outcome).toEqual({ kind: "conflict", conflicts: [{ field: "data.a", manager: "them" }] });
  const maps = "/api/v1/namespaces/default/configmaps";
  await api.request({ path: `${maps}/asked-last` });
  await expect.poll(() => requestsTo(`${maps}/asked-last`).length).toBe(1);
  expect(requestsTo(`${maps}/write-only`).map(({ verb }) => verb)).toEqual(["patch", "patch"]);
});

test("a conflict of a dry run has field, manager, operation and time", async () => {
  await cluster().apply(map("contested", { a: "1", b: "1" }), ours);
  const update = {
    method: "PATCH",
    path: "/api/v1/namespaces/default/configmaps/contested?fieldManager=editor",
    body: { data: { a: "2" } },
  } as const;
  await api.request(update);
  const outcome = await cluster().dryRunApply(map("contested", { a: "1", b: "1" }), ours);
  expect(outcome).toEqual({
    kind: "conflict",
    conflicts: [
      { field: "data.a", manager: "editor", operation: "Update", time: expect.stringMatching(/^\d{4}-.*Z$/) },
    ],
  });
});

test("a stale apply writes nothing if the object changed or is gone", async () => {
  const seen = live(await cluster().apply(map("moving", { a: "1" }), ours));
  await cluster().apply(map("moving", { a: "1", b: "2" }), ours);
  expect(await cluster().apply(map("moving", { a: "3" }), { ...ours, expect: seen })).toEqual({ kind: "stale" });

  const now = live(await cluster().apply(map("moving", { a: "1" }), ours));
  const other = { ...now, uid: "00000000-0000-0000-0000-000000000000" };
  expect(await cluster().apply(map("moving", { a: "3" }), { ...ours, expect: other })).toEqual({ kind: "stale" });

  expect(await cluster().remove(ref("moving"), { ...ours, expect: now })).toMatchObject({ kind: "done" });
  expect(await cluster().apply(map("moving", { a: "3" }), { ...ours, expect: now })).toEqual({ kind: "stale" });
  expect(await cluster().read(ref("moving"))).toEqual({ kind: "absent" });
});

test("an apply without changes keeps the resource version", async () => {
  const first = live(await cluster().apply(map("same", { a: "1" }), ours));
  expect(live(await cluster().apply(map("same", { a: "1" }), { ...ours, expect: first }))).toEqual(first);
});

test("a deletion requires the uid and succeeds if the object is gone", async () => {
  const seen = live(await cluster().apply(map("mortal", { a: "1" }), ours));
  const other = { uid: "00000000-0000-0000-0000-000000000000", resourceVersion: seen.resourceVersion };
  expect(await cluster().remove(ref("mortal"), { ...ours, expect: other })).toEqual({ kind: "stale" });
  expect(await cluster().read(ref("mortal"))).toMatchObject({ kind: "found" });
  await expect(cluster().remove(ref("mortal"), ours)).rejects.toThrow("must include the object's uid");
  expect(await cluster().remove(ref("mortal"), { ...ours, expect: seen })).toMatchObject({ kind: "done" });
  expect(await cluster().remove(ref("mortal"), { ...ours, expect: seen })).toEqual({ kind: "done" });
});

test("a dry run of a deletion deletes nothing", async () => {
  const { uid } = live(await cluster().apply(map("kept", {}), ours));
  const configMaps = { group: "", version: "v1", plural: "configmaps", isNamespaced: true };
  const request = deleteObject(configMaps, ref("kept"), { preconditions: { uid }, isDryRun: true });
  const { signal } = new AbortController();
  expect(await client.under(noLease).write(request, { signal })).toMatchObject({ kind: "answered", status: 200 });
  expect(await cluster().read(ref("kept"))).toMatchObject({ kind: "found" });
});

test("quotes a permanent rejection of the server", async () => {
  const nameless = { ...map("wrong", {}), data: { "not a key!": "1" } };
  expect(await cluster().dryRunApply(nameless, ours)).toMatchObject({ kind: "rejected", reason: "Invalid" });
  const unknown = { ...map("wrong", {}), nonsense: 1 };
  expect(await cluster().dryRunApply(unknown, ours)).toMatchObject({
    kind: "rejected",
    message: expect.stringContaining("nonsense"),
  });
  const weak = new Client({
    access: findAccess({ env: {}, kubeconfig: api.user("weak").kubeconfig }),
    userAgent: "test",
  });
  const parts = { client: weak.under(noLease), discovery: new Discovery(client) };
  const outcome = await clusterFor(parts, new AbortController().signal).apply(map("wrong", {}), ours);
  expect(outcome).toMatchObject({ kind: "rejected", reason: "Forbidden" });
  weak.close();
});

test("distinguishes a missing namespace, kind and object", async () => {
  expect(await cluster().apply(map("one", {}, "nowhere"), ours)).toEqual({ kind: "missing", what: "namespace" });
  const unicorn = { apiVersion: "example.org/v1", kind: "Unicorn", metadata: { name: "one" } };
  expect(await cluster().apply(unicorn, ours)).toEqual({ kind: "missing", what: "kind" });
  expect(await cluster().read(ref("nothing"))).toEqual({ kind: "absent" });
});

test("a closed fence blocks writes, not dry runs and reads", async () => {
  const fenced = cluster(new ManualWriteGate(false));
  expect(await fenced.apply(map("fenced", {}), ours)).toMatchObject({ kind: "unavailable" });
  expect(await fenced.dryRunApply(map("fenced", {}), ours)).toMatchObject({ kind: "done" });
  expect(await fenced.read(ref("fenced"))).toEqual({ kind: "absent" });
});
