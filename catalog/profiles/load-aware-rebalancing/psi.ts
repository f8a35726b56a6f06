// Enables or disables PSI with a kernel argument, for each role of nodes that may run VMs.

import { type PlannedItem } from "@virt/advisor";
import type { KubeObject } from "@virt/api";
import { argumentInForce, type NodeRole, nodeRoles } from "@virt/cluster";
import { desiredChanges } from "@virt/objects";
import { itemNameFor, machineConfigFor, machineConfigRef } from "../machine-config.ts";
import type { Capability } from "./capability.ts";
import { type LoadAwareFacts, type LoadAwareSettings, psiConfigName } from "./facts.ts";

const argument = "psi=1";
export const psiConfig = { nameFor: psiConfigName, spec: { kernelArguments: [argument] } };
const managedFields = ["spec.kernelArguments"];

/** The change to PSI. `leave` means that PSI is not needed and that the advisor has not enabled it. */
export type PsiIntent = "enable" | "disable" | "leave";

/**
 * Returns the change to PSI: as set in the option, or by default, `enable` if the descheduler uses PSI. Also keeps PSI
 * if the advisor has enabled it earlier, because disabling it reboots nodes.
 */
export function psiIntentOf(
  { enablePSIMetrics }: LoadAwareSettings,
  { usesPsi }: Capability,
  { psiConfig: worker, masterPsiConfig: master }: LoadAwareFacts,
): PsiIntent {
  if (enablePSIMetrics !== undefined) return enablePSIMetrics ? "enable" : "disable";
  return usesPsi !== "never" || worker !== undefined || master !== undefined ? "enable" : "leave";
}

export function isPsiPending(facts: LoadAwareFacts): boolean {
  return facts.vmNodes.roles.some((role) => !isEffective(role, facts));
}

export function enablePsi(facts: LoadAwareFacts): readonly PlannedItem[] {
  return facts.vmNodes.roles.map((role) => enableFor(role, facts));
}

/** Plans PSI for a role. Skips pools in which PSI is already enabled, because a second `psi=1` would reboot them for nothing. */
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

/** Plans the removal of PSI from all roles, including those whose nodes have stopped running VMs. */
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

// Reports whether PSI is effective in both the current and the target config. A config that could not be read counts as
// not effective.
function isEffective(role: NodeRole, { workerKernel, masterKernel }: LoadAwareFacts): boolean {
  const kernel = role === "worker" ? workerKernel : masterKernel;
  const isOn = (given: readonly string[] | undefined) => argumentInForce(given, "psi") === argument;
  return kernel.length > 0 && kernel.every(isOn);
}
