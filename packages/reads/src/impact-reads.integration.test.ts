import { assessed } from "@virt/impact";
import { Client, type ClusterReader, type Resource } from "@virt/kube";
import { reply, startScriptedServer } from "@virt/testkit";
import { expect, onTestFinished, test } from "vitest";
import { ImpactReads } from "./impact-reads.ts";

const pods: Resource = { group: "", version: "v1", plural: "pods", isNamespaced: true };
const discovery = { find: () => Promise.resolve({ kind: "served", resource: pods } as const) };
const reader: Pick<ClusterReader, "read"> = { read: () => Promise.resolve({ kind: "absent" } as const) };

const page = (more?: string) =>
  reply.json(200, {
    metadata: more === undefined ? {} : { continue: more },
    items: [{ metadata: { name: `pod-${more ?? "last"}`, namespace: "apps" } }],
  });

async function readPods(script: Parameters<typeof startScriptedServer>[0]) {
  const server = await startScriptedServer(script);
  const client = new Client({ access: { server: server.url, isInsecure: false, source: "test" }, userAgent: "test/1" });
  onTestFinished(async () => {
    client.close();
    await server[Symbol.asyncDispose]();
  });
  const reads = new ImpactReads();
  const { signal } = new AbortController();
  await reads.load({ nodes: ["worker-0"], owners: [] }, { sender: client, discovery, reader, signal, now: 0 });
  return { server, reads };
}

test("reads all pages of pods", async () => {
  const { server, reads } = await readPods([page("1"), page("2"), page()]);
  expect(server.seen.length).toBe(3);
  const found = reads.pods.isAssessed ? [...reads.pods.value.values()].flat() : [];
  expect(found.map(({ name }) => name)).toEqual(["pod-1", "pod-2", "pod-last"]);
  expect(reads.runStrategies).toEqual(assessed(new Map()));
});

test("gives up an endless list of pods and reports it", async () => {
  const { server, reads } = await readPods(Array.from({ length: 100 }, (_, at) => page(String(at))));
  expect(reads.pods).toMatchObject({ isAssessed: false, reason: "TooMany" });
  expect(reads.retryAt).toBe(300_000);
  expect(server.seen.length).toBeLessThan(20);
});
