import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Server, startServer, startTcpGate } from "@virt/testkit";
import { expect, test } from "vitest";
import { complaints, startCopier } from "./runtime/process.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const original = (name: string, value: string) => ({ metadata: { name, labels: { copy: "yes" } }, data: { value } });
const valueOf = async (api: Server, name: string) =>
  ((await api.request({ path: `${maps}/${name}` })).body as { data?: { value?: string } }).data?.value;

test("a controller follows changes, corrects drift, and releases its lease", async () => {
  await using api = await startServer();
  const copier = startCopier(api, { LEASE: "default/copier", IDENTITY: "one" });
  await api.request({ method: "POST", path: maps, body: original("a", "1") });
  await expect.poll(() => valueOf(api, "a-copy")).toBe("1");
  await api.request({ method: "PATCH", path: `${maps}/a`, body: { data: { value: "2" } } });
  await expect.poll(() => valueOf(api, "a-copy")).toBe("2");
  await api.request({ method: "PATCH", path: `${maps}/a-copy`, body: { data: { value: "tampered" } } });
  await expect.poll(() => valueOf(api, "a-copy")).toBe("2");
  await api.request({ method: "DELETE", path: `${maps}/a-copy` });
  await expect.poll(() => valueOf(api, "a-copy")).toBe("2");

  copier.child.kill("SIGTERM");
  const [code] = (await once(copier.child, "close")) as [number];
  expect(code).toBe(0);
  const released = await api.request({ path: "/apis/coordination.k8s.io/v1/namespaces/default/leases/copier" });
  expect(released.body).toMatchObject({ spec: { holderIdentity: "", leaseDurationSeconds: 1 } });
  expect(complaints(copier)).toEqual([]);
});

test("retries quietly during an outage and recovers afterwards", async () => {
  await using api = await startServer();
  await using gate = await startTcpGate({ host: "127.0.0.1", port: Number(new URL(api.url).port) });
  const kubeconfig = join(api.folder, "through-gate.kubeconfig");
  writeFileSync(kubeconfig, readFileSync(api.kubeconfig, "utf8").replace(api.url, `https://127.0.0.1:${gate.port}`));
  const copier = startCopier(api, { KUBECONFIG: kubeconfig });
  await api.request({ method: "POST", path: maps, body: original("a", "1") });
  await expect.poll(() => valueOf(api, "a-copy")).toBe("1");

  gate.setMode("closed");
  await api.request({ method: "PATCH", path: `${maps}/a`, body: { data: { value: "2" } } });
  await expect.poll(() => copier.said.some(({ event }) => event === "opened")).toBe(true);
  // Concurrent attempts can arrive late. From the next one on there is one per second.
  const atOnce = gate.connectionCount();
  await expect.poll(() => gate.connectionCount()).toBeGreaterThan(atOnce);
  const since = performance.now();
  const before = gate.connectionCount();
  const tried = () => gate.connectionCount() - before;
  await expect.poll(tried).toBeGreaterThan(3);
  const seconds = (performance.now() - since) / 1000;
  expect(tried(), "one attempt a second, however many streams and reconciles wait").toBeLessThanOrEqual(seconds + 1);
  const reports = copier.said.filter(({ event }) => event === "opened" || event === "closed");
  expect(reports, "an outage is reported once, not for each attempt").toMatchObject([{ event: "opened" }]);
  gate.setMode("open");
  await expect.poll(() => valueOf(api, "a-copy")).toBe("2");
  expect(copier.child.exitCode).toBeNull();
  expect(complaints(copier)).toEqual([]);
});
