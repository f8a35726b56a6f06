// The objects that a page may read and annotate: the targets of plans and assets, by name and namespace.

import { assets, profiles } from "@virt/catalog";
import type { Resource } from "@virt/kube";
import { targetResource } from "@virt/views";

type NamedKind = Pick<Resource, "group" | "plural">;
type ObjectKey = { readonly name: string; readonly namespace?: string };

/** The namespaces of each target, by kind and name. `""` stands for a cluster-scoped object. */
const namespacesOf = new Map<string, Set<string>>();
const keyOf = ({ group, plural }: NamedKind, name: string): string => `${group}/${plural}/${name}`;

function addTarget(resource: NamedKind, name: string, namespaces: readonly string[]): void {
  const known = namespacesOf.get(keyOf(resource, name)) ?? new Set<string>();
  namespacesOf.set(keyOf(resource, name), new Set([...known, ...namespaces]));
}
for (const { target } of assets) {
  const resource = targetResource(target.kind);
  if (resource !== undefined) addTarget(resource, target.name, [target.namespace ?? ""]);
}
for (const { group, plural, names, namespaces = [""] } of profiles.flatMap(({ targets }) => targets))
  for (const name of names) addTarget({ group, plural }, name, namespaces);

/**
 * Reports whether a plan or an asset writes this object. Rendered MachineConfigs never match, because they contain pull
 * secrets. Objects next to an operator or the HyperConverged match in any namespace, because these namespaces vary.
 */
export function isPageObject(resource: NamedKind, { name, namespace = "" }: ObjectKey): boolean {
  const known = [...(namespacesOf.get(keyOf(resource, name)) ?? [])];
  return known.some((one) => one === namespace || (one.startsWith("$") && namespace !== ""));
}
