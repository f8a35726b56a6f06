// Finds rejected KubeletConfigs. While one selects a pool, the Machine Config Operator does not render the pool.

import type { KubeObject } from "@virt/api";
import { readKubeletConfig } from "@virt/cluster";
import { isMap, matchesSelector } from "@virt/objects";

export type RefusedKubeletConfig = { readonly name: string; readonly text: string };

/**
 * Returns rejected KubeletConfigs. They have to be looked up, because the pool does not become RenderDegraded. See
 * `AreMCGeneratingSubControllersCompletedForPool` in
 * pkg/apihelpers/apihelpers.go of openshift/machine-config-operator at 7ff337a.
 */
export function refusedKubeletConfigs(
  pool: KubeObject,
  kubeletConfigs: readonly KubeObject[],
): readonly RefusedKubeletConfig[] {
  return kubeletConfigs
    .filter((config) => selects(config, pool))
    .flatMap((config) => {
      const text = refusalOf(config);
      const { name } = config.metadata;
      return text === undefined ? [] : [{ name, text }];
    });
}

function selects(config: KubeObject, pool: KubeObject): boolean {
  const { poolSelector } = readKubeletConfig(config);
  return isMap(poolSelector) && matchesSelector(poolSelector, pool.metadata.labels ?? {});
}

// Newer releases list recent attempts as Accepted conditions, and older ones append one result per attempt. The newest
// is last.
function refusalOf(config: KubeObject): string | undefined {
  const { conditions } = readKubeletConfig(config);
  const accepted = conditions.findLast(({ type }) => type === "Accepted");
  if (accepted !== undefined) return accepted.status === "False" ? accepted.message : undefined;
  const last = conditions.at(-1);
  return last?.type === "Failure" ? last.message : undefined;
}
