// What load-aware rebalancing goes by: what it reads, and what its options come to, defaults included.

import { kernelArguments, type ProfileFacts, pools, target, vmNodes } from "@virt/advisor";
import { hco, type NodeRole, object, schema } from "@virt/facts";
import { machineConfigRef } from "../machine-config.ts";
import type { Options } from "./options.ts";

export const deschedulerRef = {
  apiVersion: "operator.openshift.io/v1",
  kind: "KubeDescheduler",
  name: "cluster",
  namespace: "openshift-kube-descheduler-operator",
} as const;

export const psiConfigName = (role: NodeRole): string => `99-${role}-psi-karg`;

export const reads = {
  hco: hco(),
  deschedulerSchema: schema("kubedeschedulers.operator.openshift.io", "v1"),
  descheduler: object(deschedulerRef),
  psiConfig: object(machineConfigRef(psiConfigName("worker"))),
  masterPsiConfig: target(machineConfigRef(psiConfigName("master"))),
  workerKernel: kernelArguments("worker"),
  masterKernel: kernelArguments("master"),
  vmNodes: vmNodes(false),
  pools: pools(),
};

export type LoadAwareFacts = ProfileFacts<typeof reads>;

/** Where the user says nothing. */
export const defaults = {
  deschedulingIntervalSeconds: 60,
  mode: "Automatic",
  enablePSIMetrics: true,
  devDeviationThresholds: "AsymmetricLow",
} as const;

/** The limits have no default: without one they follow the HyperConverged. */
export type LoadAwareSettings = Options & Required<Pick<Options, keyof typeof defaults>>;

export function loadAwareSettings(given: Options | undefined): LoadAwareSettings {
  return { ...defaults, ...given };
}
