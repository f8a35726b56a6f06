// What assets that write a MachineConfig share.

import type { JsonMap, KubeObject } from "@virt/api";
import { roleLabel, writeDataUrl } from "@virt/engine";
import { type Condition, topologyIs } from "@virt/platform";

const group = "machineconfiguration.openshift.io";
const apiVersion = `${group}/v1`;
const kind = "MachineConfig";

/** Hosted clusters have no Machine Config Operator of their own. */
export const withMachineConfigs: readonly Condition[] = [topologyIs("isOpenShift"), topologyIs("isHCP", "false")];

/** What every asset that changes nodes declares. */
export const nodeChange = {
  needs: [],
  dependency: "platform",
  adoption: "whole",
  impact: "reboot",
} as const;

export function machineConfigTarget(name: string) {
  return { apiVersion, kind, name, crd: `machineconfigs.${group}` } as const;
}

export function machineConfig(name: string, role: "worker" | "master", spec: JsonMap): KubeObject {
  return { apiVersion, kind, metadata: { name, labels: { [roleLabel]: role } }, spec };
}

/** In the one form that ours have: plain, never compressed, because a changed byte reboots a pool. */
export function ignitionFile(path: string, text: string): JsonMap {
  return { path, mode: 0o644, overwrite: true, contents: { source: writeDataUrl(text) } };
}

export const ignition = { version: "3.2.0" };
