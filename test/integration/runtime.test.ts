import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type AuditEvent, inRepository, type Server, startServer, startTcpGate } from "@virt/testkit";
import { expect, onTestFinished, test } from "vitest";

type Said = { readonly event: string; readonly [key: string]: unknown };
type Copier = {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly said: readonly Said[];
  readonly ask: () => Promise<Said>;
};

function startCopier(api: Server, env: Readonly<Record<string, string>> = {}): Copier {
  const script = inRepository("test", "fixtures", "copier.ts");
  const child = spawn(process.execPath, ["--expose-gc", script], {
    env: { ...process.env, KUBECONFIG: api.kubeconfig, ...env },
  });
  if (child.pid === undefined) throw new Error("the copier did not start");
  const said: Said[] = [];
  createInterface(child.stdout).on("line", (line) => said.push(JSON.parse(line) as Said));
  child.stderr.on("data", (words: Buffer) => said.push({ event: "stderr", words: words.toString() }));
  onTestFinished(() => void child.kill("SIGKILL"));
  const ask = async () => {
    const before = said.length;
    child.stdin.write("\n");
    await expect.poll(() => said.slice(before).some(({ event }) => event === "memory")).toBe(true);
    return said.findLast(({ event }) => event === "memory") ?? { event: "" };
  };
  return { child, pid: child.pid, said, ask };
}

const maps = "/api/v1/namespaces/default/configmaps";
const original = (name: string, value: string) => ({ metadata: { name, labels: { copy: "yes" } }, data: { value } });
const valueOf = async (api: Server, name: string) =>
  ((await api.request({ path: `${maps}/${name}` })).body as { data?: { value?: string } }).data?.value;

test("a controller on the runtime follows changes, corrects drift, and releases its lease when it is told to stop", async () => {
  await using api = await startServer();
  const copier = startCopier(api, { LEASE: "default/copier", IDENTITY: "one" });
  await api.request({ method: "POST", path: maps, body: original("a", "1") });
  await expect.poll(() => valueOf(api, "a-copy"), { timeout: 20_000 }).toBe("1");
  await api.request({ method: "PATCH", path: `${maps}/a`, body: { data: { value: "2" } } });
  await expect.poll(() => valueOf(api, "a-copy")).toBe("2");
  await api.request({ method: "PATCH", path: `${maps}/a-copy`, body: { data: { value: "tampered" } } });
  await expect.poll(() => valueOf(api, "a-copy")).toBe("2");
  await api.request({ method: "DELETE", path: `${maps}/a-copy` });
  await expect.poll(() => valueOf(api, "a-copy")).toBe("2");

  copier.child.kill("SIGTERM");
  const [code] = (await once(copier.child, "exit")) as [number];
  expect(code).toBe(0);
  const lease = await api.request({ path: "/apis/coordination.k8s.io/v1/namespaces/default/leases/copier" });
  expect(lease.body).toMatchObject({ spec: { holderIdentity: "", leaseDurationSeconds: 1 } });
  expect(copier.said.filter(({ event }) => event === "bug" || event === "stderr")).toEqual([]);
});

test("a leader that was frozen past its lease writes nothing after it wakes, and another has taken over", async () => {
  await using api = await startServer();
  const one = startCopier(api, { LEASE: "default/copier", IDENTITY: "one" });
  await expect.poll(() => one.said, { timeout: 20_000 }).toContainEqual({ event: "leading", isLeading: true });
  const two = startCopier(api, { LEASE: "default/copier", IDENTITY: "two" });
  await api.request({ method: "POST", path: maps, body: original("a", "1") });
  await expect.poll(() => valueOf(api, "a-copy")).toBe("1");

  process.kill(one.pid, "SIGSTOP");
  await expect.poll(() => two.said, { timeout: 30_000 }).toContainEqual({ event: "leading", isLeading: true });
  // Work that the frozen one will find as soon as it wakes.
  for (let round = 0; round < 20; round++)
    await api.request({ method: "POST", path: maps, body: original(`b-${round}`, "1") });
  await expect.poll(() => valueOf(api, "b-19-copy")).toBe("1");
  const frozenUntil = new Date().toISOString();
  process.kill(one.pid, "SIGCONT");
  await expect.poll(() => one.said, { timeout: 20_000 }).toContainEqual({ event: "leading", isLeading: false });
  for (let round = 0; round < 20; round++)
    await api.request({ method: "PATCH", path: `${maps}/b-${round}`, body: { data: { value: "2" } } });
  await expect.poll(() => valueOf(api, "b-19-copy")).toBe("2");

  const writes = api
    .audit()
    .filter(
      ({ verb, userAgent = "" }) => userAgent.startsWith("copier/one") && !["get", "list", "watch"].includes(verb),
    );
  // A renewal that the server refuses, because the lease has moved, is how it learns that it does not lead any more.
  const isRefusedRenewal = ({ requestURI, responseStatus }: AuditEvent) =>
    requestURI.includes("/leases/") && responseStatus?.code === 409;
  const late = writes.filter((event) => event.requestReceivedTimestamp > frozenUntil && !isRefusedRenewal(event));
  expect(late.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
  expect(writes.length).toBeGreaterThan(0);
});

test("an outage is sat out quietly, and everything is right again when it ends", async () => {
  await using api = await startServer();
  await using gate = await startTcpGate({ host: "127.0.0.1", port: Number(new URL(api.url).port) });
  const kubeconfig = join(api.folder, "through-gate.kubeconfig");
  writeFileSync(kubeconfig, readFileSync(api.kubeconfig, "utf8").replace(api.url, `https://127.0.0.1:${gate.port}`));
  const copier = startCopier(api, { KUBECONFIG: kubeconfig });
  await api.request({ method: "POST", path: maps, body: original("a", "1") });
  await expect.poll(() => valueOf(api, "a-copy"), { timeout: 20_000 }).toBe("1");

  gate.set("closed");
  await api.request({ method: "PATCH", path: `${maps}/a`, body: { data: { value: "2" } } });
  await expect.poll(() => copier.said.some(({ event }) => event === "opened"), { timeout: 20_000 }).toBe(true);
  const before = gate.asked();
  const seconds = 6;
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000)); // how long the outage lasts is the subject
  expect(gate.asked() - before).toBeLessThanOrEqual(seconds + 1);
  gate.set("open");
  await expect.poll(() => valueOf(api, "a-copy"), { timeout: 20_000 }).toBe("2");
  expect(copier.child.exitCode).toBeNull();
  expect(copier.said.filter(({ event }) => event === "bug" || event === "stderr")).toEqual([]);
});
