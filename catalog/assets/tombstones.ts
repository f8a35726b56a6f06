// Objects that earlier releases applied and that we no longer ship: they are deleted.

import type { Tombstone } from "@virt/platform";

export const tombstones: readonly Tombstone[] = [];
