// An object that earlier releases applied and that is no longer wanted.

import type { Ref } from "@virt/api";

export type Tombstone = Ref & {
  /** The release that gave it up. */
  readonly since: string;
  readonly reason: string;
};
