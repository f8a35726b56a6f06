// Simulates the machine-config-daemon and the kubelet of each node: drain, apply, reboot and node status.

import { poolOfNode } from "@virt/cluster";
import { advanceRollout, type RolloutNode } from "@virt/impact";
import { asList, asText, at, type JsonMap, type KubeObject, member, readBytes } from "@virt/objects";
import { type ClusterState, faultOf, findObject, simulatedMs, withTransitionTimes } from "../cluster-state.ts";
import { drainState } from "../drains.ts";
import { isDrainNeeded } from "../evictions.ts";
import {
  daemonFields,
  hasJoined,
  isDrainAsked,
  isReady,
  isUncordonAsked,
  joinFields,
  readNode,
  uncordonFields,
  workOf,
} from "../node-state.ts";
import type { ObjectWrite } from "../object-writes.ts";
import { swapPartition } from "../objects/nodes.ts";
import { seededUuid } from "../seeded-random.ts";
import { readSeconds, type SimulatedTimers } from "../simulated-timers.ts";
import { disruptionOfUpdate } from "./disruption-policies.ts";

/** Updates all nodes, except nodes without a pool, such as Windows nodes. */
export function reconcileNodes(cluster: ClusterState, timers: SimulatedTimers): readonly ObjectWrite[] {
  const pools = cluster.list("MachineConfigPool");
  return cluster.list("Node").flatMap((node) => {
    const pool = poolOfNode(node.metadata.labels ?? {}, pools);
    if (pool === undefined) return [];
    if (!hasJoined(node)) return joinNode(cluster, node, pool);
    const before = readNode(node);
    const after = advanceNode(cluster, timers, { node, before });
    const uncordoned = uncordonWrite(cluster, node, pool);
    return [uncordoned ?? daemonWrite(node, before, after), ...kubeletWrites(cluster, node, after)];
  });
}

// A new node boots with its pool's current configuration.
function joinNode(cluster: ClusterState, node: KubeObject, pool: string): readonly ObjectWrite[] {
  const config = asText(at(findObject(cluster, "MachineConfigPool", pool), "spec", "configuration", "name"));
  if (config === undefined || faultOf(node, "not-joined") !== undefined) return [];
  const fields = { ...joinFields(config), spec: { taints: taintsOf(node) } };
  return [{ kind: "set", object: node, fields, manager: daemonOf(node) }];
}

// Replaces the not-ready taint that the API server sets on new nodes.
function taintsOf(node: KubeObject): readonly JsonMap[] {
  const labels = node.metadata.labels ?? {};
  const isReserved = "node-role.kubernetes.io/master" in labels && !("node-role.kubernetes.io/worker" in labels);
  return isReserved ? [{ key: "node-role.kubernetes.io/master", effect: "NoSchedule" }] : [];
}

type NodeInHand = { readonly node: KubeObject; readonly before: RolloutNode };

function advanceNode(cluster: ClusterState, timers: SimulatedTimers, { node, before }: NodeInHand): RolloutNode {
  const reason = before.phase === "Rebooting" ? undefined : degradedReason(cluster, timers, { node, before });
  if (reason !== undefined) return { ...before, phase: "Degraded", reason };
  if (before.phase === "Degraded") return recoverNode(node, before);
  if (!isStepOver(cluster, timers, { node, before })) return before;
  const update = { disruption: disruptionOfUpdate(cluster, before), isDrained: isDrainNeeded(cluster) };
  return advanceRollout(before, update);
}

function recoverNode(node: KubeObject, { reason: _reason, ...before }: RolloutNode): RolloutNode {
  return { ...before, phase: before.current === before.desired ? "Updated" : workOf(node) };
}

function degradedReason(
  cluster: ClusterState,
  timers: SimulatedTimers,
  { node, before }: NodeInHand,
): string | undefined {
  const fault = faultOf(node, "degrade");
  if (fault !== undefined) return fault || "simulated failure";
  if (before.current === before.desired) return undefined;
  const work = workOf(node);
  if (work === "Uncordoning") return uncordonFailure(timers, { node, before });
  if (work !== "Draining" || drainState(cluster, timers, node).kind === "drained") return undefined;
  const isLate = timers.hasElapsed(
    `drain timeout ${before.name}`,
    simulatedMs(cluster, "drainTimeout", "timeout", before.name),
  );
  const text = `failed to drain node: ${before.name} after 1 hour. Please see machine-config-controller logs for more information`;
  return isLate ? text : undefined;
}

// The timeout and the order of the steps were checked against `completeUpdate` in pkg/daemon/daemon.go of
// openshift/machine-config-operator at 7ff337a.
const uncordonPollMs = 10_000;
const uncordonTimeoutMs = 600_000;

function uncordonFailure(timers: SimulatedTimers, { node, before: { name } }: NodeInHand): string | undefined {
  const isLate = isDrainAsked(node) && timers.hasElapsed(`uncordon timeout ${name}`, uncordonTimeoutMs);
  const text = `failed to uncordon node: ${name} after 10 minutes. Please see machine-config-controller logs for more information`;
  return isLate ? text : undefined;
}

function isStepOver(cluster: ClusterState, timers: SimulatedTimers, { node, before }: NodeInHand): boolean {
  const { name, desired, phase } = before;
  const hasPassed = (what: "apply" | "reboot") =>
    timers.hasElapsed(`${what} ${name} ${desired}`, simulatedMs(cluster, what, what, name, desired));
  switch (phase) {
    case "Updated":
      return !isDrainAsked(node);
    case "Draining":
      return drainState(cluster, timers, node).kind === "drained";
    case "Applying":
      return hasPassed("apply");
    case "Rebooting": {
      const seconds = readSeconds(faultOf(node, "slow-reboot") ?? "");
      return seconds === undefined
        ? hasPassed("reboot")
        : timers.hasElapsed(`slow reboot ${name} ${seconds}`, seconds * 1000);
    }
    case "Uncordoning":
      return timers.hasElapsed(`uncordon ${name} ${desired}`, uncordonPollMs) && !isDrainAsked(node);
    case "Degraded":
      return false;
  }
}

// The drain controller uncordons on the daemon's request, even if another client cordoned the node.
function uncordonWrite(cluster: ClusterState, node: KubeObject, pool: string): ObjectWrite | undefined {
  const operator = findObject(cluster, "MachineConfigPool", pool);
  const isDown = operator !== undefined && faultOf(operator, "operator-down") !== undefined;
  if (!isUncordonAsked(node) || isDown) return undefined;
  return { kind: "set", object: node, fields: uncordonFields(node), manager: "machine-config-operator" };
}

function daemonWrite(node: KubeObject, before: RolloutNode, after: RolloutNode): ObjectWrite {
  const event =
    before.phase === after.phase && before.reason === after.reason ? undefined : describeStep(before, after);
  return { kind: "set", object: node, fields: daemonFields(after), manager: daemonOf(node), ...(event && { event }) };
}

function describeStep(
  before: RolloutNode,
  { name, phase, desired, reason, isCordoned }: RolloutNode,
): string | undefined {
  switch (phase) {
    case "Draining":
      return `node ${name} is cordoned, for ${desired}`;
    case "Applying":
      return before.phase === "Updated" && !isCordoned ? `node ${name} takes up ${desired}` : `node ${name} is drained`;
    case "Updated":
      return `node ${name} runs ${desired}`;
    case "Degraded":
      return `node ${name} is degraded: ${reason ?? ""}`;
    case "Uncordoning":
      return undefined;
    case "Rebooting":
      return undefined;
  }
}

function daemonOf({ metadata }: KubeObject): string {
  return `machine-config-daemon-${metadata.name}`;
}

function kubeletWrites(
  cluster: ClusterState,
  node: KubeObject,
  { name, phase, current, desired }: RolloutNode,
): readonly ObjectWrite[] {
  const shouldBeReady = phase !== "Rebooting" && faultOf(node, "not-ready") === undefined;
  if (shouldBeReady === isReady(node)) return [];
  const state = shouldBeReady
    ? ({ status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" } as const)
    : ({ status: "Unknown", reason: "NodeStatusUnknown", message: "Kubelet stopped posting node status." } as const);
  const others = asList(at(node, "status", "conditions")).filter((each) => member(each, "type") !== "Ready");
  const [ready = {}] = withTransitionTimes(node, [{ type: "Ready", ...state }], cluster.timestamp);
  const boot = asText(at(node, "status", "nodeInfo", "bootID")) ?? "";
  const nodeInfo = shouldBeReady
    ? {
        nodeInfo: {
          bootID: seededUuid(cluster.seed, "boot", name, boot),
          swap: swapOf(cluster, node, phase === "Uncordoning" ? desired : current),
        },
      }
    : {};
  const status = { conditions: [...others, { ...ready, lastHeartbeatTime: cluster.timestamp }], ...nodeInfo };
  const event = phase === "Rebooting" ? `node ${name} reboots` : `node ${name} is ${shouldBeReady ? "" : "not "}ready`;
  return [{ kind: "set", object: node, fields: { status }, isStatus: true, manager: "kubelet", event }];
}

const swapDropIn = "/etc/openshift/kubelet.conf.d/90-swap.conf";

// The kubelet reports swap only if a partition and a configuration enable it.
function swapOf(cluster: ClusterState, node: KubeObject, config: string): JsonMap | null {
  const files = asList(at(findObject(cluster, "MachineConfig", config), "spec", "config", "storage", "files"));
  const capacity = readBytes(node.metadata.annotations?.[swapPartition]);
  const isOn = capacity !== undefined && files.some((file) => member(file, "path") === swapDropIn);
  return isOn ? { capacity } : null;
}
