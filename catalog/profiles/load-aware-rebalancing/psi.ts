// Has the workers' kernels measure pressure (PSI), by a kernel argument, or stops it.

import type { PlannedItem } from "@virt/advisor";
import { argumentInForce, desiredChanges } from "@virt/engine";
import { machineConfigRef, poolWarnings, workerConfig } from "../machine-config.ts";
import { type LoadAwareFacts, psiConfigName } from "./facts.ts";

const argument = "psi=1";
const desired = workerConfig(psiConfigName, { kernelArguments: [argument] });
const described = `MachineConfig '${psiConfigName}'`;
const target = machineConfigRef(psiConfigName);
const managedFields = ["spec.kernelArguments"];

/** Where PSI is on without us, nothing is applied: a second `psi=1` would reboot the pool for nothing. */
export function enablePsi(facts: LoadAwareFacts): PlannedItem {
  const isOn = isEffective(facts);
  const isSkipped = isOn && facts.psiConfig === undefined;
  const isInSync = facts.psiConfig !== undefined && desiredChanges(desired, facts.psiConfig).length === 0;
  return {
    name: "enable-psi-metrics",
    message:
      isSkipped || (isOn && isInSync)
        ? "PSI metrics already effective in MachineConfigPool 'worker'"
        : `${described} will be configured to enable PSI metrics`,
    operation: "Apply",
    target,
    desired,
    managedFields,
    warnings: isSkipped ? [] : poolWarnings(facts.pools, desired),
    impact: { create: "High", change: "High" },
    ...(isSkipped ? { isSkipped } : {}),
  };
}

export function disablePsi({ pools }: LoadAwareFacts): PlannedItem {
  return {
    name: "disable-psi-metrics",
    message: `${described} will be deleted to disable PSI metrics`,
    operation: "Delete",
    target,
    managedFields,
    warnings: poolWarnings(pools, desired),
    impact: "High",
  };
}

// In what the pool runs and in what it aims at; what cannot be read may say anything.
function isEffective({ workerKernel }: LoadAwareFacts): boolean {
  const isOn = (given: readonly string[] | undefined) => argumentInForce(given, "psi") === argument;
  return workerKernel.length > 0 && workerKernel.every(isOn);
}
