// Read-only permissions to assess the impact of writes. Pods have a separate role.

import { follow, type Right, rights } from "./right.ts";

const kubevirt = "kubevirt.io";

export const impactRights: readonly Right[] = [
  ...rights({ group: "", resource: "nodes" }, ...follow),
  ...rights({ group: "machineconfiguration.openshift.io", resource: "machineconfigpools" }, ...follow),
  ...rights({ group: "operator.openshift.io", resource: "machineconfigurations", name: "cluster" }, ...follow),
  ...rights({ group: kubevirt, resource: "kubevirts" }, ...follow),
  ...rights({ group: kubevirt, resource: "virtualmachineinstances" }, ...follow),
  ...rights({ group: kubevirt, resource: "virtualmachines" }, "get"),
  ...rights({ group: "policy", resource: "poddisruptionbudgets" }, ...follow),
];
