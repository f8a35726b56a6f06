// Tests tombstones on a real API server. The tombstones are made up, because the catalog has none.

import type { JsonMap } from "@virt/api";
import { assets, profiles } from "@virt/catalog";
import { asList, asText, at } from "@virt/objects";
import { type FaultProxy, freePorts, inRepository, type Server, startFaultProxy, startServer } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../run.ts";
import { readCommandLine } from "../settings.ts";
import { platformFactory } from "./controller.ts";
import { tombstoneRetryMs } from "./tombstones.ts";

const hco = "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds";
const maps = "/api/v1/namespaces/openshift-cnv/configmaps";
const prefix = "platform.kubevirt.io/";
const labels = { [`${prefix}managed-by`]: "virt-platform-operator" };
const created = { [`${prefix}state`]: JSON.stringify({ v: 1, created: true }) };
const names = ["ours", "never-there", "unlabelled", "unmanaged", "taken", "refused", "excluded"] as const;
type Name = (typeof names)[number];
const tombstones = names.map((name) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name,
  namespace: "openshift-cnv",
  since: "v2",
  reason: "a test",
}));

type AppliedMetadata = {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
};

let server: Server;
let proxy: FaultProxy;
let metricsUrl: string;
let readyUrl: string;
let isTakenHeld: () => boolean;
let isSchemaHeld: () => boolean;
let ended: Promise<void>;
const stop = new AbortController();

beforeAll(async () => {
  server = await startServer();
  proxy = await startFaultProxy({ server });
  await server.installCrds([inRepository("config", "crd", "mocks", "hyperconvergeds-v1beta1.yaml")]);
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "openshift-cnv" } };
  await create("/api/v1/namespaces", namespace);
  for (const metadata of [
    { name: "ours", labels },
    { name: "unlabelled" },
    { name: "unmanaged", labels, annotations: { [`${prefix}mode`]: "unmanaged" } },
    ...["taken", "refused", "excluded"].map((name) => ({ name, labels })),
  ])
    await applyAsOperator(metadata);
  await create(hco, {
    apiVersion: "hco.kubevirt.io/v1beta1",
    kind: "HyperConverged",
    metadata: {
      name: "kubevirt-hyperconverged",
      annotations: { [`${prefix}disabled-resources`]: "[{kind: ConfigMap, name: excluded}]" },
    },
    spec: {},
  });
  holdSchema();
  await startOperator();
});
afterAll(async () => {
  stop.abort();
  await ended;
  await proxy.stop();
  await server.stop();
});

const deletion = (name: Name) => ({ verb: "delete", resource: "configmaps", name }) as const;

/** Delays every read of the schema. */
function holdSchema(): void {
  const schema = {
    verb: "get",
    resource: "customresourcedefinitions",
    name: "hyperconvergeds.hco.kubevirt.io",
  } as const;
  isSchemaHeld = proxy.arm({
    name: "schema",
    trigger: { on: "every", matching: schema },
    fault: { kind: "hold-request" },
  });
}

function armDeletions(): void {
  refuseDeletion("refused");
  const first = { on: "request", number: 1, matching: deletion("taken") } as const;
  isTakenHeld = proxy.arm({ name: "taken", trigger: first, fault: { kind: "hold-request" } });
}

function refuseDeletion(name: Name): void {
  const fault = { kind: "answer", status: 403 } as const;
  proxy.arm({ name: "refused", trigger: { on: "every", matching: deletion(name) }, fault });
}

async function create(path: string, body: JsonMap): Promise<void> {
  const { status } = await server.request({ method: "POST", path, body });
  expect(status).toBe(201);
}

/** Creates a ConfigMap like an earlier release of the operator did. */
async function applyAsOperator({ annotations, ...metadata }: AppliedMetadata): Promise<void> {
  const all = { ...created, ...annotations };
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { ...metadata, annotations: all }, data: { a: "1" } };
  const path = `${maps}/${metadata.name}?fieldManager=virt-platform-operator`;
  const contentType = "application/apply-patch+yaml";
  expect((await server.request({ method: "PATCH", path, body, contentType })).status).toBe(201);
}

async function startOperator(): Promise<void> {
  const account = await server.serviceAccount("default", "operator");
  await create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "operator" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", name: "operator", namespace: "default" }],
  });
  const [port, probePort] = await freePorts(2);
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  readyUrl = `http://127.0.0.1:${probePort}/readyz`;
  const flags = [
    "--controllers=platform",
    `--kubeconfig=${proxy.kubeconfigFor("operator", account)}`,
    `--health-probe-bind-address=127.0.0.1:${probePort}`,
    `--metrics-bind-address=127.0.0.1:${port}`,
    "--metrics-secure=false",
    "--log-level=error",
  ];
  const line = readCommandLine(flags, { isTerminal: false, environment: {} });
  if (line.kind !== "run") throw new Error(`no flags to run with: ${line.kind}`);
  ended = run(line.settings, [platformFactory({ assets, tombstones, profiles, policies: [] })], stop.signal);
}

const annotate = async (annotations: Readonly<Record<string, string | null>>) => {
  const entries = Object.entries(annotations).map(([key, text]) => [`${prefix}${key}`, text] as const);
  const path = `${hco}/kubevirt-hyperconverged`;
  const body = { metadata: { annotations: Object.fromEntries(entries) } };
  expect((await server.request({ method: "PATCH", path, body })).status).toBe(200);
};
const isThere = async (name: Name) => (await server.request({ path: `${maps}/${name}` })).status === 200;
const asked = (name: Name) => proxy.trace().filter((call) => call.resource === "configmaps" && call.name === name);
const deletions = (name: Name) => asked(name).filter(({ verb }) => verb === "delete").length;

async function states(): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(metricsUrl)).text();
  const line = /^kubevirt_platform_tombstone_status\{kind="ConfigMap",name="([^"]+)".*\} (-?\d+)$/gm;
  return Object.fromEntries([...text.matchAll(line)].map(([, name, state]) => [name, Number(state)]));
}

async function eventNotes(): Promise<readonly string[]> {
  const { body } = await server.request({ path: "/apis/events.k8s.io/v1/events" });
  const lines = asList(at(body as JsonMap, "items")).map((event) => {
    const isRepeated = at(event, "series") !== undefined;
    return `${asText(at(event, "reason"))}: ${asText(at(event, "note"))}${isRepeated ? " again" : ""}`;
  });
  return lines.filter((line) => line.startsWith("Tombstone")).toSorted();
}

test("an idle operator reads no tombstone", async () => {
  await expect
    .poll(async () => (await (await fetch(metricsUrl)).text()).includes("kubevirt_platform_active"))
    .toBe(true);
  expect(names.flatMap(asked)).toEqual([]);
  expect(await states()).toEqual({});
});

test("tombstones wait until the HyperConverged schema is read", async () => {
  await annotate({ "virt-platform-operator": "hco-golden-config" });
  await expect.poll(isSchemaHeld).toBe(true);
  await expect.poll(async () => (await fetch(readyUrl)).status).toBe(200);
  expect(names.flatMap(asked)).toEqual([]);
  proxy.disarm();
  armDeletions();
  await expect.poll(isTakenHeld).toBe(true);
});

test("deletes labelled objects, keeps objects of users, and reports each", async () => {
  const unmanaged = { metadata: { annotations: { [`${prefix}mode`]: "unmanaged" } } };
  expect((await server.request({ method: "PATCH", path: `${maps}/taken`, body: unmanaged })).status).toBe(200);
  proxy.disarm();
  refuseDeletion("refused");
  await expect
    .poll(states)
    .toEqual({ ours: 0, "never-there": 0, unlabelled: -2, unmanaged: -2, taken: -2, refused: -1 });
  const skipped = "TombstoneSkipped: Skipped tombstone deletion for ConfigMap openshift-cnv";
  await expect
    .poll(eventNotes)
    .toEqual([
      "TombstoneDeleted: Deleted tombstoned resource ConfigMap openshift-cnv/ours",
      expect.stringMatching(
        /^TombstoneFailed: Failed to delete tombstoned resource ConfigMap openshift-cnv\/refused: ./,
      ),
      `${skipped}/taken: it is unmanaged`,
      `${skipped}/unlabelled: it does not have the operator's label`,
      `${skipped}/unmanaged: it is unmanaged`,
    ]);
  expect(await Promise.all(names.map(isThere))).toEqual([false, false, true, true, true, true, true]);
});

test("keeps an object that a user claims during its deletion", () => {
  expect(asked("taken").flatMap(({ verb, status }) => (verb === "delete" ? [status] : []))).toEqual([409]);
});

test("retries a failed deletion and reports it once", async () => {
  await expect.poll(() => deletions("refused")).toBeGreaterThan(2);
  expect((await eventNotes()).filter((line) => line.includes("/refused"))).toHaveLength(1);
  proxy.disarm();
  await expect.poll(states).toMatchObject({ refused: 0 });
  expect(await isThere("refused")).toBe(false);
  expect((await eventNotes()).filter((line) => line.endsWith("again"))).toEqual([]);
});

test("reads no tombstone that is excluded or completed", async () => {
  expect(asked("excluded")).toEqual([]);
  const before = names.filter((name) => name !== "excluded").flatMap(asked).length;
  await annotate({ "disabled-resources": null });
  await expect.poll(states).toMatchObject({ excluded: 0 });
  expect(await isThere("excluded")).toBe(false);
  expect(names.filter((name) => name !== "excluded").flatMap(asked)).toHaveLength(before);
});

test.each([
  { reason: "after the first failure", state: -1, timesInARow: 0, ms: 1_000 },
  { reason: "after the second failure", state: -1, timesInARow: 1, ms: 2_000 },
  { reason: "after the tenth failure", state: -1, timesInARow: 9, ms: 512_000 },
  { reason: "after the eleventh failure", state: -1, timesInARow: 10, ms: 600_000 },
  { reason: "after thousands of failures", state: -1, timesInARow: 5_000, ms: 600_000 },
  { reason: "for an object that a user keeps", state: -2, timesInARow: 0, ms: 600_000 },
] as const)("waits $ms ms $reason", ({ state, timesInARow, ms }) => {
  expect(tombstoneRetryMs({ state, timesInARow })).toBe(ms);
});
