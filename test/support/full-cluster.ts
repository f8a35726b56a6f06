// A cluster in which every asset of the catalog applies, and its operator.

import { existsSync } from "node:fs";
import type { JsonMap, KubeObject, Ref } from "@virt/api";
import { assets, operationRules } from "@virt/catalog";
import { placed } from "@virt/platform";
import type { ApiResponse, AuditEvent, Crd } from "@virt/testkit";
import { expect, vi } from "vitest";
import { alphaKubeVirt } from "../../catalog/testing/asset-facts.ts";
import { accountName } from "./account.ts";
import { optionalCrds } from "./platform-cluster.ts";
import type { RunningProgram } from "./program.ts";
import { mockCrd, startTestCluster, type TestCluster, type TestClusterOptions } from "./test-cluster.ts";

export type ManagedTarget = { readonly ref: Ref; readonly path: string; readonly assets: readonly string[] };

export type FullCluster = {
  readonly testCluster: TestCluster;
  readonly targets: readonly ManagedTarget[];
  readonly read: (path: string) => Promise<KubeObject>;
  readonly edit: (path: string, body: JsonMap, as?: string) => Promise<void>;
  readonly until: (check: () => Promise<void>) => Promise<void>;
  /** For deliberate delays of the operator. */
  readonly untilLong: (check: () => Promise<void>) => Promise<void>;
  /**
   * Returns the operator's requests to an object since a time, except watches. Filters by time, because the audit log
   * can have a request after its effect is visible.
   */
  readonly requests: (path: string, since?: string) => readonly AuditEvent[];
  readonly start: () => Promise<RunningProgram>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

const prefix = "platform.kubevirt.io/";
const mocks = [
  "aaqs",
  "fenceagentsremediations",
  "kubevirts",
  "migrationpolicies",
  "operationrulesets",
  "virtualmachines",
  ...optionalCrds,
];
const hcoNamespace = "openshift-cnv";
const hcoApiVersion = "hco.kubevirt.io/v1beta1";
const places = { hcoNamespace, hcoApiVersion, ownNamespace: "virt-platform-operator-system" };

const featureAnnotations = {
  "enable-loadaware": "true",
  "enable-aaq": "true",
  "enable-incident-detection": "true",
  "enable-in-flight-operations": "true",
  "enable-scsi-persistent-reservations": "true",
  "enable-stun-time": "true",
  "feature-gates": "CPUManager",
  "vfio-devices": '[{"selector": "10DE:1EB8", "resourceName": "nvidia.com/TU104GL_Tesla_T4"}]',
  "usb-devices": '[{"resourceName": "kubevirt.io/storage", "selectors": [{"vendor": "46f4", "product": "0001"}]}]',
};

export async function startFullCluster(
  options: Pick<TestClusterOptions, "lacksRights" | "release"> = {},
): Promise<FullCluster> {
  const testCluster = await startTestCluster({
    ...options,
    controller: "platform",
    crds: Object.fromEntries(mocks.map((name) => [name, name])),
    furtherCrds: targetsOfRules(),
  });
  const { server } = testCluster;
  const read = async (path: string) => (await server.request({ path })).body as KubeObject;
  const edit = async (path: string, body: JsonMap, as = "kubectl-edit") => {
    const answer = await server.request({ method: "PATCH", path: `${path}?fieldManager=${as}`, body });
    accepted(answer);
  };
  const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 120_000, interval: 40 });
  try {
    await populate(testCluster);
  } catch (error) {
    await testCluster[Symbol.asyncDispose]();
    throw error;
  }
  return {
    testCluster,
    targets: managedTargets,
    read,
    edit,
    until,
    untilLong: (check) => vi.waitFor(check, { timeout: 120_000, interval: 40 }),
    requests: (path, since = "") =>
      server
        .audit()
        .filter(
          (event) => isOurs(event) && event.requestURI.split("?")[0] === path && event.requestReceivedTimestamp > since,
        ),
    start: () => testCluster.startOperator({ flags: ["--activation=always"] }),
    [Symbol.asyncDispose]: testCluster[Symbol.asyncDispose],
  };
}

export function now(): string {
  return new Date().toISOString();
}

function accepted({ status, body }: ApiResponse): void {
  if (status >= 300) throw new Error(JSON.stringify(body));
}

function isOurs({ user, verb }: AuditEvent): boolean {
  return user.username === accountName("platform") && verb !== "watch" && verb !== "list";
}

async function populate({ server }: TestCluster): Promise<void> {
  const create = async (path: string, body: JsonMap, status?: JsonMap) => {
    const answer = await server.request({ method: "POST", path: `${path}?fieldManager=installer`, body });
    accepted(answer);
    const name = (body as KubeObject).metadata.name;
    if (status === undefined) return;
    const shown = await server.request({ method: "PATCH", path: `${path}/${name}/status`, body: { status } });
    accepted(shown);
  };
  const config = "config.openshift.io/v1";
  for (const name of ["openshift-mtv", "metallb-system"])
    await create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  const labels = {
    "node-role.kubernetes.io/worker": "",
    "feature.node.kubernetes.io/memory-numa": "true",
    "feature.node.kubernetes.io/pci-10de.present": "true",
  };
  const node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "worker-0", labels },
    spec: { podCIDR: "10.128.0.0/23" },
  };
  await create("/api/v1/nodes", node);
  const cluster = { name: "cluster" };
  await create(
    `/apis/${config}/infrastructures`,
    { apiVersion: config, kind: "Infrastructure", metadata: cluster, spec: {} },
    { controlPlaneTopology: "HighlyAvailable", platformStatus: { type: "BareMetal" } },
  );
  const scheduler = { apiVersion: config, kind: "Scheduler", metadata: cluster, spec: { mastersSchedulable: true } };
  await create(`/apis/${config}/schedulers`, scheduler);
  const { metadata, ...kubeVirt } = alphaKubeVirt;
  await create(`/apis/kubevirt.io/v1/namespaces/${hcoNamespace}/kubevirts`, { ...kubeVirt, metadata });
  const annotations = Object.fromEntries(
    Object.entries(featureAnnotations).map(([key, value]) => [`${prefix}${key}`, value]),
  );
  await create(`/apis/${hcoApiVersion}/namespaces/${hcoNamespace}/hyperconvergeds`, {
    apiVersion: hcoApiVersion,
    kind: "HyperConverged",
    metadata: { name: "kubevirt-hyperconverged", annotations },
    spec: {},
  });
}

/** The CRDs whose versions assets read and that no mock of this cluster serves. They accept every field. */
function targetsOfRules(): readonly Crd[] {
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const isMocked = (plural: string, group: string) => existsSync(mockCrd(plural)) || group === "hco.kubevirt.io";
  return operationRules
    .filter(({ isAggregated, target: { resource, group } }) => isAggregated !== true && !isMocked(resource, group))
    .map(({ target: { group, version, resource } }) => ({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: {
        name: `${resource}.${group}`,
        ...(group.endsWith(".k8s.io") && { annotations: { "api-approved.kubernetes.io": "unapproved, for tests" } }),
      },
      spec: {
        group,
        scope: "Namespaced",
        names: {
          plural: resource,
          singular: resource.slice(0, -1),
          kind: `A${resource}`,
          listKind: `A${resource}List`,
        },
        versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: open } }],
      },
    }));
}

export async function createNetwork({ testCluster: { server } }: FullCluster, hostPrefix: number): Promise<void> {
  const network = { apiVersion: "config.openshift.io/v1", kind: "Network", metadata: { name: "cluster" }, spec: {} };
  const body = { ...network, status: { clusterNetwork: [{ cidr: "10.128.0.0/14", hostPrefix }] } };
  accepted(await server.request({ method: "POST", path: "/apis/config.openshift.io/v1/networks", body }));
}

const managedTargets: readonly ManagedTarget[] = listTargets();

/** One OperationRuleSet is enough for tests of every field, because the others differ only in constants. */
export const distinctTargets: readonly ManagedTarget[] = managedTargets.filter(
  ({ ref }, at) =>
    managedTargets.findIndex((one) => one.ref.kind === ref.kind) === at || ref.kind !== "OperationRuleSet",
);

function listTargets(): readonly ManagedTarget[] {
  const found = new Map<string, ManagedTarget>();
  for (const asset of assets) {
    const ref = placed(asset.target, places);
    const plural = asset.target.crd?.split(".")[0] ?? `${ref.kind.toLowerCase()}s`;
    const root = ref.apiVersion.includes("/") ? `/apis/${ref.apiVersion}` : `/api/${ref.apiVersion}`;
    const path = `${root}${ref.namespace === undefined ? "" : `/namespaces/${ref.namespace}`}/${plural}/${ref.name}`;
    found.set(path, { ref, path, assets: [...(found.get(path)?.assets ?? []), asset.name] });
  }
  return [...found.values()];
}

/** Waits until every object of the catalog exists and has our label. */
export async function untilConverged({ targets, read, untilLong }: FullCluster): Promise<void> {
  await untilLong(async () => {
    const labels = await Promise.all(targets.map(async ({ path }) => (await read(path)).metadata?.labels));
    const missing = targets.filter((_, at) => labels[at]?.[`${prefix}managed-by`] !== "virt-platform-operator");
    expect(missing.map(({ path }) => path)).toEqual([]);
  });
}
