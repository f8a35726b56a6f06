// What a status says of its rollout: how far it is, what holds it, and the conditions that follow from that.

import type { Condition, Item, Phase, RolloutFinding, RolloutStatus, Status } from "@virt/api";
import { equalJson } from "@virt/engine";
import { concludeRollout, findingRemedies, remediesText, revokeUpdates } from "@virt/impact";
import { type ConditionInput, conditionOf, writeConditions } from "../conditions/status-conditions.ts";
import { withNext } from "../conditions/tool.ts";
import { isApplied } from "../items.ts";
import type { Decision, Observed, Requeue } from "../observed.ts";
import { isPlanFinished } from "../phases.ts";
import { begunPools, progressColumn, progressText } from "../rollouts.ts";

/** What a diagnosis says now. */
export type DiagnosedRollout = {
  readonly rollout: RolloutStatus;
  /** Milliseconds: not written before, unless the status is written anyway. */
  readonly dueMs: number;
  /** Milliseconds: when a cause comes of age; undefined: none will. */
  readonly nextMs: number | undefined;
};

/** Reports whether nodes have yet to take over what this config wrote, what another client wrote meanwhile, or what its plan found in place. */
export function isRolloutOpen({ phase, items = [], rollouts = [], conditions = [] }: Status): boolean {
  if (phase === "Ignored") return false;
  const isAwaited = ({ state, rollout }: Item) =>
    phase === "InProgress" && state === "InProgress" && rollout !== undefined;
  const isUnconverged = ({ type, reason }: Condition) => type === "Ready" && reason === "NotConverged";
  return rollouts.length > 0 || items.some(isAwaited) || conditions.some(isUnconverged);
}

/**
 * Returns the decision with the state of the rollout in its status, and the conditions that follow from it. A status that is written for any
 * other reason carries the fresh diagnosis: all its counts are of the same moment. A rollout that has ended stays, without findings.
 * Undefined: nothing was diagnosed in this reconcile.
 */
export function withRollout(
  decision: Decision,
  observed: Pick<Observed, "stored" | "now" | "generation" | "items">,
  diagnosed: DiagnosedRollout | undefined,
): Decision {
  if (decision.requeue.when === "retry") return decision;
  const { status, requeue } = decision;
  const known = diagnosed?.rollout ?? knownRollout(status, observed);
  if (known === undefined) return decision;
  const fresh = revokeUpdates(known, begunPools(status, observed));
  if (!isRolloutOpen(status))
    return { ...decision, status: showRollout(status, endedRollout(fresh, status.phase), observed) };
  const shown = showRollout(status, fresh, observed);
  const isDue = (diagnosed?.dueMs ?? 0) <= observed.now;
  const isHeldBack = !isDue && equalJson(showRollout(status, status.rollout, observed), observed.stored);
  const isWaiting = isHeldBack && !equalJson(shown, observed.stored);
  const times = [diagnosed?.nextMs, isWaiting ? diagnosed?.dueMs : undefined];
  return {
    ...decision,
    status: isHeldBack ? observed.stored : shown,
    requeue: times.reduce<Requeue>((next, atMs) => (atMs === undefined ? next : notAfter(next, atMs)), requeue),
  };
}

/**
 * Without a diagnosis the stored rollout stays, but no node counts as updated whose target changed since. The stored rollout is an earlier
 * one if a rollout has just begun.
 */
function knownRollout(
  status: Status,
  { items, stored }: Pick<Observed, "items" | "stored">,
): RolloutStatus | undefined {
  const { rollout } = status;
  if (rollout === undefined) return undefined;
  if (isRolloutOpen(status) && !isRolloutOpen(stored)) {
    const { stoppedVms: _earlier, ...begun } = rollout;
    return revokeUpdates(begun, new Set(rollout.pools.map(({ name }) => name)));
  }
  const changed = items.filter(
    ({ item, drift, isGone }) => isApplied(item) && (isGone === true || drift !== undefined),
  );
  return revokeUpdates(rollout, new Set(changed.flatMap(({ pools }) => pools.map(({ pool }) => pool))));
}

function showRollout(
  status: Status,
  rollout: RolloutStatus | undefined,
  observed: Pick<Observed, "stored" | "now" | "generation">,
): Status {
  const { progress: decided, ...rest } = status;
  const shown = { ...rest, ...(rollout && { rollout }) };
  const whole = { ...shown, conditions: conditionsWith(shown, observed) };
  const progress = rollout ? progressColumn(whole, progressText(openPools(status, rollout))) : decided;
  return { ...whole, ...(progress !== undefined && { progress }) };
}

/** No column without a rollout: a stored one has ended. */
function openPools(status: Status, { pools }: RolloutStatus): RolloutStatus["pools"] {
  return isRolloutOpen(status) ? pools : [];
}

function endedRollout(rollout: RolloutStatus, phase: Phase | undefined): RolloutStatus {
  if (isPlanFinished(phase)) return concludeRollout(rollout);
  const { notAssessed: _gaps, ...last } = rollout;
  return { ...last, findings: [], more: { ...last.more, findings: 0 } };
}

/** Blocking, and the first in the order of the rollout. */
function headlineOf({ findings }: Pick<RolloutStatus, "findings">): RolloutFinding | undefined {
  return findings.find(({ severity }) => severity === "blocking");
}

function conditionsWith(status: Status, { stored, now, generation }: Pick<Observed, "stored" | "now" | "generation">) {
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
        message: withNext(headline.message, adviceOf(headline)),
      },
    ];
  const addition = findingAddition(status);
  const ready = conditionOf(status, "Ready");
  if (addition === undefined || ready === undefined || ready.status === "Unknown") return [];
  return [{ type: "Ready", status: ready.status, reason: ready.reason, message: `${ready.message}${addition}` }];
}

/** The options with their consequences if there is a choice, else the command. */
function adviceOf(finding: RolloutFinding): string | undefined {
  return remediesText(findingRemedies(finding)) ?? finding.command;
}

/** What the first finding adds to Ready's message once a plan is through. */
function findingAddition({ phase, rollout }: Status): string | undefined {
  const first = rollout?.findings[0];
  return first && isPlanFinished(phase) ? withNext(`: ${first.message}`, adviceOf(first)) : undefined;
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
