// The browser's clock. Tests replace it.

import type { FollowClock } from "@virt/views";

export const browserClock: FollowClock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  schedule: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
