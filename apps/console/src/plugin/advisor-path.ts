// Where pages are in the console, below its own base path.

import type { LinkedObject } from "../pages/routes.ts";

export const advisorPath = "/virt-advisor";
/** Of the plugin of OpenShift Virtualization: density, KSM and more of the HyperConverged. */
export const settingsPath = "/k8s/all-namespaces/virtualization-settings/cluster";

/** The console's own page of a node or a VM. */
export function objectPath({ kind, namespace, name }: LinkedObject): string {
  const object = encodeURIComponent(name);
  if (kind === "Node") return `/k8s/cluster/nodes/${object}`;
  return `/k8s/ns/${encodeURIComponent(namespace ?? "")}/kubevirt.io~v1~VirtualMachineInstance/${object}`;
}
