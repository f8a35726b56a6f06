// Creates nodes as in a large cluster with VMs, and simulates their kubelets' status updates.

import type { Server } from "@virt/testkit";
import { ok } from "./advisor-cluster.ts";
import { inParallel } from "./config-maps.ts";

const mark = "bench.example.com/node";
const path = "/api/v1/nodes";
const nameOf = (at: number) => `node-${at}`;

const many = (count: number, name: (at: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), "true"]));

/** Labels that KubeVirt and Node Feature Discovery set for CPU features. */
export const workerLabels = {
  [mark]: "",
  "node-role.kubernetes.io/worker": "",
  "kubernetes.io/os": "linux",
  "kubernetes.io/arch": "amd64",
  ...many(40, (at) => `feature.node.kubernetes.io/cpu-cpuid.FEATURE${at}`),
  ...many(100, (at) => `cpu-feature.node.kubevirt.io/feature-${at}`),
};

export const nodeImages = Array.from({ length: 20 }, (_, at) => ({
  names: [`registry.example.com/images/image-${at}@sha256:${"0123456789abcdef".repeat(4)}`],
  sizeBytes: 100_000_000 + at,
}));

const conditions = ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"];

/** The kubelet's managedFields. Their keys contain escaped quotes, which are slow to parse. */
const ofKubelet = {
  manager: "kubelet",
  operation: "Update",
  apiVersion: "v1",
  time: "2026-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: {
    "f:status": {
      "f:conditions": Object.fromEntries(
        conditions.map((type) => [`k:{"type":"${type}"}`, { "f:lastHeartbeatTime": {}, "f:status": {} }]),
      ),
    },
  },
  subresource: "status",
};

function nodeAt(at: number) {
  const name = nameOf(at);
  const subnets = JSON.stringify({ default: [`10.${at >> 8}.${at & 255}.0/24`] });
  const capacity = { cpu: "64", memory: "263880000Ki", pods: "250", "devices.kubevirt.io/kvm": "1k" };
  return {
    metadata: {
      name,
      labels: { ...workerLabels, "kubernetes.io/hostname": name },
      annotations: { "k8s.ovn.org/node-subnets": subnets },
      managedFields: [ofKubelet],
    },
    status: { capacity, images: nodeImages, conditions: [readyNow()] },
  };
}

function readyNow() {
  const lastHeartbeatTime = new Date().toISOString();
  return { type: "Ready", status: "True", reason: "KubeletReady", message: "ready", lastHeartbeatTime };
}

export function createNodes(api: Server, count: number): Promise<void> {
  return inParallel(count, async (at) => ok(await api.request({ method: "POST", path, body: nodeAt(at) })));
}

export async function removeNodes(api: Server): Promise<void> {
  ok(await api.request({ method: "DELETE", path: `${path}?labelSelector=${encodeURIComponent(mark)}` }));
}

export async function addDevice(api: Server, at: number): Promise<void> {
  const body = { metadata: { labels: { "feature.node.kubernetes.io/pci-0300_10de.present": "true" } } };
  ok(await api.request({ method: "PATCH", path: `${path}/${nameOf(at)}`, body }));
}

export async function beat(api: Server, at: number): Promise<void> {
  const body = { status: { conditions: [readyNow()] } };
  ok(await api.request({ method: "PATCH", path: `${path}/${nameOf(at)}/status`, body }));
}
