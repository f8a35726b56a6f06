// What may hold a single node: its drain, its state, its reboot.

import { assessedOr } from "../assessed.ts";
import { restartBounds } from "../duration.ts";
import { budgetsByNamespace, coveringBudgets } from "../pods.ts";
import { readClusterShape } from "../virt-settings.ts";
import type { FindingId } from "./catalogue.ts";
import { isEvictionWebhookDown, launcherPrefix, type NamedPod, podsOfDrain, withLastError } from "./drain-errors.ts";
import { degradedReason } from "./node-phase.ts";
import { restartSamplesOf } from "./observed-seconds.ts";
import { type DoctorFacts, hcoNamespaceOf, type NodeView, type PoolView, type RolloutCause } from "./rollout-view.ts";
import { Sightings } from "./sightings.ts";
import { lastingText } from "./text-templates.ts";
import type { DrainedVmCauses } from "./vm-causes.ts";

/** What the causes of a node are made with. */
export type NodeCauseContext = {
  readonly facts: DoctorFacts;
  readonly sightings: Sightings;
  readonly vms: DrainedVmCauses;
  /** Seconds that the drain of the node takes at most, as predicted from what is left. */
  readonly drainSecondsOf: (node: string) => number;
  /** Whether the Machine Config Operator does not act on the pool. */
  readonly isOperatorIdle: boolean;
};

/** Causes on one node of a pool. */
export function nodeCauses(view: NodeView, pool: PoolView, context: NodeCauseContext): readonly RolloutCause[] {
  switch (view.work.phase) {
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

function rebootCause({ node, phase, work }: NodeView, pool: PoolView, { facts }: NodeCauseContext): RolloutCause {
  const { since } = work;
  const { platform } = assessedOr(facts.shape, readClusterShape(undefined));
  const { high } = restartBounds("Reboot", restartSamplesOf(facts, pool.name), platform);
  // Nobody knows whether an earlier target has the change.
  const kubelet = phase === "Waiting" ? undefined : pool.changes.find((change) => change.hasKubeletDropIn);
  const common = { ...about(node.name), since, ageSeconds: 1.5 * high };
  if (kubelet !== undefined)
    return { id: "KubeletDown", ...common, values: { n: node.name, mc: kubelet.machineConfig } };
  return { id: "RebootOverdue", ...common, values: { n: node.name, t: lastingText((facts.now - since) / 1000) } };
}

function drainCauses(view: NodeView, context: NodeCauseContext): readonly RolloutCause[] {
  const { node, report, work } = view;
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
  const pods = report === undefined ? [] : podsOfDrain(report);
  const found = [
    ...down,
    ...context.vms.ofNode(node.name, work.since),
    ...pods.flatMap((pod) => podCauses(pod, node.name, context.facts)),
  ];
  // A queue moves by itself: it does not explain a drain that takes for ever.
  const isExplained = found.some(({ id }) => id !== "MigrationsQueued");
  return isExplained || context.isOperatorIdle ? found : [...found, ...slowDrain(view, context)];
}

// Its age counts from when no cause was found, so that a drain goes on quietly once the cause is gone.
function slowDrain({ node: { name }, work }: NodeView, context: NodeCauseContext): readonly RolloutCause[] {
  const { facts, drainSecondsOf, sightings, vms } = context;
  // Whoever has not watched does not know for how long VMs have been leaving: the last that was asked to explains the time until then.
  const leftAt = facts.isUnwatched === true ? vms.lastEvacuationOf(name) : undefined;
  const reported = Math.max(work.since, leftAt ?? work.since);
  const unexplained = sightings.seeSince(`drain without cause ${name}`, reported);
  // What is left shrinks with every VM that has gone: the largest prediction counts.
  const dueAt = unexplained + Math.max(900, 2 * drainSecondsOf(name)) * 1000;
  const ageSeconds = (sightings.keepLatest(`slow drain ${name}`, dueAt) - unexplained) / 1000;
  if (vms.isCopying(name)) return [];
  const values = { n: name, t: lastingText((facts.now - work.since) / 1000) };
  return [{ id: "DrainSlow", ...about(name), values, ageSeconds, since: unexplained }];
}

function podCauses(pod: NamedPod, node: string, facts: DoctorFacts): readonly RolloutCause[] {
  const isLauncher = pod.name.startsWith(launcherPrefix);
  const name = isLauncher && !facts.areVmsNamed ? "*" : pod.name;
  const { namespace } = pod;
  const values = { ns: namespace, pod: name };
  const common = { node, object: { kind: "Pod", namespace, name } };
  if (pod.isTerminating) return [{ id: "PodTerminating", ...common, values }];
  const known = facts.namedPods.find((each) => each.name === pod.name && each.namespace === namespace);
  if (isLauncher || known === undefined) return [];
  const [first, second] = coveringBudgets(known, budgetsByNamespace(assessedOr(facts.budgets, [])));
  if (second !== undefined) return [{ id: "TwoBudgets", ...common, values }];
  if (first === undefined || first.disruptionsAllowed > 0) return [];
  const { name: b, currentHealthy: h, desiredHealthy: d } = first;
  return [{ id: "PodBudget", ...common, values: { ...values, b, h, d } }];
}

/** The pods whose metadata says why a drain fails on them, also while the next attempt is under way. */
export function podsToRead({
  machineConfigNodes,
  sightings,
  before,
}: Pick<DoctorFacts, "machineConfigNodes" | "sightings" | "before">): readonly NamedPod[] {
  const known = new Sightings(sightings, 0);
  return assessedOr(machineConfigNodes, [])
    .filter(({ conditions }) => conditions.Drained?.status !== "True")
    .flatMap((report) => podsOfDrain(withLastError(report, known, before)))
    .filter(({ name, isTerminating }) => !isTerminating && !name.startsWith(launcherPrefix));
}
