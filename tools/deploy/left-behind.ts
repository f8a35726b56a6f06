// Lists objects of other projects with fields that the operators applied. They stay after the removal of the operators.

import { fieldManagers, type KubeObject, profileManager } from "@virt/api";
import { assets, profiles } from "@virt/catalog";
import type { Cluster } from "./kubectl.ts";
import { controllersOf } from "./manifests.ts";

type Managed = KubeObject & {
  readonly metadata: { readonly managedFields?: readonly { readonly manager?: string }[] };
};

export function appliedObjects(cluster: Cluster): readonly string[] {
  const served = cluster.ask("api-resources", "--output=name").split("\n");
  const resources = catalogResources().filter((resource) => served.includes(resource));
  if (resources.length === 0) return [];
  const flags = ["--all-namespaces", "--show-managed-fields", "--output=json"];
  const { items } = JSON.parse(cluster.ask("get", resources.join(","), ...flags)) as { items: readonly Managed[] };
  return items.flatMap((object) => {
    const { namespace, name } = object.metadata;
    const managers = managersOf(object);
    if (managers.length === 0 || isOwn(namespace)) return [];
    return [`${object.kind} ${namespace === undefined ? "" : `${namespace}/`}${name} (${managers.join(", ")})`];
  });
}

/** Returns `plural.group` names. Omits built-in kinds, whose objects are in our own namespaces. */
function catalogResources(): readonly string[] {
  const ofAssets = assets.flatMap(({ target }) => (target.crd === undefined ? [] : [target.crd]));
  const ofProfiles = profiles.flatMap(({ targets }) =>
    targets.filter(({ group }) => group !== "").map(({ plural, group }) => `${plural}.${group}`),
  );
  return [...new Set([...ofAssets, ...ofProfiles])].toSorted();
}

function managersOf({ metadata }: Managed): readonly string[] {
  const managers = new Set((metadata.managedFields ?? []).map(({ manager }) => manager));
  return ownManagers.filter((manager) => managers.has(manager));
}

const ownManagers = [
  ...new Set([...Object.values(fieldManagers), ...profiles.map(({ name }) => profileManager(name))]),
];

function isOwn(namespace: string | undefined): boolean {
  return controllersOf("default").some((controller) => namespace === `virt-${controller}-operator-system`);
}
