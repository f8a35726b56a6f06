// The health rules, by kind: one file and one line each.

import type { KubeObject } from "../cluster.ts";
import type { Health } from "./health.ts";
import { hyperConvergedHealth } from "./hyper-converged.ts";
import { kubeDeschedulerHealth } from "./kube-descheduler.ts";
import { machineConfigNodeHealth } from "./machine-config-node.ts";
import { machineConfigPoolHealth } from "./machine-config-pool.ts";
import { virtualMachineInstanceMigrationHealth } from "./virtual-machine-instance-migration.ts";

const rules: ReadonlyMap<string, (object: KubeObject) => Health> = new Map([
  ["HyperConverged", hyperConvergedHealth],
  ["KubeDescheduler", kubeDeschedulerHealth],
  ["MachineConfigNode", machineConfigNodeHealth],
  ["MachineConfigPool", (object: KubeObject) => machineConfigPoolHealth(object)],
  ["VirtualMachineInstanceMigration", virtualMachineInstanceMigrationHealth],
]);

/** Undefined for a kind without a rule: nothing is waited for. */
export function healthOf(object: KubeObject): Health | undefined {
  return rules.get(object.kind)?.(object);
}
