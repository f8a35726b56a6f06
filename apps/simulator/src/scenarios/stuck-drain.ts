// A virtual machine that may not be stopped and cannot migrate: the drain of its node does not end by itself.

import type { Scenario } from "../scenario.ts";
import { threeWorkers } from "./three-workers.ts";

export const stuckDrain: Scenario = {
  ...threeWorkers,
  about: "as three-workers, with a virtual machine `vms/pinned-0` that blocks the drain of worker-0",
  vms: [
    ...threeWorkers.vms,
    {
      name: "pinned",
      namespace: "vms",
      count: 1,
      memoryGiB: [8],
      evictionStrategy: "LiveMigrate",
      unmigratable: "DisksNotLiveMigratable",
      node: "worker-0",
    },
  ],
};
