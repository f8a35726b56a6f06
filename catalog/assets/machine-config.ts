// What assets that change nodes through the Machine Config Operator share: MachineConfigs, kernel arguments and the one KubeletConfig.

import { contentForms, type JsonMap, type KubeObject, type ObjectForm } from "@virt/api";
import { argumentInForce, roleLabel, writeDataUrl } from "@virt/engine";
import { type PoolFact, poolRuleParts } from "@virt/facts";
import { type AssetCondition, type Nothing, nothing, objects, pool, topology, topologyIs } from "@virt/platform";

const group = "machineconfiguration.openshift.io";
const apiVersion = `${group}/v1`;
const kind = "MachineConfig";
const operator = "Machine Config Operator";

/** Hosted clusters have no Machine Config Operator of their own. */
export const withMachineConfigs: readonly AssetCondition[] = [topologyIs("isOpenShift"), topologyIs("isHCP", "false")];

/** What every asset that changes nodes declares. */
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

/** In the one form that ours have: plain, never compressed, because a changed byte reboots a pool. */
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

/** A second copy of arguments that are in force would reboot the pool for nothing. */
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

/** What every part of our KubeletConfig declares. Several assets share it: OpenShift honours only one for each pool. */
export const kubeletPart = {
  ...nodeChange,
  order: 10,
  target: { ...kubelet, crd: `kubeletconfigs.${group}`, operator },
  poolRule: "worker",
} as const;

/** Others' KubeletConfigs and the pool's labels say whether ours has a place. */
export const kubeletReads = {
  topology: topology(),
  kubeletConfigs: objects(kubelet.apiVersion, kubelet.kind, poolRuleParts),
  workerPool: pool("worker"),
};

const { constant, constantFields, fields, kept, oneOf, optional, required } = contentForms;

/** A part goes when it is switched off; the pool that is selected never changes. */
export function kubeletForms(kubeletConfig: JsonMap, isAutoSized = false): readonly ObjectForm[] {
  const spec = fields({
    machineConfigPoolSelector: required(constant(workerSelector)),
    ...(isAutoSized && { autoSizingReserved: optional(oneOf(true)) }),
    kubeletConfig: kept(fields(constantFields(kubeletConfig, "optional"))),
  });
  return [{ apiVersion, spec }];
}

const workerSelector = { matchLabels: { [`pools.operator.${group}/worker`]: "" } };

/** Each part selects the pool by itself, so that any of them makes sense alone. */
export function renderKubelet(spec: JsonMap): KubeObject {
  const { name, ...type } = kubelet;
  return { ...type, metadata: { name }, spec: { machineConfigPoolSelector: workerSelector, ...spec } };
}
