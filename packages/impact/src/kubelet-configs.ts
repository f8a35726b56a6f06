// Finds rejected KubeletConfigs. While one selects a pool, the Machine Config Operator does not render the pool.

import type { KubeObject } from "@virt/api";
import { keepConditions } from "@virt/cluster";
import { asList, asText, at, type InformerSpec, isMap, matchesSelector, member } from "@virt/objects";

/** All KubeletConfigs, with the conditions that `refusedKubeletConfigs` needs. */
export const kubeletConfigInformer: InformerSpec = {
  apiVersion: "machineconfiguration.openshift.io/v1",
  kind: "KubeletConfig",
  projection: {
    keep: "members",
    members: [
      ["metadata", "name"],
      ["spec", "machineConfigPoolSelector"],
      ...keepConditions(["Accepted", "Failure", "Success"], ["type", "status", "message"]),
    ],
  },
};

export type RefusedKubeletConfig = { readonly name: string; readonly text: string };

/**
 * The pool does not become RenderDegraded. See `AreMCGeneratingSubControllersCompletedForPool` in
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
  const selector = at(config, "spec", "machineConfigPoolSelector");
  return isMap(selector) && matchesSelector(selector, pool.metadata.labels ?? {});
}

// Newer releases list recent attempts as Accepted conditions. Older ones append a result for each. The newest is last.
function refusalOf(config: KubeObject): string | undefined {
  const conditions = asList(at(config, "status", "conditions"));
  const text = (condition: (typeof conditions)[number], key: string) => asText(member(condition, key)) ?? "";
  const accepted = conditions.findLast((condition) => member(condition, "type") === "Accepted");
  if (accepted !== undefined) return text(accepted, "status") === "False" ? text(accepted, "message") : undefined;
  const last = conditions.at(-1);
  return last !== undefined && text(last, "type") === "Failure" ? text(last, "message") : undefined;
}
