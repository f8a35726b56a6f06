// `make install` and `make uninstall`: the CRD and the objects that belong to it.

import { configKind } from "@virt/api";
import type { Cluster } from "./kubectl.ts";

const crd = `${configKind.plural}.${configKind.group}`;

/** Forces conflicts, because we own all fields of our own objects. */
export const apply = ["apply", "--server-side", "--force-conflicts"];

export function install(cluster: Cluster): void {
  cluster.show([...apply, "--kustomize", "config/crd"]);
}

export function uninstall(cluster: Cluster): void {
  const names = configNames(cluster);
  if (names.length > 0) {
    process.stdout.write(`Removing the CRD also removes these VirtPlatformConfigs: ${names.join(", ")}\n`);
    process.stdout.write("Objects that their plans applied stay in place.\n");
  }
  cluster.show(["delete", "--ignore-not-found", "--kustomize", "config/crd"]);
}

/** Undefined if the CRD is served. */
export function findCrdFault(cluster: Cluster): { readonly what: string; readonly next: string } | undefined {
  const established = "--output=jsonpath={.status.conditions[?(@.type=='Established')].status}";
  const status = cluster.ask("get", "crd", crd, "--ignore-not-found", established);
  if (status === "True") return undefined;
  return isCrdInstalled(cluster)
    ? { what: `the CRD ${crd} is not served`, next: `kubectl describe crd ${crd}` }
    : { what: `the CRD ${crd} is missing`, next: "make install" };
}

export function isCrdInstalled(cluster: Cluster): boolean {
  return cluster.ask("get", "crd", crd, "--ignore-not-found", "--output=name") !== "";
}

export function configNames(cluster: Cluster): readonly string[] {
  if (!isCrdInstalled(cluster)) return [];
  const names = cluster.ask("get", crd, "--output=jsonpath={.items[*].metadata.name}");
  return names.split(" ").filter((name) => name !== "");
}
