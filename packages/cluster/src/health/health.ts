import { asText, at, type KubeObject } from "@virt/objects";
import { type Health, operatorHealth } from "./conditions.ts";
import { machineConfigNodeHealth, machineConfigPoolHealth } from "./machine-config-pool.ts";

const rules: ReadonlyMap<string, (object: KubeObject) => Health> = new Map([
  ["HyperConverged", hyperConvergedHealth],
  ["KubeDescheduler", kubeDeschedulerHealth],
  ["MachineConfigNode", machineConfigNodeHealth],
  ["MachineConfigPool", (object: KubeObject) => machineConfigPoolHealth(object)],
  ["VirtualMachineInstanceMigration", virtualMachineInstanceMigrationHealth],
]);

/** Returns the health of an object, or undefined if there is no rule for its kind. */
export function healthOf(object: KubeObject): Health | undefined {
  return rules.get(object.kind)?.(object);
}

function hyperConvergedHealth(object: KubeObject): Health {
  return operatorHealth(object, "unavailable");
}

/** Returns the health. Older descheduler operators do not report Available. */
function kubeDeschedulerHealth(object: KubeObject): Health {
  return operatorHealth(object, "available");
}

function virtualMachineInstanceMigrationHealth(object: KubeObject): Health {
  const machine = asText(at(object, "spec", "vmiName")) ?? "?";
  const phase = asText(at(object, "status", "phase")) ?? "";
  const name = `Migration '${object.metadata.name}' of '${machine}'`;
  if (phase === "Succeeded") return { state: "done", message: `${name} succeeded` };
  if (phase === "Failed") return { state: "failed", message: `${name} failed` };
  return { state: "waiting", message: phase === "" ? `${name} has not started` : `${name} is ${phase}` };
}
