import { type Server, startServer } from "@virt/testkit";
import { expect, onTestFinished, test } from "vitest";
import { findAccess } from "../access/find-access.ts";
import { directLine } from "../breaker/line.ts";
import { systemClock } from "../clock.ts";
import { Client } from "../wire/client.ts";
import { Discovery } from "../wire/discovery.ts";
import type { WatchSpec } from "./running-watch.ts";
import { WatchSet } from "./watch-set.ts";

const crd = (version: string) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.org" },
  spec: {
    group: "example.org",
    names: { kind: "Thing", plural: "things" },
    scope: "Cluster",
    versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
});
const things: WatchSpec = { apiVersion: "example.org/v1", kind: "Thing", projection: { keep: "all" } };
const crds: WatchSpec = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  projection: { keep: "metadata" },
};
const oneMap: WatchSpec = {
  apiVersion: "v1",
  kind: "ConfigMap",
  namespace: "default",
  name: "one",
  projection: { keep: "all" },
};

function watchesOf(kubeconfig: string) {
  const client = new Client({ access: findAccess({ env: {}, kubeconfig }), userAgent: "test" });
  const heard: string[] = [];
  const watches = new WatchSet({
    lineFor: () => directLine(client),
    discovery: new Discovery(client),
    clock: systemClock,
    random: Math.random,
    observer: {
      changed: ({ kind }, { key, after }) => {
        heard.push(`${after === undefined ? "-" : "+"}${kind} ${key}`);
        if (kind === "CustomResourceDefinition") watches.groupChanged(key.split(".").slice(1).join("."));
      },
      stateChanged: ({ spec, state }) => heard.push(`${spec.kind} is ${state}`),
      told: () => undefined,
      handlerFailed: (error) => heard.push(String(error)),
    },
  });
  onTestFinished(() => {
    watches.stop();
    client.close();
  });
  return { watches, heard };
}

test("a kind is watched while it is served, through twenty deletions and creations of its CRD", async () => {
  await using api = await startServer();
  const { watches, heard } = watchesOf(api.kubeconfig);
  watches.want([crds, things]);
  await expect.poll(() => watches.find(things)?.state).toBe("not served");
  for (let round = 0; round < 20; round++) {
    await api.installCrds([crd("v1")]);
    await expect.poll(() => watches.find(things)?.state, { timeout: 20_000 }).toBe("synced");
    if (round % 10 === 9) await expectFollowed(api, watches); // the server holds back a creation for two seconds
    await api.removeCrd(crd("v1"));
    await expect.poll(() => watches.find(things)?.state, { timeout: 20_000 }).toBe("not served");
    expect(watches.find(things)?.store.size).toBe(0);
  }
  expect(heard.filter((line) => line === "+Thing one")).toHaveLength(2);
  expect(heard.filter((line) => line === "-Thing one")).toHaveLength(2);
});

async function expectFollowed(api: Server, watches: WatchSet): Promise<void> {
  const body = { apiVersion: "example.org/v1", kind: "Thing", metadata: { name: "one" } };
  expect((await api.request({ method: "POST", path: "/apis/example.org/v1/things", body })).status).toBe(201);
  await expect.poll(() => [...(watches.find(things)?.store.keys() ?? [])]).toEqual(["one"]);
}

test("a watch by name sees that object only, and what is not wanted any more is not watched", async () => {
  await using api = await startServer();
  const { watches, heard } = watchesOf(api.kubeconfig);
  watches.want([oneMap]);
  await expect.poll(() => watches.find(oneMap)?.state).toBe("synced");
  const create = (name: string) =>
    api.request({ method: "POST", path: "/api/v1/namespaces/default/configmaps", body: { metadata: { name } } });
  await create("two");
  await create("one");
  await expect.poll(() => heard).toContain("+ConfigMap default/one");
  expect(heard).not.toContain("+ConfigMap default/two");
  const streams = () =>
    api.audit().filter(({ requestURI, stage }) => requestURI.includes("watch=true") && stage === "ResponseComplete")
      .length;
  const before = streams();
  watches.want([]);
  await expect.poll(streams).toBe(before + 1);
  expect(watches.find(oneMap)).toBeUndefined();
});
