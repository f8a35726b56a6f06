import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AuditEvent, type Server, startServer, startTcpGate } from "@virt/testkit";
import { expect, test } from "vitest";
import { complaints, startCopier } from "./runtime/process.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const original = (name: string, value: string) => ({ metadata: { name, labels: { copy: "yes" } }, data: { value } });
/** Long enough to keep the lease on a busy machine, short enough to wait for. */
const lease = { LEASE: "default/copier", LEASE_SECONDS: "8" };
const valueOf = async (api: Server, name: string) =>
  ((await api.request({ path: `${maps}/${name}` })).body as { data?: { value?: string } }).data?.value;

test("a controller follows changes, corrects drift, and releases its lease", async () => {
  await using api = await startServer();
  const copier = startCopier(api, { ...lease, IDENTITY: "one" });
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

test("a leader that was frozen past its lease writes nothing more", {
  tags: ["thorough"],
}, async () => {
  await using api = await startServer();
  const one = startCopier(api, { ...lease, IDENTITY: "one" });
  await expect.poll(() => one.said).toContainEqual({ event: "leading", isLeading: true });
  const two = startCopier(api, { ...lease, IDENTITY: "two" });
  await api.request({ method: "POST", path: maps, body: original("a", "1") });
  await expect.poll(() => valueOf(api, "a-copy")).toBe("1");

  process.kill(one.pid, "SIGSTOP");
  await expect.poll(() => two.said).toContainEqual({ event: "leading", isLeading: true });
  // Creates work that the frozen process finds when it wakes.
  for (let round = 0; round < 20; round++)
    await api.request({ method: "POST", path: maps, body: original(`b-${round}`, "1") });
  await expect.poll(() => valueOf(api, "b-19-copy")).toBe("1");
  const frozenUntil = new Date().toISOString();
  process.kill(one.pid, "SIGCONT");
  // Checks the last report, because the process also reported this at its start.
  await expect.poll(() => one.said.findLast(({ event }) => event === "leading")).toMatchObject({ isLeading: false });
  for (let round = 0; round < 20; round++)
    await api.request({ method: "PATCH", path: `${maps}/b-${round}`, body: { data: { value: "2" } } });
  await expect.poll(() => valueOf(api, "b-19-copy")).toBe("2");

  const writes = api
    .audit()
    .filter(
      ({ verb, userAgent = "" }) => userAgent.startsWith("copier/one") && !["get", "list", "watch"].includes(verb),
    );
  // The process learns of its loss from a refused renewal.
  const isRefusedRenewal = ({ requestURI, responseStatus }: AuditEvent) =>
    requestURI.includes("/leases/") && responseStatus?.code === 409;
  const late = writes.filter((event) => event.requestReceivedTimestamp > frozenUntil && !isRefusedRenewal(event));
  expect(late.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
  expect(writes.length).toBeGreaterThan(0);
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
