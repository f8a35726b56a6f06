// Shared by profiles that write MachineConfigs.

import { type CrdRequirement, type OptionsRefusal, type ProfileTarget } from "@virt/advisor";
import type { JsonMap, KubeObject, Ref } from "@virt/api";
import { type NodeRole, nodeRoles, roleLabel } from "@virt/cluster";

const group = "machineconfiguration.openshift.io";
const kind = "MachineConfig";
const apiVersion = `${group}/v1`;

/** A MachineConfig for each role. They differ only in name and role. */
export type NodeConfig = { readonly nameFor: (role: NodeRole) => string; readonly spec: JsonMap };

export function machineConfigFor({ nameFor, spec }: NodeConfig, role: NodeRole): KubeObject {
  return { apiVersion, kind, metadata: { labels: { [roleLabel]: role }, name: nameFor(role) }, spec };
}

export function itemNameFor(name: string, role: NodeRole): string {
  return role === "worker" ? name : `${name}-${role}`;
}

export function machineConfigRef(name: string): Ref {
  return { apiVersion, kind, name };
}

/** Returns the profile's target: the MachineConfig is applied, or deleted if its option is off. */
export function machineConfigTarget(config: NodeConfig): ProfileTarget {
  const names = nodeRoles.map(config.nameFor);
  const content = nodeRoles.map((role) => ({ object: machineConfigFor(config, role) }));
  return { group, kind, plural: "machineconfigs", names, isDeleted: true, content };
}

export function machineConfigNeed(remedy: string): CrdRequirement {
  return { kind, group, versions: ["v1"], shown: `${group}.v1`, remedy };
}

/** Refuses a MachineConfig that no node would apply. Its rollout would otherwise count as complete immediately. */
export function refuseWithoutNodes(
  { nameFor }: Pick<NodeConfig, "nameFor">,
  roles: readonly NodeRole[],
): OptionsRefusal | undefined {
  if (roles.length > 0) return undefined;
  const message = `No node would apply MachineConfig '${nameFor("worker")}': MachineConfigPool 'worker' has no machines, and no control plane node may run VMs.`;
  const next = "add workers, or allow VMs on the control plane. The plan is then drafted automatically.";
  return { kind: "unfit", message, next };
}
