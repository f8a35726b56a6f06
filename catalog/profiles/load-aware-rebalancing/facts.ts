// The facts and settings of load-aware rebalancing, including defaults.

import { kernelArguments, lookup, type ProfileFacts, pools, target, vmNodes } from "@virt/advisor";
import { hco, type NodeRole, object, schema } from "@virt/cluster";
import { machineConfigRef } from "../machine-config.ts";
import type { Options } from "./options.ts";

export const deschedulerRef = {
  apiVersion: "operator.openshift.io/v1",
  kind: "KubeDescheduler",
  name: "cluster",
  namespace: "openshift-kube-descheduler-operator",
} as const;

/** The Route through which the descheduler operator reads metrics. */
export const prometheusRouteRef = {
  apiVersion: "route.openshift.io/v1",
  kind: "Route",
  name: "prometheus-k8s",
  namespace: "openshift-monitoring",
} as const;

/** The descheduler operator's namespace, which the platform Prometheus must monitor. */
export const monitoringRef = { apiVersion: "v1", kind: "Namespace", name: deschedulerRef.namespace } as const;

export const psiConfigName = (role: NodeRole): string => `99-${role}-psi-karg`;

export const reads = {
  hco: hco(),
  deschedulerSchema: schema("kubedeschedulers.operator.openshift.io", "v1"),
  descheduler: object(deschedulerRef),
  prometheusRoute: lookup(prometheusRouteRef),
  deschedulerNamespace: lookup(monitoringRef),
  psiConfig: object(machineConfigRef(psiConfigName("worker"))),
  masterPsiConfig: target(machineConfigRef(psiConfigName("master"))),
  workerKernel: kernelArguments("worker"),
  masterKernel: kernelArguments("master"),
  vmNodes: vmNodes(false),
  pools: pools(),
};

export type LoadAwareFacts = ProfileFacts<typeof reads>;

export const deviationThresholds = [
  "Low",
  "Medium",
  "High",
  "AsymmetricLow",
  "AsymmetricMedium",
  "AsymmetricHigh",
] as const;

export const defaults = {
  deschedulingIntervalSeconds: 60,
  mode: "Automatic",
  devDeviationThresholds: "AsymmetricLow",
} as const;

/** The options with defaults. Limits that are not set depend on the HyperConverged, and `enablePSIMetrics` on the descheduler. */
export type LoadAwareSettings = Options & Required<Pick<Options, keyof typeof defaults>>;

export function loadAwareSettings(given: Options | undefined): LoadAwareSettings {
  return { ...defaults, ...given };
}
