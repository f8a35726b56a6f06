// The scenarios that come with the simulator: one file and one line each.

import type { Scenario } from "../scenario.ts";
import { compact } from "./compact.ts";
import { customPool } from "./custom-pool.ts";
import { standard } from "./default.ts";
import { pausedPool } from "./paused-pool.ts";
import { singleNode } from "./single-node.ts";
import { stuckDrain } from "./stuck-drain.ts";
import { threeWorkers } from "./three-workers.ts";

export const scenarios: ReadonlyMap<string, Scenario> = new Map([
  ["default", standard],
  ["three-workers", threeWorkers],
  ["compact", compact],
  ["single-node", singleNode],
  ["paused-pool", pausedPool],
  ["custom-pool", customPool],
  ["stuck-drain", stuckDrain],
]);
