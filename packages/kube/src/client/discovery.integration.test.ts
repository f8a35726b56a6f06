import { reply, type ScriptedReply } from "@virt/testkit";
import { expect, test } from "vitest";
import { startScripted } from "../testing/scripted-client.ts";
import { Discovery } from "./discovery.ts";

const never = new AbortController().signal;
const pool = { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfigPool" };
const served = reply.json(200, {
  kind: "APIResourceList",
  resources: [
    { name: "machineconfigpools/status", kind: "MachineConfigPool", namespaced: false },
    { name: "machineconfigpools", kind: "MachineConfigPool", namespaced: false },
  ],
});

async function discovery(...script: readonly ScriptedReply[]) {
  const { server, client } = await startScripted(script);
  return { server, found: new Discovery(client) };
}

test("parallel callers cause one discovery request", async () => {
  const use = await discovery(served);
  const answers = await Promise.all([1, 2, 3].map(() => use.found.find(pool, never)));
  const resource = {
    group: "machineconfiguration.openshift.io",
    version: "v1",
    plural: "machineconfigpools",
    isNamespaced: false,
  };
  expect(answers).toEqual(Array.from({ length: 3 }, () => ({ kind: "served", resource })));
  expect(use.server.seen.map(({ path }) => path)).toEqual(["/apis/machineconfiguration.openshift.io/v1"]);
});

test("remembers that a kind is not served until its group changes", async () => {
  const use = await discovery(reply.text(404, "404 page not found\n"), served);
  for (let round = 0; round < 2; round++) expect(await use.found.find(pool, never)).toEqual({ kind: "not-served" });
  use.found.forget("other.example");
  expect(await use.found.find(pool, never)).toEqual({ kind: "not-served" });
  use.found.forget("machineconfiguration.openshift.io");
  expect(await use.found.find(pool, never)).toMatchObject({ kind: "served" });
});

test("asks again for a kind that an older answer lacks", async () => {
  const config = { ...pool, kind: "MachineConfig" };
  const both = reply.json(200, {
    kind: "APIResourceList",
    resources: [pool, config].map(({ kind }) => ({ name: `${kind.toLowerCase()}s`, kind, namespaced: false })),
  });
  const use = await discovery(served, both);
  expect(await use.found.find(pool, never)).toMatchObject({ kind: "served" });
  expect(await use.found.find(config, never)).toMatchObject({ kind: "served" });
  for (let round = 0; round < 2; round++) {
    expect(await use.found.find(config, never)).toMatchObject({ kind: "served" });
    expect(use.server.seen).toHaveLength(2);
  }
});

test("asks once for each kind that is not served", async () => {
  const use = await discovery(...Array.from({ length: 3 }, () => served));
  const kinds = ["MachineConfigPool", "MachineConfig", "KubeletConfig"].map((kind) => ({ ...pool, kind }));
  for (let round = 0; round < 2; round++) for (const kind of kinds) await use.found.find(kind, never);
  expect(use.server.seen).toHaveLength(3);
});

test("does not remember an unavailable answer", async () => {
  const use = await discovery(reply.json(503, {}), reply.json(500, {}), served);
  expect(await use.found.find(pool, never)).toMatchObject({ kind: "unavailable" });
  expect((await use.found.find(pool, never)).kind).toBe("unavailable");
  expect((await use.found.find(pool, never)).kind).toBe("served");
});

test("keeps the known place of a kind until it is gone", async () => {
  const use = await discovery(served, reply.text(404, "404 page not found\n"));
  const first = await use.found.find(pool, never);
  use.found.forget("machineconfiguration.openshift.io");
  expect(await use.found.place(pool, never)).toEqual(first);
  expect(use.server.seen).toHaveLength(1);
  use.found.forgetPlace(pool);
  expect(await use.found.place(pool, never)).toEqual({ kind: "not-served" });
});
