import { poolOfNode } from "@virt/cluster";
import { type RolloutNode } from "@virt/impact";
import { asList, asText, at, equalJson, type JsonMap, type KubeObject, member } from "@virt/objects";
import { type ClusterState, findObject, type SimulatedCondition } from "../cluster-state.ts";
import { type DrainState, drainFailure, drainMessage, drainState } from "../drains.ts";
import { isDraining } from "../evictions.ts";
import { hasJoined, isUncordonAsked, machineConfigApi, readNode, workOf } from "../node-state.ts";
import type { ObjectWrite } from "../object-writes.ts";
import { failureMessage } from "../pool-status.ts";
import type { SimulatedTimers } from "../simulated-timers.ts";

const conditionTypes = [
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

type ConditionType = (typeof conditionTypes)[number];
type ConditionStatuses = Partial<Record<ConditionType, "True" | "Unknown">>;

export function reconcileMachineConfigNodes(cluster: ClusterState, timers: SimulatedTimers): readonly ObjectWrite[] {
  if (cluster.servedVersion("MachineConfigNode") === undefined) return [];
  return cluster.list("Node").flatMap((node) => {
    const seen = readNode(node);
    const pool = poolOfNode(node.metadata.labels ?? {}, cluster.list("MachineConfigPool"));
    if (!hasJoined(node) || pool === undefined) return [];
    const drain = isDraining(cluster, node) ? drainState(cluster, timers, node) : undefined;
    return [machineConfigNodeWrite(cluster, { node, seen, pool, drain })];
  });
}

type PooledNode = {
  readonly node: KubeObject;
  readonly seen: RolloutNode;
  readonly pool: string;
  readonly drain: DrainState | undefined;
};

function machineConfigNodeWrite(cluster: ClusterState, pooled: PooledNode): ObjectWrite {
  const { pool, seen } = pooled;
  const { name, current, desired } = seen;
  const object = findObject(cluster, "MachineConfigNode", name);
  const spec = { node: { name }, pool: { name: pool }, configVersion: { desired } };
  const manager = "machine-config-operator";
  if (object === undefined) {
    return {
      kind: "create",
      object: { apiVersion: machineConfigApi, kind: "MachineConfigNode", metadata: { name }, spec },
      manager,
    };
  }
  // Writes the spec first, because the status refers to it.
  if (!equalJson(spec, object["spec"])) return { kind: "set", object, fields: { spec }, manager };
  const status = {
    observedGeneration: object.metadata.generation ?? 1,
    configVersion: { current, desired },
    conditions: withRenewedTimes(object, conditionsOf(object, pooled), cluster.timestamp),
  };
  return {
    kind: "set",
    object,
    fields: { status },
    isStatus: true,
    manager: `machine-config-daemon-${name}`,
    ...failureEvent(object, pooled),
  };
}

// Updates lastTransitionTime even if only the message changes, as the real operator does.
function withRenewedTimes(
  object: KubeObject,
  wanted: readonly SimulatedCondition[],
  timestamp: string,
): readonly JsonMap[] {
  const present = asList(at(object, "status", "conditions"));
  return wanted.map((condition) => {
    const before = present.find((each) => member(each, "type") === condition.type);
    const isSame = member(before, "status") === condition.status && member(before, "message") === condition.message;
    const time = isSame ? asText(member(before, "lastTransitionTime")) : undefined;
    return { ...condition, lastTransitionTime: time ?? timestamp };
  });
}

const prepared: ConditionStatuses = { UpdatePrepared: "True", UpdateExecuted: "Unknown" };
const cordoned: ConditionStatuses = { Cordoned: "True", Drained: "True" };

const statusesByPhase = {
  Draining: { ...prepared, Cordoned: "True", Drained: "Unknown" },
  Applying: { ...prepared, AppliedFilesAndOS: "Unknown" },
  Rebooting: {
    ...prepared,
    UpdateExecuted: "True",
    UpdatePostActionComplete: "Unknown",
    AppliedFilesAndOS: "True",
    RebootedNode: "Unknown",
  },
  Uncordoning: { ...prepared, UpdateExecuted: "True", AppliedFilesAndOS: "True", Resumed: "True" },
} as const satisfies Record<string, ConditionStatuses>;

function conditionsOf(object: KubeObject, { node, seen, drain }: PooledNode): readonly SimulatedCondition[] {
  const isAtWork = seen.current !== seen.desired;
  const work = workOf(node);
  const statuses: ConditionStatuses = {
    ...(isAtWork && seen.phase !== "Updated" && statusesByPhase[work]),
    ...(isAtWork && seen.phase !== "Updated" && work !== "Draining" && seen.isCordoned && cordoned),
    ...(isAtWork && work === "Uncordoning" && returnedStatuses(object, node)),
    ...(!isAtWork && seen.phase === "Updated" && { Updated: "True" }),
    ...(seen.phase === "Degraded" && { NodeDegraded: "True" }),
  };
  const messages: Partial<Record<ConditionType, string>> = {
    NodeDegraded: failureMessage(seen),
    Drained: drain === undefined ? "" : drainedMessage(object, node, drain),
  };
  return conditionTypes.map((type) => {
    const status = statuses[type] ?? "False";
    const usual = status === "False" ? `This node has not yet entered the ${type} phase` : `${type}: ${seen.desired}`;
    return { type, status, reason: type, message: (status !== "False" && messages[type]) || usual };
  });
}

// The node reports the reboot until it is updated. The operator reports the uncordon.
function returnedStatuses(object: KubeObject, node: KubeObject): ConditionStatuses {
  const rebooted = asList(at(object, "status", "conditions")).find((each) => member(each, "type") === "RebootedNode");
  const hasRebooted = rebooted !== undefined && member(rebooted, "status") !== "False";
  return {
    ...(hasRebooted && { UpdatePostActionComplete: "True", RebootedNode: "True" }),
    ...(!isUncordonAsked(node) && { UpdateComplete: "True", Uncordoned: "True" }),
  };
}

// Keeps the error of the last attempt until the next one starts, even if the blocking pods are gone.
function drainedMessage(object: KubeObject, node: KubeObject, drain: DrainState): string {
  const known = drainedText(object);
  const isKept = drain.kind === "idle" || (drain.kind === "failed" && known.startsWith(drainFailure));
  return isKept && known !== "" ? known : drainMessage(node, drain);
}

function drainedText(object: KubeObject): string {
  const drained = asList(at(object, "status", "conditions")).find((each) => member(each, "type") === "Drained");
  return asText(member(drained, "message")) ?? "";
}

// Reports only the first failure of a drain.
function failureEvent(object: KubeObject, { seen, drain }: PooledNode): { readonly event?: string } {
  if (drain?.kind !== "failed" || drain.attempt > 0 || drainedText(object).startsWith(drainFailure)) return {};
  return { event: `node ${seen.name} is not drained: ${drain.error}` };
}
