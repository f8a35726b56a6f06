// Lists objects that earlier releases applied and this release deletes.

import type { Tombstone } from "@virt/platform";

/**
 * An object is deleted only if it has the operator's label, the operator provably created it, and it is neither
 * unmanaged nor paused.
 */
export const tombstones: readonly Tombstone[] = [];
