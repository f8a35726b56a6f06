import type { JsonMap, KubeObject } from "@virt/api";
import { expect, test } from "vitest";
import { master, nodeWithRole, worker } from "./testing/nodes.ts";
import { readTopology, type Topology, type TopologySources } from "./topology.ts";

const named = (kind: string, rest: JsonMap): KubeObject => ({
  apiVersion: "config.openshift.io/v1",
  kind,
  metadata: { name: "cluster" },
  ...rest,
});
const on = (type: string) => ({ infrastructure: named("Infrastructure", { status: { platformStatus: { type } } }) });
const nowhere: TopologySources = { infrastructure: undefined, scheduler: undefined, nodes: [], crds: new Set() };
const unknown: Topology = {
  isOpenShift: false,
  controlPlaneTopology: "",
  isHCP: false,
  cloudProvider: "",
  isAWS: false,
  isAzure: false,
  isGCP: false,
  isBareMetal: false,
  isVSphere: false,
  isOpenStack: false,
  hasSchedulableMasters: false,
  masterCount: 0,
  workerCount: 0,
  totalNodeCount: 0,
  isCompact: false,
};

type Case = { reason: string; seen: Partial<TopologySources>; found: Partial<Topology> };

const compactNode = nodeWithRole(["master", "worker"]);

const cases: readonly Case[] = [
  { reason: "absent objects", seen: {}, found: {} },
  {
    reason: "OpenShift by its Infrastructure",
    seen: { crds: new Set(["infrastructures.config.openshift.io"]) },
    found: { isOpenShift: true },
  },
  {
    reason: "OpenShift by its MachineConfigs",
    seen: { crds: new Set(["machineconfigs.machineconfiguration.openshift.io"]) },
    found: { isOpenShift: true },
  },
  { reason: "another CRD only", seen: { crds: new Set(["kubevirts.kubevirt.io"]) }, found: {} },
  {
    reason: "a hosted control plane",
    seen: { infrastructure: named("Infrastructure", { status: { controlPlaneTopology: "External" } }) },
    found: { controlPlaneTopology: "External", isHCP: true },
  },
  {
    reason: "its own control plane",
    seen: { infrastructure: named("Infrastructure", { status: { controlPlaneTopology: "HighlyAvailable" } }) },
    found: { controlPlaneTopology: "HighlyAvailable" },
  },
  ...(["AWS", "Azure", "GCP", "BareMetal", "VSphere", "OpenStack"] as const).map((type) => ({
    reason: `a cluster on ${type}`,
    seen: on(type),
    found: { cloudProvider: type, [`is${type}`]: true },
  })),
  { reason: "an unknown platform", seen: on("Nutanix"), found: { cloudProvider: "Nutanix" } },
  {
    reason: "schedulable masters",
    seen: { scheduler: named("Scheduler", { spec: { mastersSchedulable: true } }) },
    found: { hasSchedulableMasters: true },
  },
  {
    reason: "unschedulable masters",
    seen: { scheduler: named("Scheduler", { spec: { mastersSchedulable: false } }) },
    found: {},
  },
  {
    reason: "counts masters and workers separately, others only in the total",
    seen: { nodes: [master(), nodeWithRole(["control-plane"]), worker(), nodeWithRole(["infra"])] },
    found: { masterCount: 2, workerCount: 1, totalNodeCount: 4 },
  },
  {
    reason: "a compact cluster",
    seen: { nodes: [compactNode, compactNode, compactNode] },
    found: { masterCount: 3, totalNodeCount: 3, isCompact: true },
  },
  {
    reason: "not compact with a separate worker",
    seen: { nodes: [compactNode, worker()] },
    found: { masterCount: 1, workerCount: 1, totalNodeCount: 2 },
  },
  {
    reason: "not compact if one master is not a worker",
    seen: { nodes: [compactNode, master()] },
    found: { masterCount: 2, totalNodeCount: 2 },
  },
];

test.each(cases)("$reason", ({ seen, found }) => {
  expect(readTopology({ ...nowhere, ...seen })).toEqual({ ...unknown, ...found });
});
