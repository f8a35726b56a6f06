// Permissions that stay granted although tests do not reliably use them: at most three, each with a reason.

import type { Exception } from "./compare-rights.ts";

export const exceptions: readonly Exception[] = [
  {
    right: "patch events.events.k8s.io *",
    reason:
      "updates the count of a repeated event, after a minute at the earliest (advisor: ten). Few tests run that long",
  },
];
