import type { Subject } from "../subject.ts";
import { condition, looseConditionFields, selector, selectorFields, selectorPaths } from "./parts.ts";

const apiVersion = "machineconfiguration.openshift.io/v1";
const role = { "machineconfiguration.openshift.io/role": "worker" };

const ignition = {
  ignition: { version: "3.2.0" },
  storage: { files: [{ path: "/etc/a", mode: 420, overwrite: true, contents: { source: "data:," } }] },
  systemd: {
    units: [{ name: "a.service", enabled: true, contents: "[Unit]\n", dropins: [{ name: "b.conf", contents: "" }] }],
  },
};

const machineConfig: Subject = {
  title: "a MachineConfig",
  mock: "machineconfigs.yaml",
  genuine: [{ file: "openshift/machineconfigs.yaml" }],
  mentioned: {
    "advisor.md 7, platform.md 4.2-4.3, 4.9": ["spec.kernelArguments", "spec.config"],
    "users.md 8 M1": ["spec.osImageURL", "spec.kernelType", "spec.extensions"],
  },
  sample: {
    apiVersion,
    kind: "MachineConfig",
    metadata: { name: "99-worker-psi-karg", labels: role },
    spec: {
      kernelArguments: ["psi=1", "psi=1"],
      config: ignition,
      extensions: ["a"],
      fips: false,
      kernelType: "default",
      osImageURL: "a",
      baseOSExtensionsContainerImage: "a",
    },
  },
  fields: [
    { path: "spec.kernelArguments", good: [[]] },
    { path: "spec.kernelArguments[]", good: [""] },
    { path: "spec.config", isOpen: true, good: [{}, { any: [{ thing: null }] }] },
    { path: "spec.extensions", good: [[]] },
    { path: "spec.extensions[]" },
    { path: "spec.fips" },
    { path: "spec.kernelType", good: ["realtime", "anything"] },
    { path: "spec.osImageURL" },
    { path: "spec.baseOSExtensionsContainerImage" },
  ],
  unknown: { status: {} },
  cases: [
    { reason: "no spec", drop: ["spec"], expect: "accepted" },
    { reason: "metadata alone", set: { spec: {} }, expect: "accepted" },
  ],
};

const kubeletConfig: Subject = {
  title: "a KubeletConfig",
  mock: "kubeletconfigs.yaml",
  genuine: [{ file: "openshift/kubeletconfigs.yaml" }],
  mentioned: {
    "platform.md 4.4": [
      "spec.autoSizingReserved",
      "spec.kubeletConfig",
      ...selectorPaths("spec.machineConfigPoolSelector"),
    ],
    simulator: ["status.observedGeneration", "status.conditions"],
  },
  sample: {
    apiVersion,
    kind: "KubeletConfig",
    metadata: { name: "virt-perf-settings" },
    spec: {
      autoSizingReserved: true,
      logLevel: 3,
      kubeletConfig: {
        nodeStatusMaxImages: 500,
        maxPods: 500,
        topologyManagerPolicy: "best-effort",
        cpuManagerPolicy: "static",
        cpuManagerReconcilePeriod: "5s",
        list: [{ a: 1 }],
      },
      machineConfigPoolSelector: selector,
    },
    status: { observedGeneration: 1, conditions: [condition] },
  },
  fields: [
    { path: "spec", isRequired: true, good: [{}] },
    { path: "spec.autoSizingReserved", good: [false] },
    { path: "spec.logLevel", good: [0, 10], bad: [-1, 11] },
    { path: "spec.kubeletConfig", isOpen: true, good: [{}, { maxPods: "many" }] },
    ...selectorFields("spec.machineConfigPoolSelector"),
    { path: "status", good: [{}] },
    { path: "status.observedGeneration", good: [0] },
    ...looseConditionFields("status.conditions"),
  ],
};

export const machineConfigs: readonly Subject[] = [machineConfig, kubeletConfig];
