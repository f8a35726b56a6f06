// What load-aware rebalancing looks at.

import { type Facts, hco, kernelArguments, object, pools, schema } from "@virt/advisor";
import { machineConfigRef } from "../machine-config.ts";

export const deschedulerRef = {
  apiVersion: "operator.openshift.io/v1",
  kind: "KubeDescheduler",
  name: "cluster",
  namespace: "openshift-kube-descheduler-operator",
} as const;

export const psiConfigName = "99-worker-psi-karg";

export const reads = {
  hco: hco(),
  deschedulerSchema: schema("kubedeschedulers.operator.openshift.io", "v1"),
  descheduler: object(deschedulerRef),
  psiConfig: object(machineConfigRef(psiConfigName)),
  workerKernel: kernelArguments("worker"),
  pools: pools(),
};

export type LoadAwareFacts = Facts<typeof reads>;
