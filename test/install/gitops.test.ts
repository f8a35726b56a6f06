// Flux and Argo CD apply our samples and annotations repeatedly while the operators work: no conflicts, and health as
// documented.
// @module-tag thorough

import { globSync, readFileSync } from "node:fs";
import type { KubeObject, VirtPlatformConfig } from "@virt/api";
import { at } from "@virt/objects";
import { type ApiUser, inRepository } from "@virt/testkit";
import { load, loadAll } from "js-yaml";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { openShell } from "../e2e/shell.ts";
import { argoCdFor, createRepository, fluxFor, type GitOpsTool, type Repository } from "../gitops/clients.ts";
import { accountName, applyManifests, operatorAccount } from "../support/account.ts";
import { mockCrd, startTestCluster, type TestCluster } from "../support/test-cluster.ts";

const name = "load-aware-rebalancing";
const configs = "/apis/advisor.kubevirt.io/v1alpha1/virtplatformconfigs";
const config = `${configs}/${name}`;
const machineConfigs = "/apis/machineconfiguration.openshift.io/v1/machineconfigs";
const machineConfig = `${machineConfigs}/99-worker-psi-karg`;
const pool = "/apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker";
const hco = "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds/kubevirt-hyperconverged";
const cordoned = "/api/v1/nodes/worker-0";
const deschedulers = "/apis/operator.openshift.io/v1/kubedeschedulers";
const descheduler = deschedulers.replace("/kube", "/namespaces/openshift-kube-descheduler-operator/kube") + "/cluster";
const checks = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks";
const deschedulerCrd = mockCrd("kubedeschedulers-v532");
const mocks = ["nodehealthchecks", "selfnoderemediationtemplates", "selfnoderemediations"];
const page = readFileSync(inRepository("docs", "gitops.md"), "utf8");

const documented = {
  prerequisiteFailed: { argoCd: "Degraded", flux: "failed" },
  previewed: { argoCd: "Suspended", flux: "current" },
  withheld: { argoCd: "Suspended", flux: "in progress" },
  inProgress: { argoCd: "Progressing", flux: "in progress" },
  stuck: { argoCd: "Degraded", flux: "failed" },
  completed: { argoCd: "Healthy", flux: "current" },
  drifted: { argoCd: "Degraded", flux: "failed" },
} as const;
type Moment = keyof typeof documented;

const tools = [
  { says: "flux", tool: "Flux", open: fluxFor },
  {
    says: "argoCd",
    tool: "Argo CD",
    open: (account: ApiUser, repository: Repository) => argoCdFor(account, repository, { isServerSide: false }),
  },
  {
    says: "argoCd",
    tool: "Argo CD with ServerSideApply=true",
    open: (account: ApiUser, repository: Repository) => argoCdFor(account, repository, { isServerSide: true }),
  },
] as const;

let testCluster: TestCluster;
let account: ApiUser;

beforeAll(async () => {
  const crds = Object.fromEntries(mocks.map((one) => [one, one]));
  testCluster = await startTestCluster({ crds: { ...crds, kubedeschedulers: null } });
  const { server } = testCluster;
  await testCluster.simulate("no-vms");
  const platform = await operatorAccount(server, "platform");
  await testCluster.startOperator();
  await testCluster.startOperator({ kubeconfig: platform.kubeconfig, flags: ["--controllers=platform"] });
  account = await bindAccount();
});
afterAll(() => testCluster[Symbol.asyncDispose]());

/** Uses the roles and commands of docs/gitops.md. Such a tool may also read everything. */
async function bindAccount(): Promise<ApiUser> {
  const { server } = testCluster;
  const { folder, binaries, kubeconfig } = server;
  const user = await server.serviceAccount("openshift-gitops", "openshift-gitops-argocd-application-controller");
  const people = await server.kubectl("apply", "--server-side", "-k", inRepository("config", "rbac", "people"));
  expect(people).toMatchObject({ code: 0 });
  await applyManifests(server, JSON.stringify(printedObject("ClusterRole")));
  const bindings = printedBlocks("bash").filter((block) => block.startsWith("kubectl create clusterrolebinding"));
  expect(bindings).toHaveLength(2);
  const reader = bindings.join("").replaceAll(/(gitops-\w+) --clusterrole=\S+/g, "$1-reads --clusterrole=reader");
  const readAll = "kubectl create clusterrole reader --verb=get,list,watch --resource='*.*'";
  const typed = await openShell({ folder, binaries, kubeconfig }).run(
    `set -e\n${bindings.join("")}${readAll}\n${reader}`,
  );
  expect(typed).toMatchObject({ code: 0 });
  return user;
}

const printedBlocks = (language: string) =>
  [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, one, block = ""]) =>
    one === language ? [block] : [],
  );
const printed = printedBlocks("yaml").flatMap((block) => loadAll(block) as KubeObject[]);
function printedObject(kind: string, isMeant: (object: KubeObject) => boolean = () => true): KubeObject {
  const [object] = printed.filter((one) => one.kind === kind && isMeant(one));
  if (object === undefined) throw new Error(`docs/gitops.md has no such ${kind}`);
  return object;
}

async function request(method: "GET" | "PATCH" | "DELETE", path: string, body?: object): Promise<KubeObject> {
  const answer = await testCluster.server.request({ method, path, ...(body !== undefined && { body }) });
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
  return answer.body as KubeObject;
}
const edit = (path: string, body: object) => request("PATCH", `${path}?fieldManager=kubectl-edit`, body);
const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 90_000, interval: 100 });
/** A test has about a dozen waits. */
const hangsAfterMs = 900_000;

type Listed = { readonly items: readonly KubeObject[] };

async function readVersions(): Promise<Readonly<Record<string, string | undefined>>> {
  const lists = [configs, machineConfigs, checks, deschedulers];
  const found = await Promise.all(lists.map(async (path) => (await request("GET", path)) as unknown as Listed));
  const objects = [...found.flatMap(({ items }) => items), await request("GET", hco)];
  return Object.fromEntries(objects.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
}

/**
 * Returns the operators' object requests in order. Excludes discovery, events and the report, which have their own
 * timing.
 */
function listOperatorRequests(): readonly string[] {
  const accounts = [accountName("advisor"), accountName("platform")];
  const isOther = (path: string) =>
    /^\/apis\/[^/]+\/[^/]+$|\/events(?:\/|$)|\/virt-platform-operator-report\?/.test(path);
  return testCluster.server
    .audit()
    .filter(
      ({ user, verb, requestURI }) => accounts.includes(user.username) && verb !== "watch" && !isOther(requestURI),
    )
    .map(({ verb, requestURI }) => `${verb} ${requestURI}`);
}

/**
 * Expects that repeated applies cause no writes and no operator requests. Retries, because effects of a commit can be
 * late, such as the impact of a plan. A conflict would never end.
 */
async function expectPeace(tool: GitOpsTool): Promise<void> {
  await until(async () => {
    const requests = listOperatorRequests();
    const versions = await readVersions();
    for (let round = 0; round < 3; round++) expect((await tool.apply()).differences).toEqual([]);
    expect(await readVersions()).toEqual(versions);
    expect(listOperatorRequests().slice(requests.length)).toEqual([]);
  });
}

/** Grouped by profile, because a cluster has one config per profile. */
const samples = Map.groupBy(
  globSync("config/samples/*_sample.yaml", { cwd: inRepository() })
    .toSorted()
    .map((file) => load(readFileSync(inRepository(file), "utf8")) as KubeObject),
  ({ metadata }) => metadata.name,
);

async function expectObserved({ metadata }: KubeObject): Promise<void> {
  const { status, metadata: stored } = (await request("GET", `${configs}/${metadata.name}`)) as VirtPlatformConfig;
  expect(status?.observedGeneration).toBe(stored.generation);
}

const sample = load(readFileSync(inRepository("config", "samples", "loadaware_sample.yaml"), "utf8")) as KubeObject;
const hasAction = (object: KubeObject) => at(object, "spec", "action") !== undefined;
const leftToPeople = printedObject("VirtPlatformConfig", (object) => !hasAction(object));
function approvalOf(approvedPlan: string): KubeObject {
  const object = printedObject("VirtPlatformConfig", hasAction);
  return { ...object, spec: { ...(object["spec"] as object), approvedPlan } };
}

afterEach(async () => {
  const { server } = testCluster;
  await request("DELETE", configs);
  for (const path of [machineConfig, `${checks}/virt-node-health-check`])
    await server.request({ method: "DELETE", path });
  await server.removeCrd(load(readFileSync(deschedulerCrd, "utf8")) as Parameters<typeof server.removeCrd>[0]);
  await edit(hco, { metadata: { annotations: null } });
  await testCluster.configs.until(name, "Ignored");
});

test.each(tools)(
  "$tool converges, shows the documented health and approves exactly one plan",
  async ({ says, open }) => {
    const { server } = testCluster;
    const repository = createRepository(server);
    const tool = open(account, repository);
    const commit = async (file: string, object: KubeObject) => {
      repository.commit(file, object);
      await tool.apply();
    };
    const expectHealth = (moment: Moment) =>
      until(async () => {
        const state = await tool.apply();
        expect(state.differences).toEqual([]);
        expect(state.health(name), `health while ${moment}`).toBe(documented[moment][says]);
      });

    await edit(hco, { spec: { liveMigrationConfig: { completionTimeoutPerGiB: 170 } } });
    repository.commit("hyperconverged", printedObject("HyperConverged"));
    repository.commit("nodehealthcheck", printedObject("NodeHealthCheck"));
    await commit("config", sample);
    await expectHealth("prerequisiteFailed");
    await until(async () =>
      expect(at(await request("GET", `${checks}/virt-node-health-check`), "spec", "minHealthy")).toBe("60%"),
    );
    expect(at(await request("GET", hco), "spec", "liveMigrationConfig", "completionTimeoutPerGiB")).toBe(170);

    await server.installCrds([deschedulerCrd]);
    await expectHealth("previewed");
    await expectPeace(tool);

    await commit("config", leftToPeople);
    await expectHealth("previewed");
    await request("PATCH", `${config}?fieldManager=kubectl-patch`, { spec: { action: "Ignore" } });
    await testCluster.configs.until(name, "Ignored"); // Flux reported the preview as healthy too
    await expectHealth("completed");

    // A commit approves exactly one plan.
    await commit("config", approvalOf("0".repeat(64)));
    const { planHash = "" } = await testCluster.configs.until(name, "ReviewRequired");
    await expectHealth("withheld");
    expect((await server.request({ path: machineConfig })).status).toBe(404);
    // A cordoned node leaves no room for another one: the rollout waits, and becomes a finding after five minutes.
    await edit(cordoned, { spec: { unschedulable: true } });
    await commit("config", approvalOf(planHash));
    await expectHealth("inProgress");
    await edit(pool, { spec: { paused: true } });
    await expectHealth("stuck");
    await edit(pool, { spec: { paused: false } });
    await edit(cordoned, { spec: { unschedulable: null } });
    await expectHealth("completed");
    expect(await testCluster.configs.status(name)).toMatchObject({ phase: "Completed" });
    expect((await server.request({ path: machineConfig })).status).toBe(200);
    await expectPeace(tool);

    await edit(descheduler, { spec: { mode: "Predictive" } });
    await expectHealth("drifted");
  },
  hangsAfterMs,
);

test.each(tools)(
  "$tool keeps every sample in sync",
  async ({ open }) => {
    const repository = createRepository(testCluster.server);
    const tool = open(account, repository);
    const rounds = Math.max(...[...samples.values()].map(({ length }) => length));
    for (let round = 0; round < rounds; round++) {
      const committed = [...samples.values()].flatMap((all) => all.slice(round, round + 1));
      for (const object of committed) repository.commit(object.metadata.name, object);
      await tool.apply();
      // A status change between two reads of the tool is a transient difference.
      await until(async () => {
        await Promise.all(committed.map(expectObserved));
        expect((await tool.apply()).differences).toEqual([]);
      });
    }
  },
  hangsAfterMs,
);
