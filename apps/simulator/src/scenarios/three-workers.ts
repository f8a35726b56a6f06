// A small cluster: three control plane nodes, three workers, a dozen virtual machines.

import type { Scenario } from "../scenario.ts";
import { standard } from "./default.ts";

export const threeWorkers: Scenario = {
  ...standard,
  about: "3 control plane nodes, 3 workers, 12 virtual machines",
  nodes: [
    { name: "master", count: 3, roles: ["master", "control-plane"], cpus: 8, memoryGiB: 32 },
    { name: "worker", count: 3, roles: ["worker"], cpus: 32, memoryGiB: 128 },
  ],
  vms: [{ name: "vm", namespace: "vms", count: 12, memoryGiB: [4, 8] }],
};
