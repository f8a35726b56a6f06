import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { type AuditEvent, inRepository, type Server, startServer } from "@virt/testkit";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

let api: Server;
beforeAll(async () => {
  api = await startServer();
});
afterAll(() => api.stop());

type Candidate = { readonly child: ChildProcess; readonly pid: number; readonly said: readonly string[] };

/** Competes for the lease, and writes to the ConfigMap of the same name while it leads. */
function startCandidate(lease: string, identity: string): Candidate {
  const script = inRepository("test", "integration", "leadership", "candidate.ts");
  const env = { ...process.env, KUBECONFIG: api.kubeconfig, LEASE: lease, IDENTITY: identity };
  const child = spawn(process.execPath, [script], { env, stdio: ["ignore", "pipe", "inherit"] });
  if (child.pid === undefined) throw new Error("the candidate did not start");
  onTestFinished(() => void child.kill("SIGKILL"));
  const said: string[] = [];
  createInterface(child.stdout).on("line", (line) => said.push(line));
  return { child, pid: child.pid, said };
}

async function startPair(lease: string): Promise<readonly [Candidate, Candidate]> {
  const body = { metadata: { name: lease }, data: {} };
  await api.request({ method: "POST", path: "/api/v1/namespaces/default/configmaps", body });
  const first = startCandidate(lease, `${lease}-first`);
  await hears(first, "leads");
  const second = startCandidate(lease, `${lease}-second`);
  await hears(second, `held by ${lease}-first`);
  return [first, second];
}

function hears({ said }: Candidate, what: string): Promise<void> {
  return expect.poll(() => said, { timeout: 120_000, interval: 20 }).toContain(what);
}

const writesOf = (identity: string, resource: "configmaps" | "leases", name: string): readonly AuditEvent[] =>
  requestsOf(identity, resource, name).filter(
    ({ verb, responseStatus }) => verb !== "get" && responseStatus?.code !== 409,
  );

function requestsOf(identity: string, resource: string, name: string): readonly AuditEvent[] {
  return api
    .audit()
    .filter(({ userAgent, requestURI }) => userAgent === identity && requestURI.includes(`/${resource}/${name}`));
}

async function leaseOf(name: string): Promise<unknown> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/default/leases/${name}`;
  return ((await api.request({ path })).body as { readonly spec: unknown }).spec;
}

test("the standby takes over the lease of a killed leader", async () => {
  const [first, second] = await startPair("killed");
  first.child.kill("SIGKILL");
  await hears(second, "leads");
  await expect.poll(() => writesOf("killed-second", "configmaps", "killed").length).toBeGreaterThan(0);
  expect(await leaseOf("killed")).toMatchObject({ holderIdentity: "killed-second", leaseTransitions: 1 });
  const last = writesOf("killed-first", "configmaps", "killed").at(-1)?.requestReceivedTimestamp ?? "never";
  const next = writesOf("killed-second", "configmaps", "killed")[0]?.requestReceivedTimestamp ?? "";
  expect(last < next).toBe(true);
});

test("the standby leads at once after a stopped leader releases the lease", async () => {
  const [first, second] = await startPair("stopped");
  first.child.kill("SIGTERM");
  const [code] = (await once(first.child, "close")) as [number];
  expect(code).toBe(0);
  await hears(second, "leads");
  expect(second.said).toContain("held by ");
  expect(await leaseOf("stopped")).toMatchObject({ holderIdentity: "stopped-second", leaseTransitions: 1 });

  const release = writesOf("stopped-first", "leases", "stopped").at(-1);
  const releasedAt = release?.requestReceivedTimestamp ?? "";
  const lastWriteAt = writesOf("stopped-first", "configmaps", "stopped").at(-1)?.requestReceivedTimestamp ?? "never";
  expect(lastWriteAt < releasedAt, "nothing is written under a lease that was released").toBe(true);
  const after = requestsOf("stopped-second", "leases", "stopped")
    // Excludes reads during the release, which may have returned the lease before it.
    .filter(({ requestReceivedTimestamp }) => requestReceivedTimestamp > (release?.stageTimestamp ?? ""))
    .map(({ verb }) => verb);
  expect(after.slice(0, after.indexOf("update")).filter((verb) => verb === "get").length).toBeLessThanOrEqual(1);
});

test("the leader re-creates its deleted lease", async () => {
  const [first] = await startPair("deleted");
  const { code } = await api.kubectl("delete", "lease", "deleted");
  expect(code).toBe(0);
  const leads = () => first.said.filter((line) => line === "leads").length;
  await expect.poll(leads, { timeout: 120_000 }).toBe(2);
  expect(await leaseOf("deleted")).toMatchObject({ holderIdentity: "deleted-first", leaseTransitions: 0 });
});

test("a leader that was frozen past its lease steps down without a write", async () => {
  const [first, second] = await startPair("frozen");
  process.kill(first.pid, "SIGSTOP");
  await hears(second, "leads");
  await expect.poll(() => writesOf("frozen-second", "configmaps", "frozen").length).toBeGreaterThan(0);

  const before = writesOf("frozen-first", "configmaps", "frozen").length;
  process.kill(first.pid, "SIGCONT");
  await hears(first, "held by frozen-second");
  const count = () => writesOf("frozen-second", "configmaps", "frozen").length;
  const then = count();
  await expect.poll(count).toBeGreaterThan(then + 10);

  expect(first.said.at(-1)).toBe("held by frozen-second");
  expect(first.said).toEqual([
    "does not lead",
    "held by frozen-first",
    "leads",
    "does not lead",
    "held by frozen-second",
  ]);
  expect(before).toBeGreaterThan(0);
  expect(writesOf("frozen-first", "configmaps", "frozen").length).toBe(before);
  expect(await leaseOf("frozen")).toMatchObject({ holderIdentity: "frozen-second", leaseTransitions: 1 });
});
