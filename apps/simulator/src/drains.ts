// Simulates the Machine Config Operator's drain controller: attempts, delays and failures.

import { poolOfNode } from "@virt/cluster";
import { at, type KubeObject } from "@virt/objects";
import { type ClusterState, faultOf, findObject, simulatedMs } from "./cluster-state.ts";
import { evictionOf, launcherName, machinesOn } from "./evictions.ts";
import { desiredDrain, lastAppliedDrain } from "./node-state.ts";
import { budgetsOf, isEvictedPod, podsOn } from "./pod-evictions.ts";
import type { SimulatedTimers } from "./simulated-timers.ts";

// Checked against pkg/controller/drain/drain_controller.go of openshift/machine-config-operator at 7ff337a.
const attemptMs = 90_000;
const refusalMs = 1_000; // an attempt ends early if a retry cannot help
const waitMs = 60_000;
const slowAfterMs = 600_000;
const slowWaitMs = 300_000;
/** Cordoning changes the node, which enqueues it again during the first attempt. */
const cordonQueuedMs = 5_000;
/** How long after its start an attempt overwrites the error of the previous one. */
const overwrittenMs = 15;

/** `idle`: the operator is down. `failed`: the last attempt failed, and the next one is scheduled. */
export type DrainState =
  | { readonly kind: "drained" | "attempting" | "idle" }
  | { readonly kind: "failed"; readonly error: string; readonly attempt: number };

/** Returns the state of a requested drain. It does not change within a round. */
export function drainState(cluster: ClusterState, timers: SimulatedTimers, node: KubeObject): DrainState {
  if (!isOperatorUp(cluster, node)) return { kind: "idle" };
  const request = `${node.metadata.name} ${node.metadata.annotations?.[desiredDrain] ?? ""}`;
  const obstacles = drainObstacles(cluster, node);
  const areOthersGone = timers.hasElapsed(`drain ${request}`, simulatedMs(cluster, "drain", "drain", request));
  const isSlow = timers.hasElapsed(`drain slow ${request}`, slowAfterMs);
  const isLate = timers.hasElapsed(`drain late ${request}`, cluster.scenario.durations.drainTimeout * 1000);
  // The work queue holds a node at most once. If the node is enqueued during an attempt, the next attempt starts
  // immediately after it, and the retry for the failure is then enqueued during that attempt.
  let queuedMs: number | undefined = cordonQueuedMs;
  for (let attempt = 0; ; attempt++) {
    const turn = `${attempt} ${request}`;
    const lasts = obstacles.length > 0 && obstacles.every(({ isFinal }) => isFinal) ? refusalMs : attemptMs;
    const isSlowAttempt = timers.firstAnswer(`drain slow ${turn}`, isSlow);
    const isQueued = queuedMs !== undefined && timers.hasElapsed(`drain queued ${turn}`, queuedMs);
    if (!timers.hasElapsed(`drain attempt ${turn}`, lasts))
      return { kind: obstacles.length === 0 && areOthersGone ? "drained" : "attempting" };
    const isRepeated = timers.firstAnswer(`drain repeated ${turn}`, isQueued);
    const wait = isLate ? timers.retryMs(slowWaitMs) : isSlowAttempt ? slowWaitMs : waitMs;
    const isNext = isRepeated
      ? timers.hasElapsed(`drain error ${turn}`, overwrittenMs)
      : timers.hasElapsed(`drain wait ${turn}`, wait) || isQueued;
    if (!isNext) return { kind: "failed", attempt, error: aggregateErrors(obstacles.map(({ error }) => error)) };
    queuedMs = isRepeated ? wait : undefined;
  }
}

function isOperatorUp(cluster: ClusterState, node: KubeObject): boolean {
  const name = poolOfNode(node.metadata.labels ?? {}, cluster.list("MachineConfigPool"));
  const pool = name === undefined ? undefined : findObject(cluster, "MachineConfigPool", name);
  return pool === undefined || faultOf(pool, "operator-down") === undefined;
}

/** Why a pod cannot be evicted. `isFinal` means that a retry within the same attempt cannot help. */
type DrainObstacle = { readonly error: string; readonly isFinal: boolean };

function drainObstacles(cluster: ClusterState, node: KubeObject): readonly DrainObstacle[] {
  const isStuck = faultOf(node, "stuck-drain") !== undefined;
  const unlisted = { error: "the server was unable to return a response in the time allotted", isFinal: false };
  return [...(isStuck ? [unlisted] : []), ...machineObstacles(cluster, node), ...podObstacles(cluster, node)];
}

function machineObstacles(cluster: ClusterState, { metadata }: KubeObject): readonly DrainObstacle[] {
  const isWebhookDown = isVirtApiDown(cluster);
  return machinesOn(cluster, metadata.name).map((machine) => {
    const { namespace = "" } = machine.metadata;
    const pod = launcherName(cluster, machine);
    if (isWebhookDown) return { error: evictionError(pod, namespace, webhookFailure), isFinal: true };
    const isEnding = evictionOf(cluster, machine) === "shut down";
    return {
      error: isEnding ? terminationError(pod, namespace) : evictionError(pod, namespace, timeout),
      isFinal: false,
    };
  });
}

function podObstacles(cluster: ClusterState, { metadata }: KubeObject): readonly DrainObstacle[] {
  return podsOn(cluster, metadata.name)
    .filter(isEvictedPod)
    .map((pod) => {
      const { name, namespace = "" } = pod.metadata;
      if (at(pod, "metadata", "deletionTimestamp") !== undefined)
        return { error: terminationError(name, namespace), isFinal: false };
      const isTwice = budgetsOf(cluster, pod).length > 1;
      return { error: evictionError(name, namespace, isTwice ? twoBudgets : timeout), isFinal: isTwice };
    });
}

/** Reports whether virt-api is down. The eviction webhook for launcher pods then does not respond. */
export function isVirtApiDown(cluster: ClusterState): boolean {
  return cluster.list("KubeVirt").some((object) => faultOf(object, "virt-api-down") !== undefined);
}

const timeout = "global timeout reached: 1m30s";
const twoBudgets = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
const webhookFailure =
  'Internal error occurred: failed calling webhook "virt-launcher-eviction-interceptor.kubevirt.io": failed to call webhook: no endpoints available for service "virt-api"';

function evictionError(pod: string, namespace: string, cause: string): string {
  return `error when evicting pods/"${pod}" -n "${namespace}": ${cause}`;
}

function terminationError(pod: string, namespace: string): string {
  return `error when waiting for pod "${pod}" in namespace "${namespace}" to terminate: ${timeout}`;
}

const longestMessage = 32_000;

function aggregateErrors(errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  const text = distinct.length === 1 ? (distinct[0] ?? "") : `[${distinct.join(", ")}]`;
  return text.slice(0, longestMessage);
}

export function drainMessage({ metadata: { annotations = {} } }: KubeObject, state: DrainState): string {
  const [request = "", done = ""] = [annotations[desiredDrain], annotations[lastAppliedDrain]];
  const end = `The drain will not be complete until desired drainer ${request} matches current drainer ${done}`;
  return state.kind === "failed" ? `${drainFailure} Error is: ${state.error} ${end}` : `Draining node. ${end}`;
}

export const drainFailure = "Error: Node Drain has not succeeded.";
