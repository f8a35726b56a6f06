// Three nodes that are control plane and workers at once: the worker pool has no machines.

import type { Scenario } from "../scenario.ts";
import { standard } from "./default.ts";

export const compact: Scenario = {
  ...standard,
  about: "3 nodes that are control plane and workers at once, 12 virtual machines",
  mastersSchedulable: true,
  nodes: [{ name: "node", count: 3, roles: ["master", "control-plane", "worker"], cpus: 32, memoryGiB: 128 }],
  vms: [{ name: "vm", namespace: "vms", count: 12, memoryGiB: [4, 8] }],
};
