// Objects that earlier releases applied and that we no longer ship: they are deleted.

import type { Tombstone } from "@virt/platform";

/** Each is deleted only if it has our label, the operator is proven to have created it, and it is neither unmanaged nor paused. */
export const tombstones: readonly Tombstone[] = [];
