// Plays the descheduler operator: status while it is in charge, and now and then a move if the scenario wants that.

import { asNumber, at, type KubeObject } from "@virt/engine";
import type { Agenda } from "../agenda.ts";
import { type Condition, withTimes } from "../conditions.ts";
import { hindrance, isOver, machinesOn, nodeOf } from "../evictions.ts";
import { isOpen, memoryOf, nodeNamed } from "../placement.ts";
import type { Wish } from "../wish.ts";
import { lasting, type World } from "../world.ts";
import { request } from "./evacuations.ts";
import { isFinal } from "./migrations.ts";

const manager = "cluster-kube-descheduler-operator";

export function descheduler(world: World, agenda: Agenda): readonly Wish[] {
  const object = world.of("KubeDescheduler").find(({ metadata }) => metadata.name === "cluster");
  if (object === undefined || at(object, "spec", "managementState") !== "Managed") return [];
  return [...report(world, agenda, object), ...rebalance(world, agenda, object)];
}

const healthy: readonly Condition[] = [
  { type: "TargetConfigControllerDegraded", status: "False", reason: "AsExpected", message: "" },
  { type: "Available", status: "True", reason: "AsExpected", message: "" },
];

function report(world: World, agenda: Agenda, object: KubeObject): readonly Wish[] {
  const generation = object.metadata.generation ?? 1;
  const isKnown = asNumber(at(object, "status", "observedGeneration")) === generation;
  if (!isKnown && !agenda.passed(`descheduler ${generation}`, lasting(world, "operators", "descheduler"))) return [];
  const status = {
    observedGeneration: generation,
    readyReplicas: 1,
    conditions: withTimes(object, healthy, world.wall),
  };
  const event = isKnown ? {} : { event: "descheduler has carried out a change" };
  return [{ kind: "set", object, fields: { status }, isStatus: true, manager, ...event }];
}

function rebalance(world: World, agenda: Agenda, object: KubeObject): readonly Wish[] {
  const seconds = world.scenario.descheduler?.evictEverySeconds;
  const isBusy = world.of("VirtualMachineInstanceMigration").some((migration) => !isFinal(migration));
  if (seconds === undefined || at(object, "spec", "mode") !== "Automatic" || isBusy) return [];
  const machine = candidate(world);
  const turn = world.of("VirtualMachineInstanceMigration").length;
  if (machine === undefined || !agenda.passed(`rebalance ${turn}`, lasting(world, { seconds }, "rebalance", `${turn}`)))
    return [];
  return [
    {
      ...request(world, machine, "kubevirt-descheduler"),
      event: `descheduler moves vm ${machine.metadata.name} away from ${nodeOf(machine) ?? ""}`,
    },
  ];
}

// The smallest that can move, from the node with most memory in use.
function candidate(world: World): KubeObject | undefined {
  const used = (node: string) => machinesOn(world, node).reduce((sum, machine) => sum + memoryOf(machine), 0);
  const [fullest] = world
    .of("Node")
    .filter(isOpen)
    .map(({ metadata }) => metadata.name)
    .toSorted((left, right) => used(right) - used(left));
  const movable = machinesOn(world, fullest ?? "").filter(
    (machine) => hindrance(machine) === undefined && !isOver(machine),
  );
  return nodeNamed(world, fullest ?? "") && movable.toSorted((left, right) => memoryOf(left) - memoryOf(right))[0];
}
