// What a status says of its rollout: how far it is, what holds it, and the conditions that follow from that.

import type { Condition, Phase, RolloutFinding, RolloutStatus, Status } from "@virt/api";
import { equalJson } from "@virt/engine";
import { concludeRollout } from "@virt/impact";
import { type ConditionInput, conditionOf, writeConditions } from "../conditions/status-conditions.ts";
import { withNext } from "../conditions/tool.ts";
import type { Decision, Observed, Requeue } from "../observed.ts";

/** What a diagnosis says now. */
export type DiagnosedRollout = {
  readonly rollout: RolloutStatus;
  /** Milliseconds: not written before, unless the status is written anyway. */
  readonly dueMs: number;
  /** Milliseconds: when a cause comes of age; undefined: none will. */
  readonly nextMs: number | undefined;
};

/** Whether nodes have yet to take over what this config wrote, or somebody else wrote meanwhile. */
export function isRolloutOpen({ phase, rollouts = [], conditions = [] }: Status): boolean {
  if (phase === "Ignored") return false;
  return rollouts.length > 0 || conditions.some(({ type, reason }) => type === "Ready" && reason === "NotConverged");
}

/**
 * The decision with the state of the rollout in its status, and the conditions that follow from what is written there. A rollout that
 * has ended stays, without findings: nobody looks any more. Undefined: nothing was diagnosed in this reconcile.
 */
export function withRollout(
  decision: Decision,
  observed: Pick<Observed, "stored" | "now" | "generation">,
  diagnosed: DiagnosedRollout | undefined,
): Decision {
  if (decision.requeue.when === "retry") return decision;
  const { status, requeue } = decision;
  const { now } = observed;
  const isOpen = isRolloutOpen(status);
  const fresh = diagnosed?.rollout ?? status.rollout;
  if (fresh === undefined) return decision;
  const isHeldBack = isOpen && isSamePhase(status, observed.stored) && (diagnosed?.dueMs ?? 0) > now;
  const isChanged = !equalJson(fresh, status.rollout ?? null);
  const rollout = isOpen ? (isHeldBack && isChanged ? status.rollout : fresh) : endedRollout(fresh, status.phase);
  const shown = { ...status, ...(rollout && { rollout }) };
  const times = isOpen ? [diagnosed?.nextMs, isHeldBack && isChanged ? diagnosed?.dueMs : undefined] : [];
  return {
    ...decision,
    status: { ...shown, conditions: conditionsWith(shown, observed) },
    requeue: times.reduce<Requeue>((next, atMs) => (atMs === undefined ? next : notAfter(next, atMs)), requeue),
  };
}

function isSamePhase(status: Status, stored: Status): boolean {
  return status.phase === stored.phase;
}

function endedRollout(rollout: RolloutStatus, phase: Phase | undefined): RolloutStatus {
  if (finished.includes(phase)) return concludeRollout(rollout);
  return { ...rollout, findings: [], more: { ...rollout.more, findings: 0 } };
}

/** Blocking, and the first in the order of the rollout. */
function headlineOf({ findings }: Pick<RolloutStatus, "findings">): RolloutFinding | undefined {
  return findings.find(({ severity }) => severity === "blocking");
}

const finished: readonly (Phase | undefined)[] = ["Completed", "CompletedWithErrors", "CompletedWithUpgrade"];

function conditionsWith(status: Status, { stored, now, generation }: Parameters<typeof withRollout>[1]) {
  const inputs = rolloutConditions(status);
  const written = new Map(
    writeConditions(stored, inputs, { now, generation }).map((condition) => [condition.type, condition]),
  );
  return (status.conditions ?? []).map((condition): Condition => written.get(condition.type) ?? condition);
}

function rolloutConditions(status: Status): readonly ConditionInput[] {
  const { phase, rollout = { findings: [] } } = status;
  const headline = headlineOf(rollout);
  if (phase === "InProgress" && headline !== undefined)
    return [
      { type: "Reconciling", status: "False", reason: "RolloutStuck", message: "" },
      {
        type: "Stalled",
        status: "True",
        reason: "RolloutStuck",
        message: withNext(headline.message, headline.command),
      },
    ];
  const addition = findingAddition(status);
  const ready = conditionOf(status, "Ready");
  if (addition === undefined || ready === undefined || ready.status === "Unknown") return [];
  return [{ type: "Ready", status: ready.status, reason: ready.reason, message: `${ready.message}${addition}` }];
}

/** What the first finding adds to Ready's message once a plan is through. */
function findingAddition({ phase, rollout }: Status): string | undefined {
  const first = rollout?.findings[0];
  return first && finished.includes(phase) ? withNext(`: ${first.message}`, first.command) : undefined;
}

/** Ready's message as it was before a finding was added: that may name a VM, and no event does. */
export function readyTextWithoutFinding(status: Status): string {
  const { message } = conditionOf(status, "Ready") ?? { message: "" };
  const addition = findingAddition(status);
  return addition !== undefined && message.endsWith(addition) ? message.slice(0, -addition.length) : message;
}

function notAfter(requeue: Requeue, atMs: number): Requeue {
  if (requeue.when === "on-change") return { when: "at", atMs };
  return requeue.when === "at" ? { when: "at", atMs: Math.min(atMs, requeue.atMs) } : requeue;
}
