// Who this process is: its version, and its names in the audit log, among replicas, and for its lease.

import type { ControllerName } from "./flags.ts";

/** The names that users see; they never change. */
const leases = {
  advisor: { name: "8f83cc6e.kubevirt.io", namespace: "virt-advisor-operator-system" },
  platform: { name: "virt-platform-operator.kubevirt.io", namespace: "virt-platform-operator-system" },
} as const satisfies Readonly<Record<ControllerName, { name: string; namespace: string }>>;

/** Unique to the process: a restarted one is somebody else. */
export function processIdentity(host: string, random: string): string {
  return `${host}_${random}`;
}

/** Program, version, controllers and process, so that replicas can be told apart. */
export function userAgent(version: string, controllers: readonly ControllerName[], identity: string): string {
  return `virt-operator/${version} (${controllers.join(",")}; ${identity})`;
}

/** Where the lease of a controller lies: the pod's namespace, else that of the access, else the one it is installed in. */
export function leasePlace(
  name: ControllerName,
  podNamespace: string | undefined,
  accessNamespace: string | undefined,
) {
  const usual = leases[name];
  return { name: usual.name, namespace: podNamespace || accessNamespace || usual.namespace };
}

/** Set by the bundler; sources that run as they are have none. */
declare const BUILD_VERSION: string | undefined;

export const version = typeof BUILD_VERSION === "undefined" ? "v0.0.0-dev" : BUILD_VERSION;
