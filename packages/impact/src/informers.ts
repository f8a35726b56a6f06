import {
  budgetInformer,
  hcoInformers,
  impactNodeInformer,
  kubeletConfigInformer,
  kubeVirtInformer,
  machineConfigNodeInformer,
  migrationInformer,
  poolInformer,
  vmInformer,
} from "@virt/cluster";
import type { InformerSpec } from "@virt/objects";
import { disruptionPolicyInformer } from "./disruption-class.ts";

/** The informers that an assessment of the impact reads. */
export const impactInformers: readonly InformerSpec[] = [
  poolInformer,
  impactNodeInformer,
  disruptionPolicyInformer,
  kubeVirtInformer,
  vmInformer,
  budgetInformer,
  kubeletConfigInformer,
];

const health: InformerSpec["projection"] = {
  keep: "members",
  members: [
    ["metadata", "name"],
    ["metadata", "namespace"],
    ["status", "conditions"],
  ],
};

/** The KubeDescheduler `cluster`, with its health only. */
export const deschedulerHealthInformer: InformerSpec = {
  apiVersion: "operator.openshift.io/v1",
  kind: "KubeDescheduler",
  name: "cluster",
  projection: health,
};

/** One informer per API version. The older one runs only if the newer one is not served. */
export const hcoHealthInformers: readonly InformerSpec[] = hcoInformers("", health);

/** The informers that a diagnosis of a rollout reads. Includes those of the impact. */
export const rolloutInformers: readonly InformerSpec[] = [
  ...impactInformers,
  machineConfigNodeInformer,
  migrationInformer,
  deschedulerHealthInformer,
  ...hcoHealthInformers,
];
