// Has kernels measure pressure (PSI) where VMs may run, by a kernel argument for each role of nodes, or stops it.

import { type PlannedItem } from "@virt/advisor";
import type { KubeObject } from "@virt/api";
import { argumentInForce, desiredChanges } from "@virt/engine";
import { type NodeRole, nodeRoles } from "@virt/facts";
import { itemNameFor, machineConfigFor, machineConfigRef } from "../machine-config.ts";
import type { Capability } from "./capability.ts";
import { type LoadAwareFacts, type LoadAwareSettings, psiConfigName } from "./facts.ts";

const argument = "psi=1";
export const psiConfig = { nameFor: psiConfigName, spec: { kernelArguments: [argument] } };
const managedFields = ["spec.kernelArguments"];

/** `leave`: nothing uses PSI, and nothing of ours enables it. */
export type PsiIntent = "enable" | "disable" | "leave";

/** An option decides. Without one, PSI is enabled if the descheduler uses it, and stays if the advisor enabled it: its removal reboots nodes. */
export function psiIntentOf(
  { enablePSIMetrics }: LoadAwareSettings,
  { usesPsi }: Capability,
  { psiConfig: worker, masterPsiConfig: master }: LoadAwareFacts,
): PsiIntent {
  if (enablePSIMetrics !== undefined) return enablePSIMetrics ? "enable" : "disable";
  return usesPsi !== "never" || worker !== undefined || master !== undefined ? "enable" : "leave";
}

/** Reports whether some nodes do not have PSI yet. */
export function isPsiPending(facts: LoadAwareFacts): boolean {
  return facts.vmNodes.roles.some((role) => !isEffective(role, facts));
}

export function enablePsi(facts: LoadAwareFacts): readonly PlannedItem[] {
  return facts.vmNodes.roles.map((role) => enableFor(role, facts));
}

/** Where PSI is on without us, nothing is applied: a second `psi=1` would reboot the pool for nothing. */
function enableFor(role: NodeRole, facts: LoadAwareFacts): PlannedItem {
  const desired = machineConfigFor(psiConfig, role);
  const live = liveConfig(role, facts);
  const isOn = isEffective(role, facts);
  const isSkipped = isOn && live === undefined;
  const isInSync = live !== undefined && desiredChanges(desired, live).length === 0;
  const inForce = `PSI metrics already effective in MachineConfigPool '${role}'`;
  const isInForce = isSkipped || (isOn && isInSync);
  return {
    name: itemNameFor("enable-psi-metrics", role),
    message: isInForce ? inForce : `MachineConfig '${psiConfigName(role)}' will be configured to enable PSI metrics`,
    ...(isInForce && { messageInPlace: inForce }),
    operation: "Apply",
    target: machineConfigRef(psiConfigName(role)),
    desired,
    managedFields,
    warnings: [],
    impact: { create: "High", change: "High" },
    ...(isSkipped ? { isSkipped } : {}),
  };
}

/** Wherever ours are, whether or not VMs may run there now. */
export function disablePsi(): readonly PlannedItem[] {
  return nodeRoles.map((role) => ({
    name: itemNameFor("disable-psi-metrics", role),
    message: `MachineConfig '${psiConfigName(role)}' will be deleted to disable PSI metrics`,
    operation: "Delete",
    target: machineConfigRef(psiConfigName(role)),
    managedFields,
    warnings: [],
    impact: "High",
  }));
}

function liveConfig(role: NodeRole, facts: LoadAwareFacts): KubeObject | undefined {
  return role === "worker" ? facts.psiConfig : facts.masterPsiConfig;
}

// In what the pool runs and in what it aims at; what cannot be read may say anything.
function isEffective(role: NodeRole, { workerKernel, masterKernel }: LoadAwareFacts): boolean {
  const kernel = role === "worker" ? workerKernel : masterKernel;
  const isOn = (given: readonly string[] | undefined) => argumentInForce(given, "psi") === argument;
  return kernel.length > 0 && kernel.every(isOn);
}
