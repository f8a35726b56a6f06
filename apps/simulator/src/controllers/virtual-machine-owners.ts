// virt-controller for VirtualMachines: makes a machine for each that is to run, ends that of one that is halted.

import { at, type KubeObject } from "@virt/engine";
import { readRunStrategy } from "@virt/impact";
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

// The first one of a scenario's machine is the scenario's, with the node where it begins.
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
