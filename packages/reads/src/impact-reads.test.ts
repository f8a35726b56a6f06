import type { KubeObject } from "@virt/api";
import { assessed, notAssessed } from "@virt/impact";
import type { ApiReader, ClusterReader, ReadResult, Resource } from "@virt/kube";
import { expect, test } from "vitest";
import { ImpactReads, InfrastructureRead } from "./impact-reads.ts";

const podResource: Resource = { group: "", version: "v1", plural: "pods", isNamespaced: true };
const discovery = { find: () => Promise.resolve({ kind: "served", resource: podResource } as const) };
const always: KubeObject = {
  apiVersion: "kubevirt.io/v1",
  kind: "VirtualMachine",
  metadata: { name: "a" },
  spec: { runStrategy: "Always" },
};
const found: ReadResult = { kind: "found", object: always };
const unavailable = { kind: "unavailable", message: "503", retryInMs: 0 } as unknown as ReadResult;
const forbidden = { kind: "rejected", reason: "Forbidden", message: "403" } as unknown as ReadResult;
const owners = (count: number) => Array.from({ length: count }, (_, at) => ({ namespace: "vms", name: `vm-${at}` }));

function readsOf(options: ConstructorParameters<typeof ImpactReads>[0] = {}) {
  const server = { owner: found, podStatus: 200, owners: 0, pods: 0 };
  const reader: Pick<ClusterReader, "read"> = {
    read: () => {
      server.owners += 1;
      return Promise.resolve(server.owner);
    },
  };
  const send = () => {
    server.pods += 1;
    const body =
      server.podStatus === 200 ? { items: [], metadata: {} } : { kind: "Status", reason: "Forbidden", message: "" };
    return Promise.resolve({ kind: "answered", status: server.podStatus, body, text: "" });
  };
  const reads = new ImpactReads(options);
  const { signal } = new AbortController();
  const contextAt = (seconds: number) => ({
    reader,
    sender: { send } as unknown as ApiReader,
    discovery,
    signal,
    now: seconds * 1000,
  });
  const load = (seconds: number, needed: Parameters<ImpactReads["load"]>[0]) => reads.load(needed, contextAt(seconds));
  return { server, reads, load, contextAt };
}

const strategiesOf = ({ runStrategies }: ImpactReads) => (runStrategies.isAssessed ? runStrategies.value.size : -1);

test("reads 50 owners at a time and reports that there are more", async () => {
  const { server, reads, load } = readsOf();
  const needed = { nodes: [], owners: owners(120) };
  expect(await load(0, needed)).toEqual({ isWhole: false, hasMore: true });
  expect([server.owners, strategiesOf(reads)]).toEqual([50, 50]);
  await load(1, needed);
  expect(await load(2, needed)).toEqual({ isWhole: true, hasMore: false });
  expect([server.owners, strategiesOf(reads)]).toEqual([120, 120]);
});

test("reads all owners at once on request", async () => {
  const { server, reads, contextAt } = readsOf();
  const needed = { nodes: ["worker-0"], owners: owners(120) };
  expect(await reads.loadAll(needed, contextAt(0), () => true)).toEqual({ isWhole: true });
  expect([server.owners, server.pods, strategiesOf(reads)]).toEqual([120, 1, 120]);
});

test("a denied right to list pods does not delay owners", async () => {
  const { server, reads, load } = readsOf({ restsWhenRefused: true });
  server.podStatus = 403;
  await load(0, { nodes: ["worker-0"], owners: owners(1) });
  await load(5, { nodes: ["worker-0"], owners: owners(60) });
  expect([strategiesOf(reads), server.pods]).toEqual([51, 1]);
  expect(reads.pods).toMatchObject({ reason: "Forbidden" });
  await load(299, { nodes: ["worker-0"], owners: owners(60) });
  expect(server.pods).toBe(1);
  server.podStatus = 200;
  await load(300, { nodes: ["worker-0"], owners: owners(60) });
  expect(reads.pods).toMatchObject({ isAssessed: true });
});

test("without a rest, a granted right counts at the next change", async () => {
  const { server, reads, load } = readsOf();
  server.podStatus = 403;
  await load(0, { nodes: ["worker-0"], owners: [] });
  expect([reads.pods.isAssessed, reads.retryAt]).toEqual([false, 300_000]);
  server.podStatus = 200;
  await load(5, { nodes: ["worker-0"], owners: [] });
  expect(reads.pods.isAssessed).toBe(true);
});

test("owners that fail for a minute are unavailable, and retried once a minute", async () => {
  const { server, reads, load } = readsOf();
  const needed = { nodes: [], owners: owners(1) };
  server.owner = unavailable;
  for (let seconds = 0; seconds < 60; seconds += 5) expect((await load(seconds, needed)).isWhole).toBe(false);
  expect(reads.runStrategies).toMatchObject({ isAssessed: true });
  expect(await load(60, needed)).toEqual({ isWhole: true, hasMore: false });
  expect(reads.runStrategies).toMatchObject({ isAssessed: false, reason: "Unavailable" });
  const asked = server.owners;
  for (let seconds = 65; seconds < 120; seconds += 5) await load(seconds, needed);
  expect([server.owners, reads.retryAt]).toEqual([asked, 120_000]);
  server.owner = found;
  await load(120, needed);
  expect(strategiesOf(reads)).toBe(1);
});

test("pods that fail for a minute are unavailable", async () => {
  const { server, reads, load } = readsOf();
  const needed = { nodes: ["worker-0"], owners: [] };
  server.podStatus = 503;
  await load(0, needed);
  expect(reads.pods).toMatchObject({ reason: "Listing" });
  await load(60, needed);
  expect(reads.pods).toMatchObject({ reason: "Unavailable" });
  server.podStatus = 200;
  await load(120, needed);
  server.podStatus = 503;
  await load(720, needed);
  expect(reads.pods).toMatchObject({ isAssessed: true });
  await load(780, needed);
  expect(reads.pods).toMatchObject({ reason: "Unavailable" });
});

test("without retries, an error counts at once", async () => {
  const { server, reads, contextAt } = readsOf({ isPatient: false });
  server.owner = unavailable;
  await reads.loadAll({ nodes: [], owners: owners(60) }, contextAt(0), () => true);
  expect(reads.runStrategies).toMatchObject({ reason: "Unavailable" });
});

test("reports a denied right to read owners while there are owners", async () => {
  const { server, reads, load } = readsOf();
  server.owner = forbidden;
  await load(0, { nodes: [], owners: owners(60) });
  expect(reads.runStrategies).toMatchObject({ reason: "Forbidden" });
  expect(server.owners).toBeLessThan(10);
  await load(5, { nodes: [], owners: [] });
  expect(reads.runStrategies).toMatchObject({ isAssessed: true });
});

const object: KubeObject = {
  apiVersion: "config.openshift.io/v1",
  kind: "Infrastructure",
  metadata: { name: "cluster" },
};

function answering(...answers: readonly ReadResult[]): ClusterReader {
  const left = answers.values();
  return { read: () => Promise.resolve(left.next().value) } as unknown as ClusterReader;
}

test("an old Infrastructure is read again, and stays valid while requests fail", async () => {
  const infrastructure = new InfrastructureRead(1_000);
  expect(infrastructure.list).toEqual(notAssessed("Listing"));
  const reader = answering({ kind: "found", object }, unavailable, { kind: "absent" });
  for (const now of [0, 999, 1_000]) {
    await infrastructure.load(reader, now);
    expect(infrastructure.list).toEqual(assessed([object]));
  }
  await infrastructure.load(reader, infrastructure.retryAt);
  expect(infrastructure.list).toEqual(notAssessed("NotServed"));
});

test("an Infrastructure that is not served is read once", async () => {
  const infrastructure = new InfrastructureRead();
  const reader = answering({ kind: "missing", what: "kind" }, { kind: "found", object });
  for (const now of [0, 1e9]) await infrastructure.load(reader, now);
  expect(infrastructure.list).toEqual(notAssessed("NotServed"));
});
