import type { JsonMap, KubeObject } from "@virt/api";
import { roleLabel } from "@virt/cluster";

export function workerPool(spec: JsonMap = {}, machineCount = 3): KubeObject {
  return poolOf("worker", { machineConfigSelector: { matchLabels: { [roleLabel]: "worker" } }, ...spec }, machineCount);
}

/** A custom pool, which uses the MachineConfigs of the worker role and its own. */
export function infraPool(spec: JsonMap = {}, machineCount = 3): KubeObject {
  const roles = { key: roleLabel, operator: "In", values: ["worker", "infra"] };
  return poolOf("infra", { machineConfigSelector: { matchExpressions: [roles] }, ...spec }, machineCount);
}

function poolOf(name: string, spec: JsonMap, machineCount: number): KubeObject {
  return {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfigPool",
    metadata: { name },
    spec,
    status: { machineCount },
  };
}
