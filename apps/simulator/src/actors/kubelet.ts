// Reports whether a node is ready, and a new boot id when it comes back.

import { asList, asText, at, type KubeObject, member, type RolloutNode } from "@virt/engine";
import { uuid } from "../chance.ts";
import { withTimes } from "../conditions.ts";
import { isReady } from "../node-state.ts";
import type { Wish } from "../wish.ts";
import { faultOf, type World } from "../world.ts";

export function kubelet(world: World, node: KubeObject, { name, phase }: RolloutNode): readonly Wish[] {
  const shouldBeReady = phase !== "Rebooting" && faultOf(node, "not-ready") === undefined;
  if (shouldBeReady === isReady(node)) return [];
  const state = shouldBeReady
    ? ({ status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" } as const)
    : ({ status: "Unknown", reason: "NodeStatusUnknown", message: "Kubelet stopped posting node status." } as const);
  const others = asList(at(node, "status", "conditions")).filter((each) => member(each, "type") !== "Ready");
  const [ready = {}] = withTimes(node, [{ type: "Ready", ...state }], world.wall);
  const boot = asText(at(node, "status", "nodeInfo", "bootID")) ?? "";
  const nodeInfo = shouldBeReady ? { nodeInfo: { bootID: uuid(world.seed, "boot", name, boot) } } : {};
  const status = { conditions: [...others, { ...ready, lastHeartbeatTime: world.wall }], ...nodeInfo };
  const event = phase === "Rebooting" ? `node ${name} reboots` : `node ${name} is ${shouldBeReady ? "" : "not "}ready`;
  return [{ kind: "set", object: node, fields: { status }, isStatus: true, manager: "kubelet", event }];
}
