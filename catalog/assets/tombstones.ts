// Lists objects that earlier releases applied and this release deletes.

import type { Tombstone } from "@virt/platform";

/** Deleted only if labeled and provably created by the operator, and neither unmanaged nor paused. */
export const tombstones: readonly Tombstone[] = [];
