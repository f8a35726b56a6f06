// Takes nodes through their updates as the Machine Config Daemon and the kubelet do: drain, apply, reboot, uncordon.

import { advance, asText, at, type JsonMap, type KubeObject, poolOfNode, type RolloutNode } from "@virt/engine";
import type { Agenda } from "../agenda.ts";
import { isDrainNeeded, machinesOn } from "../evictions.ts";
import { currentConfig, desiredConfig, desiredDrain, lastAppliedDrain, nodeReason, nodeState } from "../marks.ts";
import { daemonFields, readNode, workOf } from "../node-state.ts";
import type { Wish } from "../wish.ts";
import { faultOf, lasting, type World } from "../world.ts";
import { kubelet } from "./kubelet.ts";

export function nodeLifecycle(world: World, agenda: Agenda): readonly Wish[] {
  return world.of("Node").flatMap((node) => {
    const before = readNode(node);
    if (before === undefined) return join(world, node);
    const after = step(world, agenda, { node, before });
    return [daemonWish(node, before, after), ...kubelet(world, node, after)];
  });
}

// A new node boots with what its pool aims at.
function join(world: World, node: KubeObject): readonly Wish[] {
  const pools = world.of("MachineConfigPool");
  const pool = poolOfNode(node.metadata.labels ?? {}, pools);
  const config = asText(
    at(
      pools.find(({ metadata }) => metadata.name === pool),
      "spec",
      "configuration",
      "name",
    ),
  );
  if (config === undefined) return [];
  const annotations = {
    [currentConfig]: config,
    [desiredConfig]: config,
    [nodeState]: "Done",
    [nodeReason]: "",
    [desiredDrain]: `uncordon-${config}`,
    [lastAppliedDrain]: `uncordon-${config}`,
  };
  const fields = { metadata: { annotations }, spec: { taints: taintsOf(node) } };
  return [{ kind: "set", object: node, fields, manager: managerOf(node) }];
}

// The API server taints new nodes as not ready; somebody must take that away.
function taintsOf(node: KubeObject): readonly JsonMap[] {
  const labels = node.metadata.labels ?? {};
  const isReserved = "node-role.kubernetes.io/master" in labels && !("node-role.kubernetes.io/worker" in labels);
  return isReserved ? [{ key: "node-role.kubernetes.io/master", effect: "NoSchedule" }] : [];
}

type Seen = { readonly node: KubeObject; readonly before: RolloutNode };

function step(world: World, agenda: Agenda, { node, before }: Seen): RolloutNode {
  const reason = before.phase === "Rebooting" ? undefined : troubleOf(world, agenda, { node, before });
  if (reason !== undefined) return { ...before, phase: "Degraded", reason };
  if (before.phase === "Degraded") return recovered(node, before);
  return isStepOver(world, agenda, { node, before }) ? advance(before) : before;
}

// With its trouble over, a node goes on where it stopped.
function recovered(node: KubeObject, { reason: _reason, ...before }: RolloutNode): RolloutNode {
  return { ...before, phase: before.current === before.desired ? "Updated" : workOf(node) };
}

function troubleOf(world: World, agenda: Agenda, { node, before }: Seen): string | undefined {
  const fault = faultOf(node, "degrade");
  if (fault !== undefined) return fault || "simulated failure";
  if (before.current === before.desired || workOf(node) !== "Draining" || isDrained(world, node)) return undefined;
  const isLate = agenda.passed(`drain timeout ${before.name}`, lasting(world, "drainTimeout", "timeout", before.name));
  const text = `failed to drain node: ${before.name} after 1 hour. Please see machine-config-controller logs for more information`;
  return isLate ? text : undefined;
}

function isStepOver(world: World, agenda: Agenda, { node, before }: Seen): boolean {
  const { name, desired, phase } = before;
  const hasPassed = (what: "drain" | "apply" | "reboot") =>
    agenda.passed(`${what} ${name} ${desired}`, lasting(world, what, what, name, desired));
  switch (phase) {
    case "Updated":
      return true;
    case "Draining":
      return !isDrainNeeded(world) || (hasPassed("drain") && isDrained(world, node));
    case "Applying":
      return hasPassed("apply");
    case "Rebooting":
      return hasPassed("reboot");
    case "Degraded":
      return false;
  }
}

function isDrained(world: World, node: KubeObject): boolean {
  if (!isDrainNeeded(world)) return true;
  return faultOf(node, "stuck-drain") === undefined && machinesOn(world, node.metadata.name).length === 0;
}

function daemonWish(node: KubeObject, before: RolloutNode, after: RolloutNode): Wish {
  const event = before.phase === after.phase && before.reason === after.reason ? undefined : eventOf(after);
  return { kind: "set", object: node, fields: daemonFields(after), manager: managerOf(node), ...(event && { event }) };
}

function eventOf({ name, phase, desired, reason }: RolloutNode): string | undefined {
  switch (phase) {
    case "Draining":
      return `node ${name} is cordoned, for ${desired}`;
    case "Applying":
      return `node ${name} is drained`;
    case "Updated":
      return `node ${name} runs ${desired}`;
    case "Degraded":
      return `node ${name} is degraded: ${reason ?? ""}`;
    case "Rebooting":
      return undefined; // told by the kubelet
  }
}

function managerOf({ metadata }: KubeObject): string {
  return `machine-config-daemon-${metadata.name}`;
}
