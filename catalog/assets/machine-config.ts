// Shared by assets that change nodes: MachineConfigs, kernel arguments and the KubeletConfig.

import { contentForms, type JsonMap, type KubeObject, type ObjectForm } from "@virt/api";
import { argumentInForce, objects, type PoolFact, poolRuleParts, roleLabel } from "@virt/cluster";
import { writeDataUrl } from "@virt/objects";
import { type AssetCondition, type Nothing, nothing, pool, topology, topologyIs } from "@virt/platform";

const group = "machineconfiguration.openshift.io";
const apiVersion = `${group}/v1`;
const kind = "MachineConfig";
const operator = "Machine Config Operator";

/** Requires a Machine Config Operator, which hosted clusters do not have. */
export const withMachineConfigs: readonly AssetCondition[] = [topologyIs("isOpenShift"), topologyIs("isHCP", "false")];

export const nodeChange = {
  needs: [],
  dependency: "platform",
  adoption: "whole",
  impact: "reboot",
} as const;

export function assetMachineConfigTarget(name: string) {
  return { apiVersion, kind, name, crd: `machineconfigs.${group}`, operator } as const;
}

export function machineConfigAsset(name: string, role: "worker" | "master", spec: JsonMap): KubeObject {
  return { apiVersion, kind, metadata: { name, labels: { [roleLabel]: role } }, spec };
}

/** Returns an uncompressed Ignition file. The encoding must never change, because any changed byte reboots a pool. */
export function ignitionFile(path: string, text: string): JsonMap {
  return { path, mode: 0o644, overwrite: true, contents: { source: writeDataUrl(text) } };
}

export const ignition = { version: "3.2.0" };

export type KernelArguments = {
  readonly name: string;
  readonly role: "worker" | "master";
  readonly kernelArguments: readonly string[];
};

type KernelArgumentInputs = { readonly own: KubeObject | undefined; readonly pool: PoolFact | undefined };

export function configureKernel({ name, role, kernelArguments }: KernelArguments): KubeObject {
  return machineConfigAsset(name, role, { kernelArguments });
}

/** Renders kernel arguments, unless they are already in effect. Adding them again would reboot the pool for nothing. */
export function renderKernelArguments(
  { name, role, kernelArguments }: KernelArguments,
  { own, pool }: KernelArgumentInputs,
): KubeObject | Nothing {
  const desired = configureKernel({ name, role, kernelArguments });
  if (own !== undefined || pool === undefined) return desired;
  const effective = pool.kernelArguments;
  if (effective === undefined) return nothing(`the kernel arguments of pool ${role} are not known yet`);
  const isInForce = (argument: string) => argumentInForce(effective, argument.split("=", 1)[0] ?? "") === argument;
  return kernelArguments.every(isInForce) ? nothing("AlreadyEffective") : desired;
}

const kubelet = { apiVersion, kind: "KubeletConfig", name: "virt-perf-settings" } as const;

/** Common settings of all assets that write the KubeletConfig. They share one, because OpenShift honors only one per pool. */
export const kubeletPart = {
  purpose: "kubelet-settings",
  ...nodeChange,
  order: 10,
  target: { ...kubelet, crd: `kubeletconfigs.${group}`, operator },
  poolRule: "worker",
} as const;

/** The reads that are needed to find other KubeletConfigs for the pool. */
export const kubeletReads = {
  topology: topology(),
  kubeletConfigs: objects(kubelet.apiVersion, kubelet.kind, poolRuleParts),
  workerPool: pool("worker"),
};

const { constant, constantFields, fields, kept, oneOf, optional, required } = contentForms;

/**
 * Returns the allowed content of an asset's part. A part is removed if its asset is disabled. The pool selector never
 * changes.
 */
export function kubeletForms(kubeletConfig: JsonMap, isAutoSized = false): readonly ObjectForm[] {
  const spec = fields({
    machineConfigPoolSelector: required(constant(workerSelector)),
    ...(isAutoSized && { autoSizingReserved: optional(oneOf(true)) }),
    kubeletConfig: kept(fields(constantFields(kubeletConfig, "optional"))),
  });
  return [{ apiVersion, spec }];
}

const workerSelector = { matchLabels: { [`pools.operator.${group}/worker`]: "" } };

/** Renders an asset's part of the KubeletConfig. Each part includes the pool selector, so that it is valid on its own. */
export function renderKubelet(spec: JsonMap): KubeObject {
  const { name, ...type } = kubelet;
  return { ...type, metadata: { name }, spec: { machineConfigPoolSelector: workerSelector, ...spec } };
}
