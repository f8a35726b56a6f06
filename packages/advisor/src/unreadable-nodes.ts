import type { ReconcileFacts } from "./facts.ts";
import { isMachineConfig, rolesIn } from "./items.ts";
import type { PlannedItem } from "./profile.ts";

const remedy = "Next: allow the operator's ClusterRole to list and watch nodes.";

export function unreadableNodesWarnings(
  { target, waitsFor }: Pick<PlannedItem, "target" | "waitsFor">,
  { nodesRefusal, config }: Pick<ReconcileFacts, "nodesRefusal" | "config">,
): readonly string[] {
  if (nodesRefusal === undefined) return [];
  if (isMachineConfig({ targetRef: target })) {
    const roles = rolesIn(config.status?.items ?? []).join(" and ");
    return [
      `The operator cannot read nodes (${nodesRefusal}). The plan assumes that VMs run on ${roles} nodes. ${remedy}`,
    ];
  }
  if (waitsFor === undefined) return [];
  return [`This item waits until the operator can read nodes (${nodesRefusal}). ${remedy}`];
}

export function waitingForNodesText(machineConfig: string, refusal: string): string {
  return `Waiting: the operator cannot read which nodes have MachineConfig '${machineConfig}' (${refusal}). ${remedy}`;
}
