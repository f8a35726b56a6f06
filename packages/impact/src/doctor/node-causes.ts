// Finds causes that block a single node: in its drain, its state or its reboot.

import { type PodFact, readClusterShape } from "@virt/cluster";
import { assessedOr } from "../assessed.ts";
import { inNameOrder } from "../capacity.ts";
import { budgetsByNamespace, coveringBudgets, isDrainedPod, isPodOfVm } from "../drained-pods.ts";
import { restartBounds } from "../duration.ts";
import { type FindingId, lastingText } from "./catalogue.ts";
import {
  isEvictionWebhookDown,
  launcherPrefix,
  type NamedPod,
  terminatingPodsOf,
  withLastError,
} from "./drain-errors.ts";
import {
  type DoctorFacts,
  degradedReason,
  hcoNamespaceOf,
  type NodeView,
  type PoolFacts,
  type PoolView,
  type RolloutCause,
  viewPools,
} from "./rollout-view.ts";
import { restartSamplesOf, Sightings } from "./sightings.ts";
import type { DrainedVmCauses } from "./vm-causes.ts";

export type NodeCauseContext = {
  readonly facts: DoctorFacts;
  readonly sightings: Sightings;
  readonly vms: DrainedVmCauses;
  /** Returns the predicted maximum for the remaining drain time, in seconds. */
  readonly drainSecondsOf: (node: string) => number;
  /** True if the Machine Config Operator is not processing the pool. */
  readonly isOperatorIdle: boolean;
};

export function nodeCauses(view: NodeView, pool: PoolView, context: NodeCauseContext): readonly RolloutCause[] {
  switch (view.phase) {
    case "Degraded":
      return [degradedCause(view)];
    case "Draining":
      return drainCauses(view, context);
    case "Rebooting":
      return view.node.isReady ? [] : [rebootCause(view, pool, context)];
    case "Waiting":
    case "Applying":
    case "Uncordoning":
    case "Done":
      return [];
  }
}

const about = (name: string) => ({ node: name, object: { kind: "Node", name }, names: { n: name } });

function degradedCause({ node, report }: NodeView): RolloutCause {
  const text = degradedReason(node, report);
  return { id: idOfReason(text, node.state), ...about(node.name), values: { n: node.name, text } };
}

function idOfReason(reason: string, state: string): FindingId {
  if (reason.includes("on-disk state") || reason.includes("content mismatch")) return "OnDiskState";
  if (state === "Unreconcilable" || reason.includes("can't reconcile")) return "Unreconcilable";
  if (reason.includes("rpm-ostree kargs")) return "KernelArgumentsFailed";
  return reason.includes("ostree") ? "OSUpdateFailed" : "NodeDegraded";
}

function rebootCause(
  { node, since, isForTarget }: NodeView,
  pool: PoolView,
  { facts }: NodeCauseContext,
): RolloutCause {
  const { platform } = assessedOr(facts.shape, readClusterShape(undefined));
  const { high } = restartBounds("Reboot", restartSamplesOf(facts, pool.name), platform);
  // Checked only for the current target config, because an earlier one may not contain the change.
  const kubelet = isForTarget ? pool.changes.find((change) => change.hasKubeletDropIn) : undefined;
  const common = { ...about(node.name), since, ageSeconds: 1.5 * high };
  if (kubelet !== undefined)
    return { id: "KubeletDown", ...common, values: { n: node.name, mc: kubelet.machineConfig } };
  return { id: "RebootOverdue", ...common, values: { n: node.name, t: lastingText((facts.now - since) / 1000) } };
}

function drainCauses(view: NodeView, context: NodeCauseContext): readonly RolloutCause[] {
  const { node, since } = view;
  const report = view.report && withLastError(view.report, context.sightings, context.facts);
  const down: readonly RolloutCause[] =
    report !== undefined && isEvictionWebhookDown(report)
      ? [
          {
            id: "EvictionWebhookDown",
            ...about(node.name),
            names: { hco: hcoNamespaceOf(context.facts) },
            values: {},
          },
        ]
      : [];
  const found = [...down, ...context.vms.ofNode(node.name, since), ...podCauses({ ...view, report }, context.facts)];
  // Queued migrations make progress, so they do not explain a drain that takes too long.
  const isExplained = found.some(({ id }) => id !== "MigrationsQueued");
  return isExplained || context.isOperatorIdle ? found : [...found, ...slowDrain(view, context)];
}

// Reports a slow drain. The time counts from when the last cause disappeared, so that a resumed drain is not reported
// at once.
function slowDrain({ node: { name }, since }: NodeView, context: NodeCauseContext): readonly RolloutCause[] {
  const { facts, drainSecondsOf, sightings, vms } = context;
  // Without a watch, assumes that VMs explain the time until the last of their evictions was requested.
  const leftAt = facts.isUnwatched === true ? vms.lastEvacuationOf(name) : undefined;
  const reported = Math.max(since, leftAt ?? since);
  const unexplained = sightings.seeSince(`drain without cause ${name}`, reported);
  // Uses the longest prediction so far, because the prediction gets shorter with every VM that leaves.
  const dueAt = unexplained + Math.max(900, 2 * drainSecondsOf(name)) * 1000;
  const ageSeconds = (sightings.keepLatest(`slow drain ${name}`, dueAt) - unexplained) / 1000;
  if (vms.isCopying(name)) return [];
  const values = { n: name, t: lastingText((facts.now - since) / 1000) };
  return [{ id: "DrainSlow", ...about(name), values, ageSeconds, since: unexplained }];
}

// Finds blocking pods from the list of pods. If there is none, uses the drain error, which the operator often
// overwrites.
function podCauses({ node, report, since }: NodeView, facts: DoctorFacts): readonly RolloutCause[] {
  const listed = facts.drainedPods.get(node.name);
  if (listed === undefined)
    return report === undefined
      ? []
      : terminatingPodsOf(report).map((pod) => podCause("PodTerminating", pod, node.name, facts));
  const budgets = budgetsByNamespace(assessedOr(facts.budgets, []));
  return listed
    .filter(isDrainedPod)
    .toSorted(inNameOrder)
    .flatMap((pod): readonly RolloutCause[] => {
      if (pod.deletedAt === undefined) return budgetCauses(pod, budgets, facts, { node: node.name, since });
      const reportedSince = Math.max(since, pod.deletedAt);
      return [{ ...podCause("PodTerminating", pod, node.name, facts), reportedSince }];
    });
}

// Finds pods that budgets block. A budget must have blocked its pod since the start of the drain, or the pod would be
// gone.
function budgetCauses(
  pod: PodFact,
  budgets: ReturnType<typeof budgetsByNamespace>,
  facts: DoctorFacts,
  drain: { readonly node: string; readonly since: number },
): readonly RolloutCause[] {
  const [first, second] = isPodOfVm(pod) ? [] : coveringBudgets(pod, budgets);
  const cause = (id: "PodBudget" | "TwoBudgets", values: RolloutCause["values"] = {}) => [
    { ...podCause(id, pod, drain.node, facts, values), reportedSince: drain.since },
  ];
  if (second !== undefined) return cause("TwoBudgets");
  if (first === undefined || first.disruptionsAllowed > 0) return [];
  const { name: b, currentHealthy: h, desiredHealthy: d } = first;
  return cause("PodBudget", { b, h, d });
}

function podCause(
  id: "PodBudget" | "PodTerminating" | "TwoBudgets",
  pod: NamedPod,
  node: string,
  { areVmsNamed }: DoctorFacts,
  values: RolloutCause["values"] = {},
): RolloutCause {
  const { namespace } = pod;
  const name = pod.name.startsWith(launcherPrefix) && !areVmsNamed ? "*" : pod.name;
  return { id, node, object: { kind: "Pod", namespace, name }, values: { ns: namespace, pod: name, ...values } };
}

/** Returns the draining nodes, in the order in which their drains started. A diagnosis needs the pods on them. */
export function drainingNodes(facts: PoolFacts): readonly string[] {
  const nodes = viewPools(facts, new Sightings(new Map(), 0)).flatMap((pool) => pool.nodes);
  return [...new Set(nodes.filter(({ phase }) => phase === "Draining").map(({ node }) => node.name))];
}
