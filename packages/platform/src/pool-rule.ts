// Of several KubeletConfigs for one pool only the last counts, without a word: ours yields to one that is there.

import type { KubeObject } from "@virt/api";
import { at, matchesSelector } from "@virt/engine";
import type { PoolFact } from "./reads.ts";

type Question = {
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

/** The name of a foreign object that selects the pool, the first by name; undefined: there is none. */
export function foreignPoolConfig({ pool, fact, configs, own }: Question): string | undefined {
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
