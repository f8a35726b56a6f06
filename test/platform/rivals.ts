// Foreign objects with the purpose of a managed object, one case per rule.

import type { KubeObject } from "@virt/api";
import type { FullCluster } from "../support/full-cluster.ts";
import type { RunningProgram } from "../support/program.ts";

type Foreign = { readonly name: string; readonly path: string; readonly body: KubeObject };

export type Rivalry = {
  readonly rule: string;
  readonly ours: { readonly name: string; readonly path: string };
  readonly purposes: Readonly<Record<string, string>>;
  /** If both exist, the first one is reported, unless it appeared later and the kind is a singleton. */
  readonly first: Foreign;
  readonly second: Foreign;
};

const machineConfigs = "/apis/machineconfiguration.openshift.io/v1/machineconfigs";
const kubeletConfigs = "/apis/machineconfiguration.openshift.io/v1/kubeletconfigs";
const checks = "/apis/remediation.medik8s.io/v1alpha1/nodehealthchecks";
const metalLbs = "/apis/metallb.io/v1beta1/namespaces";

function daemonSet(name: string, namespace: string): Foreign {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name, image: name }] } };
  const spec = { selector: { matchLabels: labels }, template };
  return {
    name: `DaemonSet ${namespace}/${name}`,
    path: `/apis/apps/v1/namespaces/${namespace}/daemonsets`,
    body: { apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name }, spec },
  };
}

function machineConfig(name: string): Foreign {
  const labels = { "machineconfiguration.openshift.io/role": "worker" };
  const apiVersion = "machineconfiguration.openshift.io/v1";
  const body = { apiVersion, kind: "MachineConfig", metadata: { name, labels }, spec: {} };
  return { name: `MachineConfig ${name}`, path: machineConfigs, body };
}

function kubeletConfig(name: string): Foreign {
  const matchLabels = { "pools.operator.machineconfiguration.openshift.io/worker": "" };
  const apiVersion = "machineconfiguration.openshift.io/v1";
  const spec = { machineConfigPoolSelector: { matchLabels }, kubeletConfig: { maxPods: 100 } };
  const body = { apiVersion, kind: "KubeletConfig", metadata: { name }, spec };
  return { name: `KubeletConfig ${name}`, path: kubeletConfigs, body };
}

function nodeHealthCheck(name: string): Foreign {
  const template = { apiVersion: "self-node-remediation.medik8s.io/v1alpha1", kind: "SelfNodeRemediationTemplate" };
  const spec = { selector: {}, remediationTemplate: { ...template, name: "theirs", namespace: "theirs" } };
  const body = { apiVersion: "remediation.medik8s.io/v1alpha1", kind: "NodeHealthCheck", metadata: { name }, spec };
  return { name: `NodeHealthCheck ${name}`, path: checks, body };
}

function metalLb(name: string, namespace: string): Foreign {
  const body = { apiVersion: "metallb.io/v1beta1", kind: "MetalLB", metadata: { name }, spec: {} };
  return { name: `MetalLB ${namespace}/${name}`, path: `${metalLbs}/${namespace}/metallbs`, body };
}

export const rivalries: readonly Rivalry[] = [
  {
    rule: "alternates",
    ours: { name: "MachineConfig 50-virt-swap-enable", path: `${machineConfigs}/50-virt-swap-enable` },
    purposes: { "swap-enable": "kubelet-swap" },
    first: daemonSet("wasp-agent", "openshift-cnv"),
    second: machineConfig("90-worker-swap-online"),
  },
  {
    rule: "the singleton of a cluster",
    ours: { name: "NodeHealthCheck virt-node-health-check", path: `${checks}/virt-node-health-check` },
    purposes: { "node-health-check": "node-remediation" },
    first: nodeHealthCheck("a-check-of-theirs"),
    second: nodeHealthCheck("b-check-of-theirs"),
  },
  {
    rule: "the singleton in a namespace",
    ours: { name: "MetalLB metallb-system/metallb", path: `${metalLbs}/metallb-system/metallbs/metallb` },
    purposes: { "metallb-operator": "metallb" },
    first: metalLb("metallb", "openshift-mtv"),
    second: metalLb("another", "metallb-system"),
  },
  {
    rule: "the pool rule",
    ours: { name: "KubeletConfig virt-perf-settings", path: `${kubeletConfigs}/virt-perf-settings` },
    purposes: {
      "kubelet-perf-settings": "kubelet-settings",
      "numa-topology": "numa-topology",
      "kubelet-cpu-manager": "cpu-manager",
    },
    first: kubeletConfig("a-set-of-theirs"),
    second: kubeletConfig("b-set-of-theirs"),
  },
];

export async function create({ testCluster: { server } }: FullCluster, { path, body }: Foreign): Promise<void> {
  const { status, body: said } = await server.request({ method: "POST", path: `${path}?fieldManager=theirs`, body });
  if (status !== 201) throw new Error(JSON.stringify(said));
}

export async function remove(fullCluster: FullCluster, { path, body }: Foreign): Promise<void> {
  await removeAt(fullCluster, `${path}/${body.metadata.name}`);
}

export async function removeAt({ testCluster: { server } }: FullCluster, path: string): Promise<void> {
  const { status, body } = await server.request({ method: "DELETE", path });
  if (status !== 200) throw new Error(JSON.stringify(body));
}

export async function isThere({ testCluster: { server } }: FullCluster, path: string): Promise<boolean> {
  return (await server.request({ path })).status === 200;
}

export const conflictsOf = ({ ours, purposes }: Rivalry, { name }: Foreign): readonly string[] =>
  Object.values(purposes).map((purpose) => `${ours.name} and ${name} serve the same purpose: ${purpose}`);

export const yieldsOf = ({ purposes }: Rivalry, { name }: Foreign): readonly string[] =>
  Object.keys(purposes).map((asset) => `Asset ${asset} is not applied: ${name} already provides it`);

/** Returns the number of reports of each note. Counts log lines, because the count of an event series is delayed. */
export function countReports({ log }: RunningProgram, notes: readonly string[]): readonly number[] {
  return notes.map((note) => log.filter(({ msg }) => msg === note).length);
}
