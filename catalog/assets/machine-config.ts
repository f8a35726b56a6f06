// Shared by assets that change nodes: MachineConfigs, kernel arguments and the KubeletConfig.

import { contentForms, type JsonMap, type KubeObject, type ObjectForm } from "@virt/api";
import { argumentInForce, objects, type PoolFact, poolRuleParts, roleLabel } from "@virt/cluster";
import { writeDataUrl } from "@virt/objects";
import { type AssetCondition, type Nothing, nothing, pool, topology, topologyIs } from "@virt/platform";

const group = "machineconfiguration.openshift.io";
const apiVersion = `${group}/v1`;
const kind = "MachineConfig";
const operator = "Machine Config Operator";

/** Hosted clusters have no Machine Config Operator. */
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

/** Returns an uncompressed file. The encoding must stay the same, because a changed byte reboots a pool. */
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

/** Renders kernel arguments, unless they are already in effect: a duplicate would needlessly reboot the pool. */
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

/** Shared by all parts of the KubeletConfig. OpenShift honors only one KubeletConfig per pool. */
export const kubeletPart = {
  ...nodeChange,
  order: 10,
  target: { ...kubelet, crd: `kubeletconfigs.${group}`, operator },
  poolRule: "worker",
} as const;

/** The reads that reveal other KubeletConfigs of the pool. */
export const kubeletReads = {
  topology: topology(),
  kubeletConfigs: objects(kubelet.apiVersion, kubelet.kind, poolRuleParts),
  workerPool: pool("worker"),
};

const { constant, constantFields, fields, kept, oneOf, optional, required } = contentForms;

/** The allowed content of a part. A switched-off part is removed, and the pool selector never changes. */
export function kubeletForms(kubeletConfig: JsonMap, isAutoSized = false): readonly ObjectForm[] {
  const spec = fields({
    machineConfigPoolSelector: required(constant(workerSelector)),
    ...(isAutoSized && { autoSizingReserved: optional(oneOf(true)) }),
    kubeletConfig: kept(fields(constantFields(kubeletConfig, "optional"))),
  });
  return [{ apiVersion, spec }];
}

const workerSelector = { matchLabels: { [`pools.operator.${group}/worker`]: "" } };

/** Returns a part. Each part includes the pool selector, so that it works alone. */
export function renderKubelet(spec: JsonMap): KubeObject {
  const { name, ...type } = kubelet;
  return { ...type, metadata: { name }, spec: { machineConfigPoolSelector: workerSelector, ...spec } };
}
