// Assigns nodes to MachineConfigPools, and finds conflicting KubeletConfigs.

import type { Json, KubeObject } from "@virt/api";
import { asList, entriesOf, isMap, matchesSelector, member, oncePer } from "@virt/objects";
import { readKubeletConfig } from "./kinds/kubelet-config.ts";
import { readMachineConfigPool } from "./kinds/machine-config-pool.ts";

/** A pool. `kernelArguments` are those in its current config, and undefined until they are read. */
export type PoolFact = {
  readonly labels: Readonly<Record<string, string>>;
  readonly kernelArguments: readonly string[] | undefined;
};

/**
 * Returns the pool of a node by the rules of the Machine Config Operator: master first, then a custom pool, then
 * worker. Returns undefined for Windows nodes and for nodes that match several custom pools.
 */
export function poolOfNode(labels: Readonly<Record<string, string>>, pools: readonly KubeObject[]): string | undefined {
  if (labels["kubernetes.io/os"] === "windows") return undefined;
  const names = selectorsOf(pools).flatMap(({ name, selector }) => (matchesSelector(selector, labels) ? [name] : []));
  const custom = names.filter((name) => name !== "master" && name !== "worker");
  if (custom.length > 1) return undefined;
  if (names.includes("master")) return "master";
  return custom[0] ?? names.find((name) => name === "worker");
}

// Memoized, because callers look up hundreds of nodes with the same pools.
const selectorsOf = oncePer((pools: readonly KubeObject[]) =>
  pools.flatMap((pool) => {
    const selector = readMachineConfigPool(pool).nodeSelector;
    return isEmptySelector(selector) ? [] : [{ name: pool.metadata.name, selector }];
  }),
);

/**
 * Reports whether a selector is empty. In Kubernetes, an empty selector selects everything, but in a pool, it selects
 * nothing.
 */
export function isEmptySelector(selector: Json | undefined): boolean {
  const wanted = member(selector, "matchLabels");
  const isUnlabelled = !isMap(wanted) || entriesOf(wanted).length === 0;
  return isUnlabelled && asList(member(selector, "matchExpressions")).length === 0;
}

type PoolConfigQuery = {
  readonly pool: string;
  /** The pool. Undefined if it does not exist, in which case its default labels are assumed. */
  readonly fact: PoolFact | undefined;
  /** All KubeletConfigs, with `spec.machineConfigPoolSelector`. */
  readonly configs: readonly KubeObject[];
  /** The name of our own object, which does not count as foreign. */
  readonly own: string;
};

/** The MachineConfigPool fields that `foreignPoolConfig` reads. */
export const poolRuleParts: readonly (readonly string[])[] = [["spec", "machineConfigPoolSelector"]];

/**
 * Returns the first KubeletConfig of another client that selects the pool. If several select it, the operator silently
 * uses only the last one.
 */
export function foreignPoolConfig({ pool, fact, configs, own }: PoolConfigQuery): string | undefined {
  const labels = fact?.labels ?? {
    [`pools.operator.machineconfiguration.openshift.io/${pool}`]: "",
    "machineconfiguration.openshift.io/mco-built-in": "",
  };
  return configs
    .filter((config) => matchesSelector(readKubeletConfig(config).poolSelector, labels))
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== own)
    .toSorted()[0];
}
