// Which MachineConfigPool a node belongs to: exactly one, or none.

import type { KubeObject } from "./cluster.ts";
import { at } from "./json.ts";
import { matchesSelector } from "./label-selector.ts";

/** A control plane node is master's, whatever else it is; a custom pool comes before worker; two custom pools are a mistake, and none gets the node. */
export function poolOfNode(labels: Readonly<Record<string, string>>, pools: readonly KubeObject[]): string | undefined {
  const names = pools
    .filter((pool) => matchesSelector(at(pool, "spec", "nodeSelector"), labels))
    .map(({ metadata }) => metadata.name);
  const custom = names.filter((name) => name !== "master" && name !== "worker");
  if (custom.length > 1) return undefined;
  if (names.includes("master")) return "master";
  return custom[0] ?? names.find((name) => name === "worker");
}
