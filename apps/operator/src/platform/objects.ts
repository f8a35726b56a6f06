// How the objects of the catalog are called in this program.

import type { Ref } from "@virt/api";
import { nameOf } from "@virt/platform";

export { managedObjects } from "@virt/platform";

/** Kind/namespace/name, as users see it in events. */
export const keyOf: (ref: Ref) => string = nameOf;

export function isHco({ kind }: Pick<Ref, "kind">): boolean {
  return kind === "HyperConverged";
}
