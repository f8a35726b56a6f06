// Keeps a MachineConfigNode for each node, which tells how far its update is, step by step.

import { equalJson, type KubeObject, poolOfNode, type RolloutNode } from "@virt/engine";
import { type Condition, withTimes } from "../conditions.ts";
import { drainBlockers, hindrance, isDraining, titleOf } from "../evictions.ts";
import { machineConfigApi } from "../marks.ts";
import { readNode, workOf } from "../node-state.ts";
import type { Wish } from "../wish.ts";
import { faultOf, find, type World } from "../world.ts";

const types = [
  "Updated",
  "UpdatePrepared",
  "UpdateExecuted",
  "UpdatePostActionComplete",
  "UpdateComplete",
  "Resumed",
  "Cordoned",
  "Drained",
  "AppliedFilesAndOS",
  "RebootedNode",
  "Uncordoned",
  "NodeDegraded",
] as const;

type Type = (typeof types)[number];
type Told = Partial<Record<Type, "True" | "Unknown">>;

export function machineConfigNodes(world: World): readonly Wish[] {
  if (world.versionOf("MachineConfigNode") === undefined) return [];
  return world.of("Node").flatMap((node) => {
    const seen = readNode(node);
    const pool = poolOfNode(node.metadata.labels ?? {}, world.of("MachineConfigPool"));
    return seen === undefined || pool === undefined ? [] : [tell(world, { node, seen, pool })];
  });
}

type Seen = { readonly node: KubeObject; readonly seen: RolloutNode; readonly pool: string };

function tell(world: World, { node, seen, pool }: Seen): Wish {
  const { name, current, desired } = seen;
  const object = find(world, "MachineConfigNode", name);
  const spec = { node: { name }, pool: { name: pool }, configVersion: { desired } };
  const manager = "machine-config-operator";
  if (object === undefined) {
    return {
      kind: "create",
      object: { apiVersion: machineConfigApi, kind: "MachineConfigNode", metadata: { name }, spec },
      manager,
    };
  }
  // One at a time: the status speaks of the spec that is there.
  if (!equalJson(spec, object["spec"])) return { kind: "set", object, fields: { spec }, manager };
  const status = {
    observedGeneration: object.metadata.generation ?? 1,
    configVersion: { current, desired },
    conditions: withTimes(object, conditionsOf(world, node, seen), world.wall),
  };
  return {
    kind: "set",
    object,
    fields: { status },
    isStatus: true,
    manager: `machine-config-daemon-${name}`,
    ...news(world, object, node),
  };
}

const prepared: Told = { UpdatePrepared: "True", UpdateExecuted: "Unknown", Cordoned: "True" };

const told = {
  Draining: { ...prepared, Drained: "Unknown" },
  Applying: { ...prepared, Drained: "True", AppliedFilesAndOS: "Unknown" },
  Rebooting: {
    ...prepared,
    UpdateExecuted: "True",
    UpdatePostActionComplete: "Unknown",
    Drained: "True",
    AppliedFilesAndOS: "True",
    RebootedNode: "Unknown",
  },
} as const satisfies Record<string, Told>;

function conditionsOf(world: World, node: KubeObject, seen: RolloutNode): readonly Condition[] {
  const isAtWork = seen.current !== seen.desired;
  const statuses: Told = {
    ...(isAtWork && seen.phase !== "Updated" && told[workOf(node)]),
    ...(!isAtWork && seen.phase === "Updated" && { Updated: "True" }),
    ...(seen.phase === "Degraded" && { NodeDegraded: "True" }),
  };
  const messages: Partial<Record<Type, string>> = {
    NodeDegraded: seen.reason ?? "",
    Drained: blockage(world, node) ?? "",
  };
  return types.map((type) => {
    const status = statuses[type] ?? "False";
    const usual = status === "False" ? `This node has not yet entered the ${type} phase` : `${type}: ${seen.desired}`;
    return { type, status, reason: type, message: (status !== "False" && messages[type]) || usual };
  });
}

/** Why a drain does not go on, for people. */
function blockage(world: World, node: KubeObject): string | undefined {
  if (!isDraining(world, node)) return undefined;
  if (faultOf(node, "stuck-drain") !== undefined)
    return "Drain does not end: a pod is protected by a disruption budget";
  const blockers = drainBlockers(world, node.metadata.name).map(
    (machine) => `${titleOf(machine)} (${hindrance(machine) ?? "External"})`,
  );
  return blockers.length === 0
    ? undefined
    : `Drain is blocked by virtual machines that do not migrate: ${blockers.join(", ")}`;
}

function news(world: World, object: KubeObject, node: KubeObject): { readonly event?: string } {
  const text = blockage(world, node);
  const isKnown =
    text === undefined || JSON.stringify(object["status"] ?? {}).includes(JSON.stringify(text).slice(1, -1));
  return isKnown ? {} : { event: `node ${node.metadata.name}: ${text}` };
}
