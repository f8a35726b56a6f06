// Rights that are granted although no test uses them for certain: at most three, each with its reason.

import type { Exception } from "./compare-rights.ts";

/** They hold for both operators. */
export const exceptions: readonly Exception[] = [
  {
    right: "patch events.events.k8s.io *",
    reason: "counts an event that comes again, at the earliest after a minute (advisor: ten): few tests last that long",
  },
];
