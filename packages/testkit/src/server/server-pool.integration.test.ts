// @module-tag thorough

import { afterAll, beforeAll, expect, test } from "vitest";
import { borrowServer, type ServerSetup } from "./borrow-server.ts";
import type { Server } from "./server.ts";
import { type ServerPool, startServerPool } from "./server-pool.ts";

const clusterRoles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const maps = "/api/v1/namespaces/default/configmaps";
const mapOf = (name: string, value: string) => ({ metadata: { name }, data: { value } });

const setup: ServerSetup = {
  name: "two maps",
  prepare: async (server) => {
    for (const name of ["kept", "changed"])
      await server.request({ method: "POST", path: maps, body: mapOf(name, "as set up") });
  },
};

let pool: ServerPool;
beforeAll(async () => {
  pool = await startServerPool();
});
afterAll(() => pool.stop());

async function valuesOf(server: Server): Promise<readonly unknown[]> {
  const { body } = await server.request({ path: maps });
  const { items } = body as { readonly items: readonly ReturnType<typeof mapOf>[] };
  return items.filter(({ metadata: { name } }) => !name.startsWith("kube-")).map(({ data }) => data);
}

test("resets a control plane for the next borrower", async () => {
  const first = await borrowServer(setup, pool.socket);
  await first.request({ method: "POST", path: maps, body: mapOf("new", "by the first") });
  await first.request({ method: "PATCH", path: `${maps}/changed`, body: { data: { value: "by the first" } } });
  await first.request({ method: "DELETE", path: `${maps}/kept` });
  expect(await valuesOf(first)).toEqual([{ value: "by the first" }, { value: "by the first" }]);
  await first.stop();
  await using second = await borrowServer(setup, pool.socket);
  expect(second.keeper).toBe(first.keeper);
  await expect.poll(() => valuesOf(second)).toEqual([{ value: "as set up" }, { value: "as set up" }]);
  const namesOfFirst = second.audit().filter(({ objectRef }) => objectRef?.name === "new");
  expect(namesOfFirst).toEqual([]);
  expect(second.audit().some(({ objectRef }) => objectRef?.resource === "configmaps")).toBe(true);
});

test("parallel borrowers get different control planes", async () => {
  await using one = await borrowServer(setup, pool.socket);
  await using other = await borrowServer(setup, pool.socket);
  expect(other.url).not.toBe(one.url);
});

test("does not lend a control plane with changed rights again", async () => {
  const server = await borrowServer({ ...setup, name: "rights" }, pool.socket);
  const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }];
  const role = { metadata: { name: "reader" }, rules };
  await server.request({ method: "POST", path: clusterRoles, body: role });
  await server.stop();
  await using next = await borrowServer({ ...setup, name: "rights" }, pool.socket);
  expect(next.keeper).not.toBe(server.keeper);
  expect((await next.request({ path: `${clusterRoles}/reader` })).status).toBe(404);
});

const widgets = "/apis/example.com/v1/widgets";
const widgetCrd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Cluster",
    names: { plural: "widgets", kind: "Widget" },
    versions: [
      { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties: {} } } },
    ],
  },
};

test("makes a set-up once, also for parallel borrowers", async () => {
  let made = 0;
  const kinds: ServerSetup = {
    name: "a kind",
    prepare: async (server) => {
      made += 1;
      await server.installCrds([widgetCrd]);
    },
  };
  const both = await Promise.all([borrowServer(kinds, pool.socket), borrowServer(kinds, pool.socket)]);
  expect(both[0].url).not.toBe(both[1].url);
  for (const server of both) {
    const body = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "mine" } };
    expect(await server.request({ method: "POST", path: widgets, body })).toMatchObject({ status: 201 });
    await server.stop();
  }
  expect(made).toBe(1);
});

test("reports a failed set-up and discards its control plane", async () => {
  const failing = { name: "failing", prepare: () => Promise.reject(new Error("no such thing")) };
  await expect(borrowServer(failing, pool.socket)).rejects.toThrow("no such thing");
  await using next = await borrowServer({ ...setup, name: "failing" }, pool.socket);
  expect(await valuesOf(next)).toHaveLength(2);
});
