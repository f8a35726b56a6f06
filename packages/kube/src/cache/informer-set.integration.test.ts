import type { JsonMap } from "@virt/objects";
import { reply, type Server, startScriptedServer, startServer } from "@virt/testkit";
import { expect, onTestFinished, test } from "vitest";
import type { Access } from "../auth/access.ts";
import { findAccess } from "../auth/find-access.ts";
import { Client } from "../client/client.ts";
import { Discovery } from "../client/discovery.ts";
import { systemClock } from "../clock.ts";
import { silentBreakers } from "../testing/silent-observers.ts";
import { thing, thingCrd, thingsPath } from "../testing/thing-crd.ts";
import type { InformerSpec } from "./informer.ts";
import { InformerSet } from "./informer-set.ts";

const things: InformerSpec = { apiVersion: "example.org/v1", kind: "Thing", projection: { keep: "all" } };
const crds: InformerSpec = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  projection: { keep: "metadata" },
};
const oneMap: InformerSpec = {
  apiVersion: "v1",
  kind: "ConfigMap",
  namespace: "default",
  name: "one",
  projection: { keep: "all" },
};
const versionToCome = "1000000000";

const watchesOf = (kubeconfig: string) => watchesAt(findAccess({ env: {}, kubeconfig }));

function watchesAt(access: Access) {
  const client = new Client({ access, userAgent: "test" });
  const heard: string[] = [];
  const reasons: string[] = [];
  const watches = new InformerSet({
    client,
    breakers: silentBreakers(systemClock),
    discovery: new Discovery(client),
    clock: systemClock,
    random: Math.random,
    observer: {
      changed: ({ kind }, { key, before, after }) => {
        heard.push(`${after === undefined ? "-" : "+"}${kind} ${key}`);
        if (kind !== "CustomResourceDefinition") return;
        watches.groupChanged(key.split(".").slice(1).join("."));
        if (before !== undefined && after !== undefined) watches.schemaChanged(key);
      },
      stateChanged: ({ spec, state, lastError }) => {
        heard.push(`${spec.kind} is ${state}`);
        if (lastError !== undefined) reasons.push(lastError);
      },
      warned: () => undefined,
      handlerFailed: (error) => heard.push(String(error)),
    },
  });
  onTestFinished(() => {
    watches.stop();
    client.close();
  });
  return { watches, heard, reasons };
}

test("watches a kind through eight deletions and creations of its CRD", async () => {
  await using api = await startServer();
  const { watches, heard } = watchesOf(api.kubeconfig);
  watches.setSpecs([crds, things]);
  await expect.poll(() => watches.find(things)?.state).toBe("not served");
  for (let round = 0; round < 8; round++) {
    await api.installCrds([thingCrd]);
    await expect.poll(() => watches.find(things)?.state).toBe("synced");
    if (round % 4 === 3) await expectFollowed(api, watches); // the server holds back a creation for two seconds
    await api.removeCrd(thingCrd);
    await expect.poll(() => watches.find(things)?.state).toBe("not served");
    expect(watches.find(things)?.store.size).toBe(0);
  }
  expect(heard.filter((line) => line === "+Thing one")).toHaveLength(2);
  expect(heard.filter((line) => line === "-Thing one")).toHaveLength(2);
}, 360_000);

test("a wait for a write ends when its watch is removed", async () => {
  await using api = await startServer();
  const { watches } = watchesOf(api.kubeconfig);
  watches.setSpecs([oneMap]);
  await expect.poll(() => watches.find(oneMap)?.state).toBe("synced");
  const store = watches.find(oneMap)?.store;
  const { signal } = new AbortController();
  const earlier = store?.contains(versionToCome, signal);
  watches.setSpecs([]);
  await earlier;
  await store?.contains(versionToCome, signal);
});

async function expectFollowed(api: Server, watches: InformerSet): Promise<void> {
  expect((await api.request({ method: "POST", path: thingsPath, body: thing })).status).toBe(201);
  await expect.poll(() => [...(watches.find(things)?.store.keys() ?? [])]).toEqual(["one"]);
}

test("watches only the named object, and ends watches without a spec", async () => {
  await using api = await startServer();
  const { watches, heard } = watchesOf(api.kubeconfig);
  watches.setSpecs([oneMap]);
  await expect.poll(() => watches.find(oneMap)?.state).toBe("synced");
  const create = (name: string) =>
    api.request({ method: "POST", path: "/api/v1/namespaces/default/configmaps", body: { metadata: { name } } });
  await create("two");
  await create("one");
  await expect.poll(() => heard).toContain("+ConfigMap default/one");
  expect(heard).not.toContain("+ConfigMap default/two");
  // Counts only our requests, because the API server also opens watches of its own.
  const ours = () => api.audit().filter(({ userAgent }) => userAgent === "test");
  const streams = () =>
    ours().filter(({ requestURI, stage }) => requestURI.includes("watch=true") && stage === "ResponseComplete").length;
  const before = streams();
  watches.setSpecs([]);
  await expect.poll(streams).toBe(before + 1);
  expect(watches.find(oneMap)).toBeUndefined();
});

test("shows objects by the new schema after their CRD changed", async () => {
  await using api = await startServer();
  const { watches } = watchesOf(api.kubeconfig);
  const withFields = (fields: JsonMap) => {
    const spec = { type: "object", properties: fields };
    const versions = thingCrd.spec.versions.map((version) => ({
      ...version,
      schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
    }));
    return { ...thingCrd, spec: { ...thingCrd.spec, versions } };
  };
  const color = { type: "string" };
  await api.installCrds([withFields({ color: { ...color, default: "red" } })]);
  const shown = () => watches.find(things)?.store.get("one")?.["spec"];
  watches.setSpecs([crds, things]);
  await expect.poll(() => watches.find(things)?.state).toBe("synced");
  await api.request({ method: "POST", path: thingsPath, body: { ...thing, spec: {} } });
  await expect.poll(shown).toEqual({ color: "red" });
  await api.installCrds([withFields({ color, size: { type: "string", default: "small" } })]);
  await api.request({ method: "PATCH", path: `${thingsPath}/one`, body: { spec: { color: null } } });
  // The old watch already delivered the edit, so the new one does not repeat it.
  await expect.poll(shown).toEqual({ size: "small" });
});

test("a denied list keeps its objects and error until access is restored", async () => {
  await using api = await startServer();
  const reader = await api.serviceAccount("default", "reader");
  const may = async (method: "POST" | "DELETE") => {
    const root = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch"] }];
    const role = { metadata: { name: "reader" }, rules };
    const subjects = [{ kind: "ServiceAccount", name: "reader", namespace: "default" }];
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" };
    const binding = { metadata: { name: "reader" }, subjects, roleRef };
    for (const [plural, body] of [
      ["roles", role],
      ["rolebindings", binding],
    ] as const)
      await (method === "POST"
        ? api.request({ method, path: `${root}/${plural}`, body })
        : api.request({ method, path: `${root}/${plural}/reader` }));
  };
  await may("POST");
  const { watches, heard } = watchesOf(reader.kubeconfig);
  watches.setSpecs([oneMap]);
  await api.request({
    method: "POST",
    path: "/api/v1/namespaces/default/configmaps",
    body: { metadata: { name: "one" } },
  });
  await expect.poll(() => heard).toContain("+ConfigMap default/one");
  await may("DELETE");
  const watch = watches.find(oneMap);
  const relisted = () => {
    watch?.relist();
    return watch?.lastError;
  };
  await expect.poll(relisted, { interval: 500 }).toMatch(/^403: /);
  expect(watch?.state).toBe("synced");
  expect(watch?.store.size).toBe(1);
  await may("POST");
  await expect.poll(relisted, { interval: 500 }).toBeUndefined();
  expect(heard.filter((line) => line === "ConfigMap is synced").length).toBeGreaterThanOrEqual(3);
});

test("reports each new reason for a missing list once", async () => {
  const core = { resources: [{ name: "configmaps", namespaced: true, kind: "ConfigMap" }] };
  const refusal = (message: string) => ({ kind: "Status", message });
  await using server = await startScriptedServer([
    reply.json(200, core),
    reply.json(500, refusal("starting")),
    reply.json(403, refusal("forbidden")),
    reply.json(403, refusal("forbidden")),
    reply.json(500, refusal("stopping")),
  ]);
  const { watches, reasons } = watchesAt({ server: server.url, isInsecure: false, source: "script" });
  watches.setSpecs([oneMap]);
  await expect.poll(() => reasons).toContain("500: stopping");
  expect(reasons.slice(0, 3)).toEqual(["500: starting", "403: forbidden", "500: stopping"]);
});
