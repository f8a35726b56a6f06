// Page paths in the OpenShift console, relative to its base path.

import type { LinkedObject } from "../pages/routes.ts";

export const advisorPath = "/virt-advisor";
/** The settings page of the OpenShift Virtualization plugin, which edits the HyperConverged. */
export const settingsPath = "/k8s/all-namespaces/virtualization-settings/cluster";

export function objectPath({ kind, namespace, name }: LinkedObject): string {
  const object = encodeURIComponent(name);
  if (kind === "Node") return `/k8s/cluster/nodes/${object}`;
  return `/k8s/ns/${encodeURIComponent(namespace ?? "")}/kubevirt.io~v1~VirtualMachineInstance/${object}`;
}
