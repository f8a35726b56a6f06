// @module-tag thorough

import type { KubeObject } from "@virt/objects";
import { inRepository, type Server, startServer } from "@virt/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { identity } from "../../tools/package/manifests.ts";
import { chart, helm, rendered, setting } from "../integration/packages/chart/run-helm.ts";
import { endNamespaces } from "../integration/shipping/namespace-controller.ts";
import { mockCrd } from "../support/test-cluster.ts";

let server: Server;
beforeAll(async () => {
  server = await startServer();
  await server.installCrds([mockCrd("servicemonitors"), mockCrd("prometheusrules"), mockCrd("infrastructures")]);
  for (const name of ["first", "second", "third"]) await create("/api/v1/nodes", node(name));
});
afterAll(() => server.stop());

const image = 'image="registry.example/virt-operators:1"';
const changes = [
  image,
  'imagePullSecrets=[{"name":"my-registry"}]',
  'resources={"requests":{"cpu":"50m","memory":"256Mi"},"limits":{"memory":"1Gi"}}',
  'tolerations=[{"operator":"Exists"}]',
  'nodeSelector={"node-role.kubernetes.io/infra":""}',
  'affinity={"podAntiAffinity":{}}',
  "topologySpreadConstraints=[]",
  'priorityClassName="system-node-critical"',
  'logLevel="debug"',
  'hcoNamespace="kubevirt-hyperconverged"',
  'extraArgs=["--log-format=json"]',
  'extraEnv=[{"name":"HTTPS_PROXY","value":"http://proxy.example:3128"}]',
  "advisor.replicas=3",
  "platform.replicas=1",
  "advisor.requireApprovedPlan=true",
  "networkPolicy.enabled=false",
  "serviceMonitor.enabled=true",
];
let first: readonly KubeObject[];

test("install creates the rendered objects and prints the next steps", async () => {
  const installed = release("install", "virt-operators", chart, ...setting([image]));
  expect(installed).toMatchObject({ code: 0, stderr: "" });
  expect(installed.stdout).toContain(
    "kubectl rollout status deployment/virt-advisor-operator-controller-manager --namespace virt-advisor-operator-system\n",
  );
  expect(installed.stdout).toContain("kubectl get virtplatformconfigs\n");
  expect(installed.stdout).toContain("  kubectl virt-advisor enable\n");
  expect(installed.stdout).toContain("--namespace <its namespace> platform.kubevirt.io/virt-platform-operator=true\n");
  first = await ours();
  expectRendered(first, rendered(image));
});

test("every upgrade command in the notes runs", () => {
  const shown = release("install", "shown", chart, "--dry-run=client", ...setting([image, "admission.enabled=false"]));
  const printed = [...shown.stdout.matchAll(/^ {2}helm (upgrade .*)$/gmu)].map(([, one = ""]) => one);
  expect(printed).toHaveLength(2);
  for (const one of printed) {
    const [verb = "", , ...words] = one.split(" ");
    const args = words.map((word) => word.replace("<chart>", chart));
    const upgraded = helm([verb, "virt-operators", ...args, "--dry-run=server"], helmEnv());
    expect(upgraded).toMatchObject({ code: 0, stderr: "" });
  }
});

test("upgrade applies changed values and deletes disabled objects", async () => {
  const changed = release("upgrade", "virt-operators", chart, ...setting(changes));
  expect(changed).toMatchObject({ code: 0, stderr: "" });
  expectRendered(await ours(), rendered(...changes));
});

test("rollback restores every object", async () => {
  expect(release("rollback", "virt-operators", "1")).toMatchObject({ code: 0, stderr: "" });
  expect((await ours()).map(settled)).toEqual(first.map(settled));
});

const topologies = [
  {
    reason: "three nodes with a single control plane node",
    nodes: 3,
    topology: "SingleReplica",
    replicas: ["1", "1"],
  },
  { reason: "several control plane nodes", nodes: 3, topology: "HighlyAvailable", replicas: ["2", "2"] },
  { reason: "a single node", nodes: 1, replicas: ["1", "1"] },
];

test.each(topologies)("renders $replicas replicas for $reason", async ({ nodes, topology, replicas }) => {
  if (nodes === 1) await server.kubectl("delete", "node", "second", "third", "--ignore-not-found");
  await server.kubectl("delete", "infrastructure", "cluster", "--ignore-not-found");
  if (topology !== undefined) await createInfrastructure(topology);
  const tried = release("upgrade", "virt-operators", chart, "--dry-run=server", ...setting([image]));
  expect(tried).toMatchObject({ code: 0, stderr: "" });
  expect([...tried.stdout.matchAll(/^ {2}replicas: (\d+)$/gm)].map(([, count]) => count)).toEqual(replicas);
});

test("uninstall keeps only the CRD and the configs, and reports it", async () => {
  const sample = inRepository("config", "samples", "loadaware_sample.yaml");
  await expect.poll(() => server.kubectl("apply", "-f", sample)).toMatchObject({ code: 0 });
  const gone = release("uninstall", "virt-operators");
  expect(gone.code).toBe(0);
  expect(gone.stdout).toContain("[CustomResourceDefinition] virtplatformconfigs.advisor.kubevirt.io");
  await endNamespaces(server);
  expect((await ours()).map(identity)).toEqual(["CustomResourceDefinition/virtplatformconfigs.advisor.kubevirt.io"]);
  expect((await server.kubectl("get", "vpconf", "load-aware-rebalancing")).code).toBe(0);
});

function release(...args: readonly string[]) {
  return helm([...args, "--namespace", "default"], helmEnv());
}

function helmEnv() {
  return { KUBECONFIG: server.kubeconfig, HOME: server.folder };
}

/** Returns every object with our label, regardless of the installer. */
async function ours(): Promise<readonly KubeObject[]> {
  const kinds = new Set(rendered("serviceMonitor.enabled=true").map(({ kind }) => kind.toLowerCase()));
  const flags = ["--all-namespaces", "--selector=app.kubernetes.io/part-of=kubevirt", "--output=json"];
  const { stdout } = await server.kubectl("get", [...kinds].join(","), ...flags);
  return (JSON.parse(stdout) as { items: readonly KubeObject[] }).items;
}

function expectRendered(live: readonly KubeObject[], wanted: readonly KubeObject[]): void {
  expect(live.map(identity).toSorted()).toEqual(wanted.map(identity).toSorted());
  for (const object of wanted) {
    expect(live.find((one) => identity(one) === identity(object))).toMatchObject(withoutEmptyValues(object));
  }
}

/** The API server drops empty values of environment variables. */
function withoutEmptyValues(object: KubeObject): object {
  return JSON.parse(JSON.stringify(object).replaceAll(',"value":""}', "}")) as object;
}

function settled(object: KubeObject): object {
  const { metadata, status: _status, ...rest } = object as KubeObject & { readonly status?: object };
  const { name, namespace, labels, annotations } = metadata;
  return { ...rest, metadata: { name, namespace, labels, annotations } };
}

function node(name: string): object {
  return { apiVersion: "v1", kind: "Node", metadata: { name } };
}

async function createInfrastructure(controlPlaneTopology: string): Promise<void> {
  const path = "/apis/config.openshift.io/v1/infrastructures";
  const apiVersion = "config.openshift.io/v1";
  await create(path, { apiVersion, kind: "Infrastructure", metadata: { name: "cluster" }, spec: {} });
  const body = { status: { controlPlaneTopology } };
  const { status } = await server.request({ method: "PATCH", path: `${path}/cluster/status`, body });
  expect(status).toBe(200);
}

async function create(path: string, body: object): Promise<void> {
  const answer = await server.request({ method: "POST", path, body });
  expect([answer.status, JSON.stringify(answer.body)]).toEqual([201, expect.any(String)]);
}
