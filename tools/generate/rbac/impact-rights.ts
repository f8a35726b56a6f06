// What an operator must be allowed to assess the impact of its writes: to read, and nothing else. Pods have a role of their own.

import { follow, type Right, rights } from "./right.ts";

const kubevirt = "kubevirt.io";

export const impactRights: readonly Right[] = [
  ...rights({ group: "", resource: "nodes" }, ...follow),
  ...rights({ group: "machineconfiguration.openshift.io", resource: "machineconfigpools" }, ...follow),
  ...rights({ group: "operator.openshift.io", resource: "machineconfigurations", name: "cluster" }, ...follow),
  ...rights({ group: kubevirt, resource: "kubevirts" }, ...follow),
  ...rights({ group: kubevirt, resource: "virtualmachineinstances" }, ...follow),
  ...rights({ group: kubevirt, resource: "virtualmachines" }, "get"), // of which few are asked for
  ...rights({ group: "policy", resource: "poddisruptionbudgets" }, ...follow),
];
