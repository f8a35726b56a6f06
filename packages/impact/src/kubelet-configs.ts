// Refused KubeletConfigs: while one selects a pool, the Machine Config Operator renders nothing for the pool.

import type { KubeObject } from "@virt/api";
import { asList, asText, at, isMap, matchesSelector, member } from "@virt/engine";

/** A KubeletConfig that the operator refuses, and its words. */
export type RefusedKubeletConfig = { readonly name: string; readonly text: string };

/**
 * Returns the refused KubeletConfigs that select the pool. The pool does not become RenderDegraded: checked against
 * `AreMCGeneratingSubControllersCompletedForPool` in pkg/apihelpers/apihelpers.go of openshift/machine-config-operator at 7ff337a.
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

// Releases list the last few tries, each accepted or not, or append the result of each: the newest is the last.
function refusalOf(config: KubeObject): string | undefined {
  const conditions = asList(at(config, "status", "conditions"));
  const text = (condition: (typeof conditions)[number], key: string) => asText(member(condition, key)) ?? "";
  const accepted = conditions.findLast((condition) => member(condition, "type") === "Accepted");
  if (accepted !== undefined) return text(accepted, "status") === "False" ? text(accepted, "message") : undefined;
  const last = conditions.at(-1);
  return last !== undefined && text(last, "type") === "Failure" ? text(last, "message") : undefined;
}
