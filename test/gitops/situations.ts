// A config in each of the eleven phases, as the state machine leaves it, with the expected health in GitOps tools.

import { publishStatus, transition } from "@virt/advisor";
import {
  appliedItem,
  deschedulerItem,
  doneItem,
  drift,
  failedItem,
  generation,
  health,
  type ObservedOverrides,
  observedItem,
  observedWith,
  psi,
  secondsAgo,
} from "@virt/advisor/testing/observed-fixtures";
import { configKind, type Phase, type RolloutStatus, type Status, type VirtPlatformConfig } from "@virt/api";

export type Situation = {
  readonly reason: string;
  readonly from: Phase;
  readonly given: ObservedOverrides;
  readonly isStored?: boolean;
  readonly rollout?: RolloutStatus;
  readonly phase: Phase;
  readonly argo: "Healthy" | "Progressing" | "Suspended" | "Degraded";
  readonly flux: "current" | "inProgress" | "failed" | "waiting";
};

const done = [observedItem(doneItem(psi())), observedItem(doneItem(deschedulerItem()))];
const rolling = { rollout: health("waiting", "MachineConfigPool 'worker' is updating (1 of 3 nodes updated)") };
const [quick] = done.slice(1);
const settled = quick === undefined ? [] : [quick];
const stuck: RolloutStatus = {
  summary: "worker pool: 0 of 3 nodes updated, stuck: PoolPaused",
  pools: [{ name: "worker", total: 3, done: 0, inHand: 0, waiting: 3, degraded: 0 }],
  nodes: [],
  findings: [
    {
      id: "PoolPaused",
      severity: "blocking",
      message: "Pool worker is paused: 3 nodes are waiting for their update",
      since: secondsAgo(60),
    },
  ],
  more: { pools: 0, nodes: 0, findings: 0 },
};
const pending = { rollouts: [{ machineConfig: psi().targetRef.name, startTime: secondsAgo(60), before: [] }] };
const review = { planHash: "a".repeat(64), generation, forced: true, reason: "InputChanged" } as const;

export const situations: readonly Situation[] = [
  {
    reason: "a new config",
    from: "Pending",
    given: {},
    isStored: true, // a reconcile enters and leaves this phase in the same write
    phase: "Pending",
    argo: "Progressing",
    flux: "inProgress",
  },
  {
    reason: "drafting a plan",
    from: "Pending",
    given: {},
    phase: "Drafting",
    argo: "Progressing",
    flux: "inProgress",
  },
  {
    reason: "a missing operator",
    from: "PrerequisiteFailed",
    given: { blocked: { kind: "missing", message: "Missing required dependencies:\n" } },
    phase: "PrerequisiteFailed",
    argo: "Degraded",
    flux: "failed",
  },
  {
    reason: "a requested review",
    from: "ReviewRequired",
    given: { spec: { action: "DryRun" } },
    phase: "ReviewRequired",
    argo: "Suspended",
    flux: "current",
  },
  {
    reason: "a forced review",
    from: "ReviewRequired",
    given: { stored: { review } },
    phase: "ReviewRequired",
    argo: "Suspended",
    flux: "waiting",
  },
  {
    reason: "a rollout",
    from: "InProgress",
    given: { items: [observedItem(appliedItem(psi()), rolling), ...settled] },
    phase: "InProgress",
    argo: "Progressing",
    flux: "inProgress",
  },
  {
    reason: "a stuck rollout",
    from: "InProgress",
    given: { items: [observedItem(appliedItem(psi()), rolling), ...settled], stored: pending },
    rollout: stuck,
    phase: "InProgress",
    argo: "Degraded",
    flux: "failed",
  },
  {
    reason: "all items applied",
    from: "Completed",
    given: { items: done },
    phase: "Completed",
    argo: "Healthy",
    flux: "current",
  },
  {
    reason: "all items applied, but a pool is updating again",
    from: "Completed",
    given: { items: [observedItem(doneItem(psi()), rolling), ...settled] },
    phase: "Completed",
    argo: "Progressing",
    flux: "waiting",
  },
  {
    reason: "a failed item among applied ones",
    from: "CompletedWithErrors",
    given: { items: [observedItem(failedItem(psi()), { rollout: health("degraded") }), ...settled] },
    phase: "CompletedWithErrors",
    argo: "Degraded",
    flux: "failed",
  },
  {
    reason: "a newer operator with another plan",
    from: "CompletedWithUpgrade",
    given: { items: done, stored: { operatorVersion: "v1" }, upgrade: "differs" },
    phase: "CompletedWithUpgrade",
    argo: "Healthy",
    flux: "current",
  },
  {
    reason: "a failed plan",
    from: "Failed",
    given: { items: [observedItem(failedItem(psi()))] },
    phase: "Failed",
    argo: "Degraded",
    flux: "failed",
  },
  {
    reason: "an edited target",
    from: "Completed",
    given: { items: [observedItem(doneItem(psi())), observedItem(doneItem(deschedulerItem()), { drift: drift() })] },
    phase: "Drifted",
    argo: "Degraded",
    flux: "failed",
  },
  {
    reason: "an ignored config",
    from: "Completed",
    given: { items: done, spec: { action: "Ignore" } },
    phase: "Ignored",
    argo: "Healthy",
    flux: "current",
  },
];

export function statusOf({ from, given, isStored = false, rollout }: Situation): Status {
  const seen = observedWith(from, given);
  if (isStored) return seen.stored;
  const decision = transition(seen);
  if (rollout === undefined) return decision.status;
  return publishStatus(decision, seen, { rollout: { rollout, dueMs: 0, nextMs: undefined } }).status;
}

export function configIn(situation: Situation): VirtPlatformConfig {
  const { apiVersion, kind } = configKind;
  const { spec } = observedWith(situation.from, situation.given);
  const status = statusOf(situation);
  return { apiVersion, kind, metadata: { name: "load-aware-rebalancing", generation }, spec, status };
}
