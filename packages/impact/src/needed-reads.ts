// What an assessment asks for beside lists, object by object: pods of the nodes that drain, owners of VMs that end, configurations.

import { asText, at } from "@virt/engine";
import { poolOfNode } from "@virt/facts";
import { type ImpactFacts, settingsInForce } from "./assess-impact.ts";
import { assessedOr } from "./assessed.ts";
import { inNameOrder } from "./capacity.ts";
import { drainedNodes } from "./drained-vms.ts";
import { assessPools } from "./pool-rollouts.ts";
import { readClusterShape } from "./virt-settings.ts";
import { outcomeOf } from "./vm-outcomes.ts";
import type { VmFact } from "./vms.ts";

/** Of more nodes pods are not listed. */
const mostNodes = 60;

/** What is to be read one by one, in the order in which it is of use. */
export type NeededReads = {
  /** Nodes whose pods are to be listed, the first that drain. */
  readonly nodes: readonly string[];
  /** VirtualMachines whose run strategy says whether their VMs come back. */
  readonly owners: readonly { readonly namespace: string; readonly name: string }[];
  /** Rendered configurations that nodes run while others wait for them, and those that they wait for. */
  readonly configs: readonly string[];
};

/** What these facts lack. Nothing where no nodes are known. */
export function neededReads(facts: ImpactFacts): NeededReads {
  if (!facts.nodes.isAssessed) return { nodes: [], owners: [], configs: [] };
  const nodes = facts.nodes.value;
  const drained = assessPools({ ...facts, nodes }).flatMap(drainedNodes);
  const ending = Map.groupBy(endingVms(facts), ({ node }) => node);
  const owners = drained
    .flatMap((node) => (ending.get(node) ?? []).toSorted(inNameOrder))
    .flatMap(({ namespace, controller }) =>
      controller?.kind === "VirtualMachine" ? [{ namespace, name: controller.name }] : [],
    );
  return { nodes: drained.slice(0, mostNodes), owners, configs: queuedConfigs(facts) };
}

// Whether one that migrates has a target makes no difference: it does not end.
function endingVms(facts: ImpactFacts): readonly VmFact[] {
  const outcomes = {
    settings: settingsInForce(facts),
    isSingleReplica: assessedOr(facts.shape, readClusterShape(undefined)).isSingleReplica,
    runStrategyOf: () => undefined,
    hasTarget: () => true,
  };
  return assessedOr(facts.vms, []).filter((vm) => outcomeOf(vm, outcomes)?.outcome === "stop");
}

function queuedConfigs({ nodes, pools, disruption }: ImpactFacts): readonly string[] {
  const targets = new Map(
    pools.map((pool) => [pool.metadata.name, asText(at(pool, "spec", "configuration", "name")) ?? ""]),
  );
  const affected = new Set(disruption.map(({ pool }) => pool));
  const names = assessedOr(nodes, []).flatMap(({ labels, currentConfig }) => {
    const pool = poolOfNode(labels, pools) ?? "";
    const target = targets.get(pool) ?? "";
    const isQueued = affected.has(pool) && currentConfig !== "" && target !== "" && currentConfig !== target;
    return isQueued ? [currentConfig, target] : [];
  });
  return [...new Set(names)];
}
