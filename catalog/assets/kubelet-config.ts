// The one KubeletConfig of ours, which several assets share: OpenShift honours only one for each pool.

import type { JsonMap, KubeObject } from "@virt/api";
import { objects, pool, poolRuleParts, topology } from "@virt/platform";
import { nodeChange } from "./machine-config.ts";

const group = "machineconfiguration.openshift.io";
const apiVersion = `${group}/v1`;
const kind = "KubeletConfig";
const name = "virt-perf-settings";

/** What every part of it declares. */
export const kubeletPart = {
  ...nodeChange,
  order: 10,
  target: { apiVersion, kind, name, crd: `kubeletconfigs.${group}` },
  poolRule: "worker",
} as const;

/** Others' KubeletConfigs and the pool's labels say whether ours has a place. */
export const kubeletReads = {
  topology: topology(),
  kubeletConfigs: objects(apiVersion, kind, poolRuleParts),
  workerPool: pool("worker"),
};

/** Each part selects the pool by itself, so that any of them makes sense alone. */
export function renderKubelet(spec: JsonMap): KubeObject {
  const machineConfigPoolSelector = { matchLabels: { [`pools.operator.${group}/worker`]: "" } };
  return { apiVersion, kind, metadata: { name }, spec: { machineConfigPoolSelector, ...spec } };
}
