// MachineConfigPools: which one a node belongs to, and which KubeletConfig counts for one.

import type { Json, KubeObject } from "@virt/api";
import { asList, at, entriesOf, type InformerSpec, isMap, matchesSelector, member, oncePer } from "@virt/engine";

const poolApi = "machineconfiguration.openshift.io/v1";

/** All pools, with all that says how far a rollout is. */
export const poolInformer: InformerSpec = {
  apiVersion: poolApi,
  kind: "MachineConfigPool",
  projection: { keep: "parts", parts: [["metadata", "generation"], ["metadata", "labels"], ["spec"], ["status"]] },
};

/** One pool, with its labels and the configuration that it aims at. */
export function poolInformerOf(name: string): InformerSpec {
  const parts = [
    ["metadata", "labels"],
    ["spec", "configuration"],
  ];
  return { apiVersion: poolApi, kind: "MachineConfigPool", name, projection: { keep: "parts", parts } };
}

/** A pool with the kernel arguments of the configuration that it runs; undefined: they could not be read yet. */
export type PoolFact = {
  readonly labels: Readonly<Record<string, string>>;
  readonly kernelArguments: readonly string[] | undefined;
};

/**
 * A control plane node is master's, whatever else it is; a custom pool comes before worker; two custom pools are a mistake, and none
 * gets the node. An empty selector selects nothing here, and the operator leaves Windows nodes alone.
 */
export function poolOfNode(labels: Readonly<Record<string, string>>, pools: readonly KubeObject[]): string | undefined {
  if (labels["kubernetes.io/os"] === "windows") return undefined;
  const names = selectorsOf(pools).flatMap(({ name, selector }) => (matchesSelector(selector, labels) ? [name] : []));
  const custom = names.filter((name) => name !== "master" && name !== "worker");
  if (custom.length > 1) return undefined;
  if (names.includes("master")) return "master";
  return custom[0] ?? names.find((name) => name === "worker");
}

// Asked for hundreds of nodes of the same pools.
const selectorsOf = oncePer((pools: readonly KubeObject[]) =>
  pools.flatMap((pool) => {
    const selector = at(pool, "spec", "nodeSelector");
    return isEmptySelector(selector) ? [] : [{ name: pool.metadata.name, selector }];
  }),
);

function isEmptySelector(selector: Json | undefined): boolean {
  const wanted = member(selector, "matchLabels");
  const isUnlabelled = !isMap(wanted) || entriesOf(wanted).length === 0;
  return isUnlabelled && asList(member(selector, "matchExpressions")).length === 0;
}

type PoolConfigQuery = {
  readonly pool: string;
  /** Undefined: there is no such pool object, and the built-in labels count. */
  readonly fact: PoolFact | undefined;
  /** All objects of the kind, with `spec.machineConfigPoolSelector`. */
  readonly configs: readonly KubeObject[];
  /** The name of our own. */
  readonly own: string;
};

/** What is to be kept of the objects. */
export const poolRuleParts: readonly (readonly string[])[] = [["spec", "machineConfigPoolSelector"]];

/**
 * The name of a foreign object that selects the pool, the first by name; undefined: there is none. Of several
 * KubeletConfigs for one pool the Machine Config Operator uses the last, and says nothing.
 */
export function foreignPoolConfig({ pool, fact, configs, own }: PoolConfigQuery): string | undefined {
  const labels = fact?.labels ?? {
    [`pools.operator.machineconfiguration.openshift.io/${pool}`]: "",
    "machineconfiguration.openshift.io/mco-built-in": "",
  };
  return configs
    .filter((config) => matchesSelector(at(config, "spec", "machineConfigPoolSelector"), labels))
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== own)
    .toSorted()[0];
}
