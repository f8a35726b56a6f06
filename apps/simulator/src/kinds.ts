// The kinds that the simulator plays with, and how they are watched.

import type { WatchSpec } from "@virt/kube";

const machineConfiguration = "machineconfiguration.openshift.io/v1";

const apiVersions = {
  Node: ["v1"],
  MachineConfig: [machineConfiguration],
  MachineConfigPool: [machineConfiguration],
  MachineConfigNode: [machineConfiguration],
  KubeletConfig: [machineConfiguration],
  VirtualMachineInstance: ["kubevirt.io/v1"],
  VirtualMachineInstanceMigration: ["kubevirt.io/v1"],
  // The first that is served counts.
  HyperConverged: ["hco.kubevirt.io/v1", "hco.kubevirt.io/v1beta1"],
  KubeDescheduler: ["operator.openshift.io/v1"],
  Infrastructure: ["config.openshift.io/v1"],
  Scheduler: ["config.openshift.io/v1"],
  DaemonSet: ["apps/v1"],
} as const;

export type Kind = keyof typeof apiVersions;

export const allKinds = Object.keys(apiVersions) as readonly Kind[];

export function isKind(name: string): name is Kind {
  return Object.hasOwn(apiVersions, name);
}

/** One for each version that might be served. */
export function watchesOf(kind: Kind): readonly WatchSpec[] {
  const only = kind === "DaemonSet" ? { name: "wasp-agent" } : {};
  return apiVersions[kind].map((apiVersion) => ({ apiVersion, kind, ...only, projection: { keep: "all" } }));
}
