// Asks for the migrations that drained nodes need, and clears away those of long ago.

import { at, type KubeObject } from "@virt/engine";
import { letters } from "../chance.ts";
import { hindrance, isDraining, isOver, nodeOf, titleOf } from "../evictions.ts";
import { nodeNamed } from "../placement.ts";
import { byTurn, nextTurn } from "../turns.ts";
import type { Wish } from "../wish.ts";
import type { World } from "../world.ts";
import { isFinal, lanesOf, machineOf, titleAt } from "./migrations.ts";

const kept = 5; // finished ones of a machine, as KubeVirt does

// No more of them than may run: the rest waits as a mark on the machine.
export function evacuations(world: World): readonly Wish[] {
  const open = world.of("VirtualMachineInstanceMigration").filter((migration) => !isFinal(migration));
  const lanes = lanesOf(world, []);
  const moving = new Set(open.map(titleAt));
  for (const migration of open) lanes(nodeOf(machineOf(world, migration) ?? migration) ?? "");
  return world
    .of("VirtualMachineInstance")
    .filter((machine) => isLeaving(world, machine) && !moving.has(titleOf(machine)) && lanes(nodeOf(machine) ?? ""))
    .map((machine) => request(world, machine, "kubevirt-evacuation"));
}

function isLeaving(world: World, machine: KubeObject): boolean {
  const name = nodeOf(machine);
  const isMarked = name !== undefined && at(machine, "status", "evacuationNodeName") === name && !isOver(machine);
  const node = isMarked ? nodeNamed(world, name) : undefined;
  return node !== undefined && isDraining(world, node) && hindrance(machine) === undefined;
}

/** A wish for a migration with a name of its own. */
export function request(world: World, machine: KubeObject, prefix: string): Wish {
  const { name: vmiName, namespace = "" } = machine.metadata;
  const name = `${prefix}-${freeSuffix(world, machine, prefix)}`;
  const annotations = { "kubevirt.io/evacuationMigration": nodeOf(machine) ?? "", ...nextTurn(world) };
  const object = {
    apiVersion: "kubevirt.io/v1",
    kind: "VirtualMachineInstanceMigration",
    metadata: { name, namespace, annotations },
    spec: { vmiName },
  };
  return { kind: "create", object, manager: "virt-controller" };
}

function freeSuffix(world: World, machine: KubeObject, prefix: string): string {
  const taken = new Set(world.of("VirtualMachineInstanceMigration").map(titleOf));
  for (let attempt = 0; ; attempt++) {
    const suffix = letters(5, world.seed, titleOf(machine), `${attempt}`);
    if (!taken.has(`${machine.metadata.namespace ?? ""}/${prefix}-${suffix}`)) return suffix;
  }
}

/** Finished ones that nobody looks at any more. */
export function surplus(world: World): readonly Wish[] {
  const seen = new Map<string, number>();
  const finished = world.of("VirtualMachineInstanceMigration").filter(isFinal);
  for (const migration of finished) seen.set(titleAt(migration), (seen.get(titleAt(migration)) ?? 0) + 1);
  const full = [...seen].filter(([, count]) => count > kept);
  const old = full.flatMap(([title, count]) =>
    finished
      .filter((migration) => titleAt(migration) === title)
      .toSorted(byTurn)
      .slice(0, count - kept),
  );
  return old.map((object) => ({ kind: "delete", object, manager: "virt-controller" }));
}
