// The objects that a page may read and annotate: the targets of plans and assets, by name.

import { assets, profiles } from "@virt/catalog";
import { targetResource } from "@virt/client";
import type { Resource } from "@virt/kube";

type NamedKind = Pick<Resource, "group" | "plural">;

const keyOf = ({ group, plural }: NamedKind, name: string): string => `${group}/${plural}/${name}`;

const targets: ReadonlySet<string> = new Set([
  ...assets.flatMap(({ target: { kind, name } }) => {
    const resource = targetResource(kind);
    return resource === undefined ? [] : keyOf(resource, name);
  }),
  ...profiles.flatMap((profile) =>
    profile.targets.flatMap(({ group, plural, names }) => names.map((name) => keyOf({ group, plural }, name))),
  ),
]);

/** Reports whether a plan or an asset writes this object. Rendered MachineConfigs, which hold pull secrets, are never among them. */
export function isPageObject(resource: NamedKind, name: string): boolean {
  return targets.has(keyOf(resource, name));
}
