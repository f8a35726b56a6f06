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

/** `leave`: PSI is neither needed nor enabled by the advisor. */
export type PsiIntent = "enable" | "disable" | "leave";

/**
 * Returns the option. By default, enables PSI if the descheduler uses it, and keeps PSI that the advisor enabled,
 * because removal reboots nodes.
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

/** Skips pools with PSI from another source: a second `psi=1` would needlessly reboot them. */
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

/** Removes PSI from all roles, even if they no longer run VMs. */
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

// Checks the current and the target config. An unread config does not count as effective.
function isEffective(role: NodeRole, { workerKernel, masterKernel }: LoadAwareFacts): boolean {
  const kernel = role === "worker" ? workerKernel : masterKernel;
  const isOn = (given: readonly string[] | undefined) => argumentInForce(given, "psi") === argument;
  return kernel.length > 0 && kernel.every(isOn);
}
