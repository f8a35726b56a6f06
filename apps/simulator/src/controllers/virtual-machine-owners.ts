// Simulates virt-controller for VirtualMachines: creates missing VMIs and deletes those of halted VMs.

import { readRunStrategy } from "@virt/cluster";
import { at, type KubeObject } from "@virt/objects";
import { type ClusterState, faultOf, findNamespaced } from "../cluster-state.ts";
import { isFinishedMachine, namespacedName } from "../evictions.ts";
import type { ObjectWrite } from "../object-writes.ts";
import { instanceOf } from "../objects/machines.ts";
import { scenarioObjectKey } from "./scenario-objects.ts";

const manager = "virt-controller";

export function reconcileVirtualMachines(cluster: ClusterState): readonly ObjectWrite[] {
  return cluster.list("VirtualMachine").flatMap((owner) => {
    const machine = findNamespaced(cluster, "VirtualMachineInstance", namespacedName(owner));
    return machine === undefined ? startOwned(cluster, owner) : endOwned(owner, machine);
  });
}

function startOwned({ createdKeys }: ClusterState, owner: KubeObject): readonly ObjectWrite[] {
  const object = instanceOf(owner);
  const isFirst = !createdKeys.has(scenarioObjectKey(object)) && createdKeys.has(scenarioObjectKey(owner));
  return isFirst || readRunStrategy(owner) !== "Always" ? [] : [{ kind: "create", object, manager }];
}

function endOwned(owner: KubeObject, machine: KubeObject): readonly ObjectWrite[] {
  if (at(machine, "metadata", "deletionTimestamp") !== undefined) return [];
  const strategy = readRunStrategy(owner);
  const isHalted = strategy === "Halted" || at(owner, "spec", "running") === false;
  const isOver = isFinishedMachine(machine) && strategy === "Always" && faultOf(machine, "stays") === undefined;
  if (isHalted && !isFinishedMachine(machine))
    return [{ kind: "delete", object: machine, manager, event: `vm ${namespacedName(machine)} is stopped` }];
  return isOver ? [{ kind: "delete", object: machine, manager }] : [];
}
