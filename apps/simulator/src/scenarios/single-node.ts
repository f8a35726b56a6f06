// One node that is everything: it is not drained, and its virtual machines go down with it.

import type { Scenario } from "../scenario.ts";
import { standard } from "./default.ts";

export const singleNode: Scenario = {
  ...standard,
  about: "1 node that is everything, 3 virtual machines",
  topology: "SingleReplica",
  platform: "None",
  mastersSchedulable: true,
  nodes: [{ name: "node", count: 1, roles: ["master", "control-plane", "worker"], cpus: 16, memoryGiB: 64 }],
  vms: [{ name: "vm", namespace: "vms", count: 3, memoryGiB: [4] }],
};
