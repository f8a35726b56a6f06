import type { Condition, Item, Phase, RolloutFinding, RolloutStatus, Status } from "@virt/api";
import { concludeRollout, findingRemedies, remediesText, revokeUpdates } from "@virt/impact";
import { equalJson } from "@virt/objects";
import { type ConditionInput, conditionOf, writeConditions } from "../conditions/status-conditions.ts";
import { withNext } from "../conditions/tool.ts";
import { isApplied } from "../items.ts";
import type { Decision, Observed, Requeue } from "../observed.ts";
import { isPlanFinished } from "../phases.ts";
import { begunPools, progressColumn, progressText } from "../rollouts.ts";

export type DiagnosedRollout = {
  readonly rollout: RolloutStatus;
  /** Milliseconds: the earliest write, unless the status is written for another reason. */
  readonly dueMs: number;
  /** Milliseconds: when the next cause reaches an age threshold. Undefined if none will. */
  readonly nextMs: number | undefined;
};

/** Reports whether nodes have yet to roll out what this config wrote or found, or what another client changed. */
export function isRolloutOpen({ phase, items = [], rollouts = [], conditions = [] }: Status): boolean {
  if (phase === "Ignored") return false;
  const isAwaited = ({ state, rollout }: Item) =>
    phase === "InProgress" && state === "InProgress" && rollout !== undefined;
  const isUnconverged = ({ type, reason }: Condition) => type === "Ready" && reason === "NotConverged";
  return rollouts.length > 0 || items.some(isAwaited) || conditions.some(isUnconverged);
}

/** Any status write carries the fresh diagnosis, so that all counts agree. An ended rollout has no findings. */
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

/** Without a diagnosis, keeps the stored rollout, but counts no nodes whose target changed. */
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

function openPools(status: Status, { pools }: RolloutStatus): RolloutStatus["pools"] {
  return isRolloutOpen(status) ? pools : [];
}

function endedRollout(rollout: RolloutStatus, phase: Phase | undefined): RolloutStatus {
  if (isPlanFinished(phase)) return concludeRollout(rollout);
  const { notAssessed: _gaps, ...last } = rollout;
  return { ...last, findings: [], more: { ...last.more, findings: 0 } };
}

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

function adviceOf(finding: RolloutFinding): string | undefined {
  return remediesText(findingRemedies(finding)) ?? finding.command;
}

/** Returns the text about the first finding that Ready gets after the plan. */
function findingAddition({ phase, rollout }: Status): string | undefined {
  const first = rollout?.findings[0];
  return first && isPlanFinished(phase) ? withNext(`: ${first.message}`, adviceOf(first)) : undefined;
}

/** Returns the message of Ready for events. The omitted finding may name a VM, which events must not. */
export function readyTextWithoutFinding(status: Status): string {
  const { message } = conditionOf(status, "Ready") ?? { message: "" };
  const addition = findingAddition(status);
  return addition !== undefined && message.endsWith(addition) ? message.slice(0, -addition.length) : message;
}

function notAfter(requeue: Requeue, atMs: number): Requeue {
  if (requeue.when === "on-change") return { when: "at", atMs };
  return requeue.when === "at" ? { when: "at", atMs: Math.min(atMs, requeue.atMs) } : requeue;
}
