import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePorts, type Server, startServer } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alarms, startOperator } from "./operator/process.ts";
import { bindRole } from "./rights/rights-cluster.ts";

let api: Server;
beforeAll(async () => {
  api = await startServer();
});
afterAll(() => api.stop());

test("becomes ready, holds both leases, and releases them on SIGTERM", async () => {
  for (const name of ["virt-advisor-operator-system", "virt-platform-operator-system"]) {
    await api.request({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name } } });
  }
  const operator = await startOperator(`--kubeconfig=${api.kubeconfig}`, "--leader-elect");
  await expect.poll(() => operator.probe("/readyz")).toBe(200);
  const holder = async (namespace: string, name: string) => {
    const { body } = await api.request({ path: `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}` });
    return (body as { spec?: { holderIdentity?: string } }).spec?.holderIdentity;
  };
  const holders = () =>
    Promise.all([
      holder("virt-advisor-operator-system", "8f83cc6e.kubevirt.io"),
      holder("virt-platform-operator-system", "virt-platform-operator.kubevirt.io"),
    ]);
  await expect.poll(async () => (await holders()).every((identity) => Boolean(identity))).toBe(true);
  operator.child.kill("SIGTERM");
  const [code] = (await once(operator.child, "close")) as [number];
  expect(code).toBe(0);
  expect(await holders()).toEqual(["", ""]);
  expect(operator.words()).toBe("");
});

const refusals = [
  {
    reason: "an unknown flag",
    flags: ["--contrllers=advisor"],
    words: /^virt-operator: unknown flag --contrllers; see --help\n$/,
    code: 2,
  },
  {
    reason: "a missing kubeconfig",
    flags: ["--kubeconfig=/nowhere"],
    words: /^virt-operator: cannot read kubeconfig \/nowhere: no such file\n$/,
    code: 1,
  },
  {
    reason: "a missing cluster configuration",
    flags: [],
    words: /^virt-operator: no cluster configured: [^\n]*\n$/,
    code: 1,
  },
];

test.each(refusals)("exits with one line and no stack trace on $reason", async ({ flags, words, code }) => {
  const operator = await startOperator(...flags);
  const [status] = (await once(operator.child, "close")) as [number];
  expect(status).toBe(code);
  expect(operator.words()).toMatch(words);
});

test("reports an unreachable API server once and stays alive but not ready", async () => {
  const [nobody = 0] = await freePorts(1);
  const kubeconfig = join(api.folder, "unreachable");
  writeFileSync(kubeconfig, readFileSync(api.kubeconfig, "utf8").replace(api.url, `https://127.0.0.1:${nobody}`));
  const operator = await startOperator(`--kubeconfig=${kubeconfig}`);
  await expect.poll(() => alarms(operator)).not.toEqual([]);
  await expect.poll(() => operator.probe("/healthz")).toBe(200); // the server can start after the first warning
  expect(await operator.probe("/readyz")).toBe(500);
  expect(alarms(operator)).toEqual([
    expect.objectContaining({
      msg: "the API server does not respond; retrying every second",
      why: expect.stringContaining("ECONNREFUSED"),
    }),
  ]);
  expect(operator.child.exitCode).toBeNull();
});

test("reports a forbidden list in the server's words and recovers", async () => {
  const operator = await startOperator(`--kubeconfig=${api.user("nobody").kubeconfig}`);
  const isReported = () =>
    operator.log.some(({ msg = "", why }) => msg.includes("refused") && String(why).includes("nobody"));
  await expect.poll(isReported).toBe(true);
  await expect.poll(() => operator.probe("/healthz")).toBe(200);
  expect(await operator.probe("/readyz")).toBe(500);
  await bindRole(api, "nobody", "cluster-admin");
  await expect.poll(() => operator.probe("/readyz")).toBe(200);
});
