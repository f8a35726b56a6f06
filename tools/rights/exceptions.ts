// Permissions that stay granted although tests do not reliably use them: at most three, each with a reason.

import type { Exception } from "./compare-rights.ts";

export const exceptions: readonly Exception[] = [
  {
    right: "patch events.events.k8s.io *",
    reason: "counts an event that comes again, at the earliest after a minute (advisor: ten): few tests last that long",
  },
];
