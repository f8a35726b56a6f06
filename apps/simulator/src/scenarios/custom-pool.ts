// A custom pool that inherits from worker: what is rolled out to workers reaches its nodes too.

import type { Scenario } from "../scenario.ts";
import { standard } from "./default.ts";

export const customPool: Scenario = {
  ...standard,
  about:
    "3 control plane nodes, 2 workers and 2 nodes of a custom pool `infra` that inherits worker, 12 virtual machines",
  nodes: [
    { name: "master", count: 3, roles: ["master", "control-plane"], cpus: 8, memoryGiB: 32 },
    { name: "worker", count: 2, roles: ["worker"], cpus: 32, memoryGiB: 128 },
    { name: "infra", count: 2, roles: ["worker", "infra"], cpus: 32, memoryGiB: 128 },
  ],
  pools: [{ name: "master" }, { name: "worker" }, { name: "infra" }],
  vms: [{ name: "vm", namespace: "vms", count: 12, memoryGiB: [4, 8] }],
};
