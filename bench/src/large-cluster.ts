// Populates the API server with a large cluster in the middle of a rollout: nodes, VMs, an asset report, events and a
// config.

import { globSync } from "node:fs";
import { configKind, fieldManagers, type Item, type KubeObject, type NodeRollout, type Status } from "@virt/api";
import { nodeObject, poolObject, vmObject } from "@virt/impact/testing/cluster-builder";
import type { Server } from "@virt/testkit";
import { loadAware, ok } from "./advisor-cluster.ts";
import { createNamespace, inParallel } from "./config-maps.ts";
import { nodeImages, workerLabels } from "./nodes.ts";
import type { Rig, Size } from "./scenario.ts";

type ClusterCounts = {
  readonly nodes: number;
  readonly vms: number;
  readonly assets: number;
  readonly events: number;
};

const large: ClusterCounts = { nodes: 300, vms: 5_000, assets: 200, events: 5_000 };

export const largeCluster: Readonly<Record<Size, ClusterCounts>> = {
  quick: { ...large, nodes: 30, vms: 500, events: 500 },
  usual: large,
  full: large,
};

const pool = "worker";
export const [oldConfig, newConfig] = ["rendered-1", "rendered-2"];
const mco = "/apis/machineconfiguration.openshift.io/v1";
const eventsPath = "/apis/events.k8s.io/v1/namespaces/default/events";
const reportPlace = "virt-platform-operator-system";
export const configPath = `/apis/${configKind.apiVersion}/${configKind.plural}/${loadAware}`;

export const nodeName = (index: number) => `worker-${index}`;
const vmName = (index: number) => `vm-${index}`;
export const nodePath = (index: number) => `/api/v1/nodes/${nodeName(index)}`;
export const vmPath = (index: number) => `/apis/kubevirt.io/v1/namespaces/vms/virtualmachineinstances/${vmName(index)}`;
export const machineConfigNodePath = (index: number) => `${mco}/machineconfignodes/${nodeName(index)}`;

const mocks = [
  "machineconfigs",
  "machineconfigpools",
  "machineconfignodes",
  "virtualmachineinstances",
  "hyperconvergeds-v1beta1",
];

export async function createLargeCluster({ api, size, say }: Rig): Promise<void> {
  const counts = largeCluster[size];
  const crds = mocks.map((name) => `config/crd/mocks/${name}.yaml`);
  await api.installCrds([...globSync("config/crd/bases/*.yaml"), ...crds]);
  for (const name of ["vms", "openshift-cnv", "virt-advisor-operator-system", reportPlace])
    await createNamespace(api, name);
  const rolling = poolObject(pool, { maxUnavailable: "10%", configuration: { name: newConfig } });
  await create(api, `${mco}/machineconfigpools`, rolling);
  say(`creating ${counts.nodes} nodes`);
  await inParallel(counts.nodes, (index) => createNode(api, index));
  say(`creating ${counts.vms} VMs`);
  await inParallel(counts.vms, (index) => createVm(api, index, counts));
  say(`creating ${counts.events} events`);
  await inParallel(counts.events, (index) => createEvent(api, index));
  await create(api, `/api/v1/namespaces/${reportPlace}/configmaps`, reportObject(counts.assets));
  await createConfig(api, counts);
}

async function create(api: Server, path: string, body: unknown): Promise<void> {
  ok(await api.request({ method: "POST", path, body }));
}

const isDone = (index: number) => index % 3 === 0;

/** Creates a node, including labels and annotations that the console does not read, to make its size realistic. */
async function createNode(api: Server, index: number): Promise<void> {
  const [current, desired] = isDone(index) ? [newConfig, newConfig] : [oldConfig, oldConfig];
  const annotations = {
    "machineconfiguration.openshift.io/currentConfig": current,
    "machineconfiguration.openshift.io/desiredConfig": desired,
  };
  const { status, ...node } = nodeObject(nodeName(index), { labels: workerLabels, annotations });
  await create(api, "/api/v1/nodes", { ...node, status: { ...(status as object), images: nodeImages } });
  const report = {
    apiVersion: mco.slice("/apis/".length),
    kind: "MachineConfigNode",
    metadata: { name: nodeName(index) },
    spec: { node: { name: nodeName(index) }, pool: { name: pool }, configVersion: { desired } },
  };
  await create(api, `${mco}/machineconfignodes`, report);
}

const description = "A description of this VM. ".repeat(40);

async function createVm(api: Server, index: number, { nodes }: ClusterCounts): Promise<void> {
  const node = nodeName(index % nodes);
  // Each VM already has a migration, so that updates during a rollout overwrite values instead of adding them.
  const { metadata, ...vm } = vmObject(vmName(index), node, {
    status: { migrationState: { targetNode: node, completed: true } },
  });
  const labels = { "kubevirt.io/nodeName": node };
  const domain = { ...(vm["spec"] as { readonly domain: object }).domain, devices: {} };
  const body = {
    ...vm,
    metadata: { name: metadata.name, labels, annotations: { description } },
    spec: { ...(vm["spec"] as object), domain },
  };
  await create(api, vmPath(0).slice(0, -`/${vmName(0)}`.length), body);
}

const reasons = ["PlanDrafted", "ItemApplied", "NodeUpdated", "DriftCorrected", "RolloutBlocked"];

/** Creates an event. Its note contains `name`, so that a scenario can wait for it. */
export async function createEvent(api: Server, index: number, name = `event-${index}`): Promise<void> {
  const controller = index % 2 === 0 ? fieldManagers.advisor : fieldManagers.platform;
  const body = {
    metadata: { name, namespace: "default" },
    eventTime: new Date().toISOString().replace("Z", "000Z"),
    type: index % 7 === 0 ? "Warning" : "Normal",
    reason: reasons[index % reasons.length],
    action: "Reconcile",
    note: `${name}: node ${nodeName(index % 300)} of pool ${pool} came to another phase of its update to ${newConfig}`,
    reportingController: controller,
    reportingInstance: `${controller}-0`,
    regarding: { apiVersion: configKind.apiVersion, kind: configKind.kind, name: loadAware },
  };
  await create(api, eventsPath, body);
}

function reportObject(assets: number): KubeObject {
  const statuses = ["InSync", "InSync", "InSync", "Pending", "Failed", "Paused"];
  const objects = Array.from({ length: assets }, (_, index) => ({
    object: `ConfigMap openshift-cnv/object-${index}`,
    assets: [`asset-${index}`],
    status: statuses[index % statuses.length],
    ...(index % statuses.length === 4 && {
      lastError: `the API server refused object-${index}: the field is immutable`,
    }),
  }));
  const features = Array.from({ length: 10 }, (_, feature) => ({
    feature: `feature-${feature}`,
    assets: objects.flatMap((row, index) => (index % 10 === feature ? row.assets : [])),
  }));
  const report = { hco: { name: "kubevirt-hyperconverged" }, features, objects, exclusions: [] };
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "virt-platform-operator-report" },
    data: { "report.json": JSON.stringify(report) },
  };
}

async function createConfig(api: Server, counts: ClusterCounts): Promise<void> {
  const { apiVersion, kind } = configKind;
  const config = { apiVersion, kind, metadata: { name: loadAware }, spec: { profile: loadAware, action: "Apply" } };
  await create(api, configPath.slice(0, -`/${loadAware}`.length), config);
  await reportRollout(api, { total: counts.nodes, done: Math.ceil(counts.nodes / 3), inHand: [] });
}

export type ReportedRollout = {
  readonly total: number;
  readonly done: number;
  readonly inHand: readonly number[];
};

const mostNodes = 20;

/** A plan item that is written but not completed. It keeps the rollout active. */
const writtenItem: Item = {
  name: "enable-psi-metrics",
  operation: "Apply",
  targetRef: { apiVersion: "machineconfiguration.openshift.io/v1", kind: "MachineConfig", name: "99-worker-psi-karg" },
  impactSeverity: "High",
  changes: true,
  diff: "",
  state: "InProgress",
  message: "",
  rollout: { startTime: new Date().toISOString(), before: [{ pool, configuration: "rendered-1" }] },
};

export async function reportRollout(api: Server, { total, done, inHand }: ReportedRollout): Promise<void> {
  const since = new Date().toISOString();
  const waiting = total - done - inHand.length;
  const nodes = inHand
    .slice(0, mostNodes)
    .map((index): NodeRollout => ({ name: nodeName(index), pool, phase: "Draining", since }));
  const status: Status = {
    phase: "InProgress",
    observedGeneration: 1,
    items: [writtenItem],
    progress: `${done}/${total} nodes`,
    rollout: {
      summary: `${done} of ${total} nodes are updated`,
      remaining: { lowSeconds: 60 * waiting, highSeconds: 120 * waiting },
      pools: [{ name: pool, total, done, inHand: inHand.length, waiting, degraded: 0 }],
      nodes,
      findings: [],
      more: { pools: 0, nodes: inHand.length - nodes.length, findings: 0 },
    },
  };
  ok(await api.request({ method: "PATCH", path: `${configPath}/status`, body: { status } }));
}
