// The worker pool is paused: nothing moves until somebody sets spec.paused to false.

import type { Scenario } from "../scenario.ts";
import { threeWorkers } from "./three-workers.ts";

export const pausedPool: Scenario = {
  ...threeWorkers,
  about: "as three-workers, with the worker pool paused",
  pools: [{ name: "master" }, { name: "worker", paused: true }],
};
