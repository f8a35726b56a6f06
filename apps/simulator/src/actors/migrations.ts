// Moves virtual machines within the limits of the cluster.

import { asText, at, type JsonMap, type KubeObject } from "@virt/engine";
import { hindrance, isOver, nodeOf, titleOf } from "../evictions.ts";
import { migrationLimits } from "../hco.ts";
import { memoryOf, phaseOf } from "../placement.ts";
import { byTurn } from "../turns.ts";
import type { Wish } from "../wish.ts";
import { faultOf, lasting, type World } from "../world.ts";
import { conditions, type Round, wish } from "./virtual-machines.ts";

export type Moves = { readonly wishes: readonly Wish[]; readonly moving: ReadonlySet<string> };

export function migrations(round: Round): Moves {
  const { world, placement } = round;
  const open = world
    .of("VirtualMachineInstanceMigration")
    .filter((migration) => !isFinal(migration))
    .toSorted(byTurn);
  for (const migration of open) {
    const machine = machineOf(world, migration);
    const target = targetOf(migration);
    if (machine !== undefined && target !== undefined) placement.reserve(target, machine);
  }
  const lanes = lanesOf(
    world,
    open.filter((migration) => phaseOf(migration) === "Running"),
  );
  const steps = open.map((migration) => ({ migration, wishes: step(round, lanes, migration) }));
  const moving = steps.filter(({ wishes }) => wishes.length > 1).map(({ migration }) => titleAt(migration));
  return { wishes: steps.flatMap(({ wishes }) => wishes), moving: new Set(moving) };
}

export function isFinal(migration: KubeObject): boolean {
  return ["Succeeded", "Failed"].includes(phaseOf(migration));
}

/** The machine that it moves. */
export function titleAt(migration: KubeObject): string {
  return `${migration.metadata.namespace ?? ""}/${asText(at(migration, "spec", "vmiName")) ?? ""}`;
}

export function machineOf(world: World, migration: KubeObject): KubeObject | undefined {
  const title = titleAt(migration);
  return world.of("VirtualMachineInstance").find((machine) => titleOf(machine) === title && !isOver(machine));
}

function targetOf(migration: KubeObject): string | undefined {
  return asText(at(migration, "status", "migrationState", "targetNode"));
}

/** Says whether one more may leave this node, and counts it if so. */
type Lanes = (node: string) => boolean;

export function lanesOf(world: World, running: readonly KubeObject[]): Lanes {
  const limits = migrationLimits(world);
  const sources = running.map((migration) => asText(at(migration, "status", "migrationState", "sourceNode")) ?? "");
  return (node) => {
    const isFree = sources.length < limits.total && sources.filter((source) => source === node).length < limits.node;
    if (isFree) sources.push(node);
    return isFree;
  };
}

function step(round: Round, lanes: Lanes, migration: KubeObject): readonly Wish[] {
  const machine = machineOf(round.world, migration);
  if (machine === undefined || nodeOf(machine) === undefined) return [phase(migration, "Failed")];
  if (phaseOf(migration) === "Running") return arrive(round, migration, machine);
  return depart(round, lanes, { migration, machine });
}

type Move = { readonly migration: KubeObject; readonly machine: KubeObject };

function depart({ world, placement }: Round, lanes: Lanes, { migration, machine }: Move): readonly Wish[] {
  if (hindrance(machine) !== undefined) return [phase(migration, "Failed")];
  const source = nodeOf(machine) ?? "";
  if (!lanes(source)) return [phase(migration, "Pending")];
  const target = placement.choose(machine);
  if (target === undefined) return [phase(migration, "Scheduling")];
  const migrationState = { sourceNode: source, targetNode: target, startTimestamp: world.wall, mode: "PreCopy" };
  return [
    {
      ...phase(migration, "Running", { migrationState }),
      event: `vm ${titleOf(machine)} moves from ${source} to ${target}`,
    },
  ];
}

function arrive({ world, agenda }: Round, migration: KubeObject, machine: KubeObject): readonly Wish[] {
  const { migration: base, migrationPerGiB } = world.scenario.durations;
  const target = targetOf(migration) ?? "";
  const title = titleOf(machine);
  const seconds = base + migrationPerGiB * memoryOf(machine);
  const name = `${title} ${migration.metadata.name}`;
  if (!agenda.passed(`migration ${name}`, lasting(world, { seconds }, "migration", name))) return [];
  const failure = faultOf(machine, "fail-migrations");
  const end = {
    endTimestamp: world.wall,
    completed: true,
    ...(failure !== undefined && { failed: true, failureReason: failure }),
  };
  const known = at(migration, "status", "migrationState") as JsonMap;
  const migrationState = { ...known, ...end, migrationUid: migration.metadata.uid ?? "" };
  if (failure !== undefined) {
    const event = `vm ${title} could not move to ${target}: ${failure}`;
    return [{ ...phase(migration, "Failed", { migrationState }), event }, wish(machine, { migrationState })];
  }
  const status = {
    nodeName: target,
    evacuationNodeName: null,
    migrationState,
    conditions: conditions(world, machine, target),
  };
  const arrived = {
    ...wish(machine, status, { "kubevirt.io/nodeName": target }),
    event: `vm ${title} is on ${target}`,
  };
  return [phase(migration, "Succeeded", { migrationState }), arrived];
}

function phase(migration: KubeObject, name: string, more: JsonMap = {}): Wish {
  const fields = { status: { phase: name, ...more } };
  return { kind: "set", object: migration, fields, isStatus: true, manager: "virt-controller" };
}
