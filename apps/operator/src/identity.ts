// The process's version, identity, user agent and leases.

import type { ControllerName } from "./flags.ts";

/** The lease names. They must never change, because an old and a new replica could otherwise both become leader. */
const leases = {
  advisor: { name: "8f83cc6e.kubevirt.io", namespace: "virt-advisor-operator-system" },
  platform: { name: "virt-platform-operator.kubevirt.io", namespace: "virt-platform-operator-system" },
} as const satisfies Readonly<Record<ControllerName, { name: string; namespace: string }>>;

/** Returns an identity that is unique to the process. A restarted process has a new one. */
export function processIdentity(host: string, random: string): string {
  return `${host}_${random}`;
}

/** Returns the user agent. It distinguishes replicas in the audit log. */
export function userAgent(version: string, controllers: readonly ControllerName[], identity: string): string {
  return `virt-operator/${version} (${controllers.join(",")}; ${identity})`;
}

/** Returns the lease. Its namespace is that of the pod, else that of the kubeconfig context, else the default. */
export function leasePlace(
  name: ControllerName,
  podNamespace: string | undefined,
  accessNamespace: string | undefined,
) {
  const usual = leases[name];
  return { name: usual.name, namespace: podNamespace || accessNamespace || usual.namespace };
}

declare const BUILD_VERSION: string | undefined;

export const version = typeof BUILD_VERSION === "undefined" ? "v0.0.0-dev" : BUILD_VERSION;
