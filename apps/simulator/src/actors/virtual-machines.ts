// Starts virtual machines, marks those that must leave, stops those that cannot be moved, and reports on all.

import { asList, at, type JsonMap, type KubeObject, member } from "@virt/engine";
import type { Agenda } from "../agenda.ts";
import { type Condition, withTimes } from "../conditions.ts";
import { type Eviction, evictionOf, hindrance, isDraining, isOver, nodeOf, titleOf } from "../evictions.ts";
import { isReady } from "../node-state.ts";
import { firstNode } from "../objects/machines.ts";
import { nodeNamed, type Placement, phaseOf } from "../placement.ts";
import type { Wish } from "../wish.ts";
import { lasting, type World } from "../world.ts";

export type Round = { readonly world: World; readonly agenda: Agenda; readonly placement: Placement };

/** `moving` are those that have come somewhere else in this round: they are written about there. */
export function virtualMachines(round: Round, moving: ReadonlySet<string>): readonly Wish[] {
  return round.world
    .of("VirtualMachineInstance")
    .filter((machine) => !isOver(machine) && !moving.has(titleOf(machine)))
    .map((machine) => (nodeOf(machine) === undefined ? start(round, machine) : keep(round, machine)));
}

function start({ world, placement }: Round, machine: KubeObject): Wish {
  const isNew = phaseOf(machine) === "";
  const wanted = isNew ? machine.metadata.annotations?.[firstNode] : undefined;
  if (wanted !== undefined) placement.reserve(wanted, machine);
  const node = wanted ?? placement.choose(machine);
  if (node === undefined)
    return wish(machine, { phase: "Scheduling", conditions: conditions(world, machine, undefined) });
  const status = { phase: "Running", nodeName: node, conditions: conditions(world, machine, node) };
  // The first start of hundreds is no news.
  return {
    ...wish(machine, status, { "kubevirt.io/nodeName": node }),
    ...(!isNew && { event: `vm ${titleOf(machine)} starts on ${node}` }),
  };
}

function keep(round: Round, machine: KubeObject): Wish {
  const { world } = round;
  const name = nodeOf(machine) ?? "";
  const node = nodeNamed(world, name);
  const eviction = node !== undefined && isDraining(world, node) ? evictionOf(world, machine) : undefined;
  if (eviction === "shut down" && isShutDown(round, machine)) {
    const status = {
      phase: "Scheduling",
      nodeName: null,
      evacuationNodeName: null,
      conditions: conditions(world, machine, undefined),
    };
    return {
      ...wish(machine, status, { "kubevirt.io/nodeName": null }),
      event: `vm ${titleOf(machine)} is shut down on ${name}`,
    };
  }
  const status = { conditions: conditions(world, machine, name), ...evacuation(machine, eviction) };
  return wish(machine, status);
}

function isShutDown({ world, agenda }: Round, machine: KubeObject): boolean {
  const title = titleOf(machine);
  return agenda.passed(`shut down ${title}`, lasting(world, "shutdown", "shutdown", title));
}

// The webhook that sees the eviction leaves this mark; it stays until the machine is elsewhere.
function evacuation(machine: KubeObject, eviction: Eviction | undefined): JsonMap {
  return eviction === "migrate" ? { evacuationNodeName: nodeOf(machine) ?? "" } : {};
}

export function conditions(world: World, machine: KubeObject, node: string | undefined): readonly JsonMap[] {
  const host = node === undefined ? undefined : nodeNamed(world, node);
  const runs = host !== undefined && isReady(host);
  const reason = hindrance(machine);
  const wanted: readonly Condition[] = [
    runs
      ? { type: "Ready", status: "True", ...silent }
      : { type: "Ready", status: "False", reason: "GuestNotRunning", message: "Guest VM is not reported as running" },
    reason === undefined
      ? { type: "LiveMigratable", status: "True", ...silent }
      : { type: "LiveMigratable", status: "False", reason, message: `cannot migrate VMI: ${reason}` },
  ];
  const present = asList(at(machine, "status", "conditions"));
  const others = present.filter(
    (each) => !wanted.some(({ type }) => member(each, "type") === type),
  ) as readonly JsonMap[];
  return [...withTimes(machine, wanted, world.wall), ...others];
}

const silent = { reason: "", message: "" };

export function wish(machine: KubeObject, status: JsonMap, labels?: JsonMap): Wish {
  const fields = { status, ...(labels && { metadata: { labels } }) };
  return { kind: "set", object: machine, fields, manager: "virt-controller" };
}
