// Who holds a field of an object. To own the map that it is in is not to hold it.

import { fieldManagers, type KubeObject } from "@virt/api";
import { type FieldSet, mayOwn, type Owner, type Path, readOwners } from "@virt/engine";
import { releasedManager } from "./names.ts";

/** Whoever owns the field or a part of it; and whoever may, by an entry of another version that nobody can place. */
export function holdersOf(live: KubeObject, path: Path): readonly Owner[] {
  return readOwners(live).filter((owner) => holds(owner.fields, path) || mayOwn(owner, path, live));
}

/** The field itself, or a part of it. */
export function holds(fields: FieldSet, path: Path): boolean {
  return path.reduce<FieldSet | undefined>((at, element) => at?.below.get(element), fields) !== undefined;
}

/** Neither we nor who holds what we released; a subresource is another matter. */
export function isForeign({ manager, subresource }: Owner): boolean {
  return subresource === undefined && manager !== fieldManagers.platform && manager !== releasedManager;
}
