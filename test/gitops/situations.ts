// A config in each of the eleven phases, as our own state machine leaves it, and what GitOps tools should make of it.

import { transition } from "@virt/advisor";
import {
  appliedItem,
  descheduler,
  doneItem,
  drift,
  failedItem,
  type Given,
  generation,
  health,
  observed,
  psi,
  seenItem,
} from "@virt/advisor/observed-world";
import { configKind, type Phase, type Status, type VirtPlatformConfig } from "@virt/api";

export type Situation = {
  readonly reason: string;
  readonly from: Phase;
  readonly given: Given;
  /** Looked at as it is, before a pass. */
  readonly isStored?: boolean;
  readonly phase: Phase;
  readonly argo: "Healthy" | "Progressing" | "Suspended" | "Degraded";
  readonly flux: "current" | "inProgress" | "failed" | "waiting";
};

const done = [seenItem(doneItem(psi())), seenItem(doneItem(descheduler()))];
const rolling = { rollout: health("waiting", "MachineConfigPool 'worker' is updating (Updated: 1/3, Ready: 1/3)") };
const [quick] = done.slice(1);
const settled = quick === undefined ? [] : [quick];
const review = { planHash: "a".repeat(64), generation, forced: true, reason: "InputChanged" } as const;

export const situations: readonly Situation[] = [
  {
    reason: "a config that is about to be looked at",
    from: "Pending",
    given: {},
    isStored: true, // a pass crosses this phase and leaves it in the same write
    phase: "Pending",
    argo: "Progressing",
    flux: "inProgress",
  },
  {
    reason: "a plan is drafted",
    from: "Pending",
    given: {},
    phase: "Drafting",
    argo: "Progressing",
    flux: "inProgress",
  },
  {
    reason: "an operator is missing",
    from: "PrerequisiteFailed",
    given: { blocked: { kind: "missing", message: "Missing required dependencies:\n" } },
    phase: "PrerequisiteFailed",
    argo: "Degraded",
    flux: "failed",
  },
  {
    reason: "the preview that was asked for is there",
    from: "ReviewRequired",
    given: { spec: { action: "DryRun" } },
    phase: "ReviewRequired",
    argo: "Suspended",
    flux: "current",
  },
  {
    reason: "an Apply is withheld until a person has seen the new plan",
    from: "ReviewRequired",
    given: { was: { review } },
    phase: "ReviewRequired",
    argo: "Suspended",
    flux: "waiting",
  },
  {
    reason: "nodes are rolled",
    from: "InProgress",
    given: { items: [seenItem(appliedItem(psi()), rolling), ...settled] },
    phase: "InProgress",
    argo: "Progressing",
    flux: "inProgress",
  },
  {
    reason: "all is applied",
    from: "Completed",
    given: { items: done },
    phase: "Completed",
    argo: "Healthy",
    flux: "current",
  },
  {
    reason: "all is applied, but a pool is not done any more",
    from: "Completed",
    given: { items: [seenItem(doneItem(psi()), rolling), ...settled] },
    phase: "Completed",
    argo: "Progressing",
    flux: "waiting",
  },
  {
    reason: "an item failed and the others went on",
    from: "CompletedWithErrors",
    given: { items: [seenItem(failedItem(psi()), { rollout: health("degraded") }), ...settled] },
    phase: "CompletedWithErrors",
    argo: "Degraded",
    flux: "failed",
  },
  {
    reason: "a newer operator would plan otherwise",
    from: "CompletedWithUpgrade",
    given: { items: done, was: { operatorVersion: "v1" }, upgrade: "differs" },
    phase: "CompletedWithUpgrade",
    argo: "Healthy",
    flux: "current",
  },
  {
    reason: "the plan failed",
    from: "Failed",
    given: { items: [seenItem(failedItem(psi()))] },
    phase: "Failed",
    argo: "Degraded",
    flux: "failed",
  },
  {
    reason: "somebody changed what was applied",
    from: "Completed",
    given: { items: [seenItem(doneItem(psi())), seenItem(doneItem(descheduler()), { drift: drift() })] },
    phase: "Drifted",
    argo: "Degraded",
    flux: "failed",
  },
  {
    reason: "nobody wants it managed",
    from: "Completed",
    given: { items: done, spec: { action: "Ignore" } },
    phase: "Ignored",
    argo: "Healthy",
    flux: "current",
  },
];

/** The status that a pass writes. */
export function statusOf({ from, given, isStored = false }: Situation): Status {
  const seen = observed(from, given);
  return isStored ? seen.was : transition(seen).status;
}

export function configIn(situation: Situation): VirtPlatformConfig {
  const { apiVersion, kind } = configKind;
  const { spec } = observed(situation.from, situation.given);
  const status = statusOf(situation);
  return { apiVersion, kind, metadata: { name: "load-aware-rebalancing", generation }, spec, status };
}
