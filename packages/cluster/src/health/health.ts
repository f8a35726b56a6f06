import { asText, at, type KubeObject } from "@virt/objects";
import { conditionsOf, findTrue, type Health, operatorHealth } from "./conditions.ts";
import { machineConfigNodeHealth, machineConfigPoolHealth } from "./machine-config-pool.ts";

const rules: ReadonlyMap<string, (object: KubeObject) => Health> = new Map([
  ["HyperConverged", hyperConvergedHealth],
  ["KubeDescheduler", kubeDeschedulerHealth],
  ["MachineConfigNode", machineConfigNodeHealth],
  ["MachineConfigPool", (object: KubeObject) => machineConfigPoolHealth(object)],
  ["NodeHealthCheck", nodeHealthCheckHealth],
  ["VirtualMachineInstanceMigration", virtualMachineInstanceMigrationHealth],
]);

/** Returns undefined for a kind without a rule. */
export function healthOf(object: KubeObject): Health | undefined {
  return rules.get(object.kind)?.(object);
}

function hyperConvergedHealth(object: KubeObject): Health {
  return operatorHealth(object, "unavailable");
}

/** Older descheduler operators do not report Available. */
function kubeDeschedulerHealth(object: KubeObject): Health {
  return operatorHealth(object, "available");
}

/** The Node Health Check Operator disables a check that it cannot execute, and then remediates no node. */
function nodeHealthCheckHealth(object: KubeObject): Health {
  const name = `${object.kind} '${object.metadata.name}'`;
  const conditions = conditionsOf(object);
  const disabled = findTrue(conditions, "Disabled");
  if (disabled !== undefined)
    return { state: "degraded", message: `${name} is disabled: ${disabled.reason}: ${disabled.message}` };
  if (conditions.length === 0) return { state: "waiting", message: `${name} has no status yet` };
  return { state: "done", message: `${name} is enabled` };
}

function virtualMachineInstanceMigrationHealth(object: KubeObject): Health {
  const machine = asText(at(object, "spec", "vmiName")) ?? "?";
  const phase = asText(at(object, "status", "phase")) ?? "";
  const name = `Migration '${object.metadata.name}' of '${machine}'`;
  if (phase === "Succeeded") return { state: "done", message: `${name} succeeded` };
  if (phase === "Failed") return { state: "failed", message: `${name} failed` };
  return { state: "waiting", message: phase === "" ? `${name} has not begun` : `${name} is ${phase}` };
}
