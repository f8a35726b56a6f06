// The image runs as in its Deployments: both controllers with two replicas, their accounts, rights and admission
// policies.

import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { issueAuthority, issueServer } from "@virt/kube";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { listPaths } from "../../tools/image/root-files.ts";
import { succeeded } from "../integration/shipping/manifests.ts";
import type { ControllerName } from "../support/account.ts";
import { configClientFor } from "../support/config-client.ts";
import type { RunningContainer } from "../support/container.ts";
import { type InstalledCluster, startInstalledCluster } from "../support/installed-cluster.ts";
import { refusedRequests } from "../support/used-rights.ts";

const controllers: readonly ControllerName[] = ["advisor", "platform"];
/** A user ID that OpenShift would choose for the namespace. Undefined uses the image's user. */
const userIds: Readonly<Record<ControllerName, number | undefined>> = { advisor: undefined, platform: 1_000_660_000 };
const leases: Readonly<Record<ControllerName, string>> = {
  advisor: "8f83cc6e.kubevirt.io",
  platform: "virt-platform-operator.kubevirt.io",
};
const profile = "load-aware-rebalancing";
const service = "/api/v1/namespaces/virt-platform-operator-system/services/virt-platform-operator-metrics";

let cluster: InstalledCluster;
const pods = new Map<ControllerName, readonly RunningContainer[]>();
const podsOf = (controller: ControllerName) => pods.get(controller) ?? [];
const everyPod = () => controllers.flatMap(podsOf);
/** All files before the start, with the attributes that a write would change. */
let before: readonly string[];

beforeAll(async () => {
  cluster = await startInstalledCluster("three-workers");
  for (const controller of controllers) await createCertificate(controller);
  for (const controller of controllers) {
    const names = [1, 2].map((replica) => `virt-${controller}-operator-${replica}`);
    pods.set(
      controller,
      await Promise.all(names.map((name) => cluster.startPod(controller, name, userIds[controller]))),
    );
  }
  const areReady = async () => {
    const answers = await Promise.all(everyPod().map((pod) => pod.askProbe("readiness")));
    expect({ answers, words: everyPod().map(({ words }) => words()) }).toMatchObject({ answers: [200, 200, 200, 200] });
  };
  await vi.waitFor(areReady, { timeout: 120_000, interval: 50 });
  before = files();
}, 360_000);
afterAll(() => cluster[Symbol.asyncDispose]());

function files(): readonly string[] {
  const folders = [cluster.root, ...everyPod().map(({ pod }) => cluster.volumesOf(pod.metadata.name))];
  return folders.flatMap((folder) => listPaths(folder).map((path) => describeFile(join(folder, path))));
}

function describeFile(path: string): string {
  const stat = lstatSync(path);
  const isSmall = stat.isFile() && stat.size < 1e6;
  const content = isSmall ? createHash("sha256").update(readFileSync(path)).digest("hex") : "";
  const target = stat.isSymbolicLink() ? readlinkSync(path) : "";
  return [path, stat.mode, stat.uid, stat.size, stat.mtimeMs, content, target].join(" ");
}

async function createCertificate(controller: ControllerName): Promise<void> {
  const valid = { from: new Date(0), until: new Date(4e12) };
  const namespace = `virt-${controller}-operator-system`;
  const host = `virt-${controller}-operator-metrics.${namespace}.svc`;
  const { certificate, key } = issueServer(issueAuthority("service CA", valid), [host, "127.0.0.1"], valid);
  const encoded = (text: string) => Buffer.from(text).toString("base64");
  const metadata = { name: `virt-${controller}-operator-metrics-tls` };
  const data = { "tls.crt": encoded(certificate), "tls.key": encoded(key) };
  const body = { apiVersion: "v1", kind: "Secret", type: "kubernetes.io/tls", metadata, data };
  const { status } = await cluster.server.request({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/secrets`,
    body,
  });
  expect(status).toBe(201);
}

async function leaderOf(controller: ControllerName): Promise<string | undefined> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/virt-${controller}-operator-system/leases/${leases[controller]}`;
  const { body } = await cluster.server.request({ path });
  const holder = (body as { readonly spec?: { readonly holderIdentity?: string } }).spec?.holderIdentity ?? "";
  return podsOf(controller).find(({ pod }) => holder.startsWith(`${pod.metadata.name}_`))?.pod.metadata.name;
}

describe.each(controllers)("each pod of the %s", (controller) => {
  test("passes the liveness probe of its template", async () => {
    // A kubelet also retries before it restarts a slow container.
    const answers = () => Promise.all(podsOf(controller).map((pod) => pod.askProbe("liveness")));
    await expect.poll(answers).toEqual([200, 200]);
  });

  test("runs without root, capabilities, privilege escalation or unfiltered system calls", () => {
    for (const { processStatus } of podsOf(controller)) {
      expect(processStatus("Uid")).toBe(`${userIds[controller] ?? 1001}`);
      expect(processStatus("CapEff")).toMatch(/^0+$/);
      expect(processStatus("CapBnd")).toMatch(/^0+$/);
      expect(processStatus("NoNewPrivs")).toBe("1");
      expect(processStatus("Seccomp")).toBe("2");
    }
  });
});

/** Uses a new field manager each time, to avoid an edit war. */
async function correctsDrift(editor: string): Promise<void> {
  const selector = async () => {
    const { body } = await cluster.server.request({ path: service });
    return (body as { readonly spec?: { readonly selector?: Readonly<Record<string, string>> } }).spec?.selector;
  };
  const wanted = await selector();
  const body = { spec: { selector: { "app.kubernetes.io/name": editor } } };
  const path = `${service}?fieldManager=${editor}`;
  await cluster.server.request({ method: "PATCH", path, contentType: "application/merge-patch+json", body });
  await expect.poll(selector).toEqual(wanted);
}

test("drafts, approves and completes a plan", async () => {
  const configs = configClientFor(cluster.server);
  await configs.until(profile, "Ignored");
  await configs.edit(profile, { action: "DryRun" });
  await configs.until(profile, "ReviewRequired");
  await configs.edit(profile, { action: "Apply" });
  const { items = [] } = await configs.until(profile, "Completed");
  expect(items.map(({ state }) => state)).toEqual(items.map(() => "Completed"));
});

test("corrects drift of a platform asset", async () => {
  const hco = ["hyperconverged", "kubevirt-hyperconverged", "--namespace=openshift-cnv"];
  succeeded(await cluster.server.kubectl("annotate", ...hco, "platform.kubevirt.io/virt-platform-operator=monitoring"));
  const managed = async () => JSON.stringify((await cluster.server.request({ path: service })).body);
  await expect.poll(managed).toContain("platform.kubevirt.io/managed-by");
  await correctsDrift("first-editor");
});

test("the standby takes over after the leader is killed", async () => {
  await Promise.all(controllers.map(killLeader));
  await correctsDrift("second-editor");
  const configs = configClientFor(cluster.server);
  await configs.edit(profile, { action: "Ignore" });
  await configs.until(profile, "Ignored");
});

async function killLeader(controller: ControllerName): Promise<void> {
  await expect.poll(() => leaderOf(controller)).toBeDefined();
  const leader = await leaderOf(controller);
  const isLeader = ({ pod }: RunningContainer) => pod.metadata.name === leader;
  const killed = podsOf(controller).find(isLeader);
  killed?.signal("KILL");
  expect(await killed?.exited).toBe(137);
  const [other] = podsOf(controller).filter((pod) => !isLeader(pod));
  await expect.poll(() => leaderOf(controller)).toBe(other?.pod.metadata.name);
}

test("a deleted pod exits with 0 within its grace period", async () => {
  const names = await Promise.all(controllers.map(leaderOf));
  const leaders = everyPod().filter(({ pod }) => names.includes(pod.metadata.name));
  for (const { signal } of leaders) signal("TERM");
  const graceMs = Math.min(...leaders.map(({ pod }) => pod.spec.terminationGracePeriodSeconds)) * 1000;
  const late = new Promise<string>((resolve) => void setTimeout(resolve, graceMs, "late").unref());
  const codes = await Promise.race([Promise.all(leaders.map(({ exited }) => exited)), late]);
  expect(codes).toEqual([0, 0]);
});

test("writes no file, logs no error and sends no forbidden request", () => {
  expect(files()).toEqual(before);
  expect(everyPod().map(({ words }) => words())).toEqual(["", "", "", ""]);
  const faults = everyPod().flatMap(({ log }) => log.filter(({ level }) => level === "error"));
  expect(faults).toEqual([]);
  expect(refusedRequests(cluster.server.audit())).toEqual([]);
});
