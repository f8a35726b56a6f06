// OpenShift's cluster-wide settings: Infrastructure, Scheduler and Network.

import type { Subject } from "../subject.ts";

const platforms = [
  "AWS",
  "Azure",
  "GCP",
  "VSphere",
  "OpenStack",
  "None",
  "External",
  "KubeVirt",
  "Nutanix",
  "oVirt",
  "",
];

const infrastructure: Subject = {
  title: "an Infrastructure",
  mock: "infrastructures.yaml",
  genuine: [{ file: "openshift/infrastructures.yaml" }],
  mentioned: {
    "platform.md 3.2": ["status.controlPlaneTopology", "status.platformStatus.type"],
    simulator: ["status.infrastructureTopology", "status.infrastructureName", "status.apiServerURL", "status.platform"],
  },
  sample: {
    apiVersion: "config.openshift.io/v1",
    kind: "Infrastructure",
    metadata: { name: "cluster" },
    spec: { cloudConfig: { key: "a", name: "b" } },
    status: {
      infrastructureName: "a",
      apiServerURL: "b",
      apiServerInternalURI: "c",
      etcdDiscoveryDomain: "",
      controlPlaneTopology: "SingleReplica",
      infrastructureTopology: "SingleReplica",
      cpuPartitioning: "AllNodes",
      platform: "BareMetal",
      platformStatus: { type: "BareMetal" },
    },
  },
  fields: [
    { path: "spec", isRequired: true, good: [{}] },
    { path: "spec.cloudConfig", good: [{}] },
    { path: "spec.cloudConfig.key" },
    { path: "spec.cloudConfig.name" },
    { path: "status", good: [{}] },
    ...["infrastructureName", "apiServerURL", "apiServerInternalURI", "etcdDiscoveryDomain"].map((key) => ({
      path: `status.${key}`,
      good: [""],
    })),
    {
      path: "status.controlPlaneTopology",
      good: ["HighlyAvailable", "HighlyAvailableArbiter", "DualReplica", "External"],
      bad: ["", "external", "Compact"],
    },
    { path: "status.infrastructureTopology", good: ["HighlyAvailable"], bad: ["External", ""] },
    { path: "status.cpuPartitioning", good: ["None"], bad: ["", "Some"] },
    { path: "status.platform", good: platforms, bad: ["baremetal", "Other"] },
    { path: "status.platformStatus", good: [{}] },
    { path: "status.platformStatus.type", good: platforms, bad: ["baremetal", "Other"] },
  ],
};

const scheduler: Subject = {
  title: "a Scheduler",
  mock: "schedulers.yaml",
  genuine: [{ file: "openshift/schedulers.yaml" }],
  mentioned: { "platform.md 3.2": ["spec.mastersSchedulable"] },
  sample: {
    apiVersion: "config.openshift.io/v1",
    kind: "Scheduler",
    metadata: { name: "cluster" },
    spec: { mastersSchedulable: true, defaultNodeSelector: "", profile: "LowNodeUtilization", policy: { name: "" } },
  },
  fields: [
    { path: "spec", isRequired: true, good: [{}] },
    { path: "spec.mastersSchedulable", good: [false] },
    { path: "spec.defaultNodeSelector" },
    { path: "spec.profile", good: ["", "HighNodeUtilization", "NoScoring"], bad: ["Other"] },
    { path: "spec.policy", bad: [{}] },
    { path: "spec.policy.name", isRequired: true },
  ],
};

const network: Subject = {
  title: "a Network",
  mock: "networks.yaml",
  genuine: [],
  mentioned: { "found-2.md B8": ["status.clusterNetwork"] },
  sample: {
    apiVersion: "config.openshift.io/v1",
    kind: "Network",
    metadata: { name: "cluster" },
    spec: { clusterNetwork: [{ cidr: "10.128.0.0/14", hostPrefix: 23 }], networkType: "OVNKubernetes" },
    status: { clusterNetwork: [{ cidr: "10.128.0.0/14", hostPrefix: 23 }], networkType: "OVNKubernetes" },
  },
  fields: [
    { path: "spec", isRequired: true, good: [{}] },
    { path: "spec.clusterNetwork", good: [[]] },
    { path: "spec.networkType" },
    { path: "status", good: [{}] },
    { path: "status.clusterNetwork", good: [[]], bad: [[{ cidr: "a", hostPrefix: -1 }]] },
    { path: "status.networkType" },
  ],
};

export const clusterConfigs: readonly Subject[] = [infrastructure, scheduler, network];
