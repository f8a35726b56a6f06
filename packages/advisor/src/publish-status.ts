// Adds the parts that are only for display to a decided status: the plan's impact and the rollout's progress.

import type { Condition, Impact, Phase, RolloutFinding, RolloutStatus, Status } from "@virt/api";
import { concludeRollout, findingRemedies, isStillListing, remediesText, revokeUpdates } from "@virt/impact";
import { equalJson, readTime } from "@virt/objects";
import { type ConditionInput, conditionOf, writeConditions } from "./conditions/status-conditions.ts";
import { withNext } from "./conditions/tool.ts";
import { isApplied } from "./items.ts";
import type { Decision, Observed, Requeue } from "./observed.ts";
import { isPlanFinished, isPlanOpen } from "./phases.ts";
import { begunPools, isRolloutOpen, progressColumn, progressText } from "./rollout/rollouts.ts";

/**
 * The parts to add. `impact` is absent if it was not assessed, or if this reconcile wrote an item. `rollout` is absent
 * without a diagnosis.
 */
export type ShownParts = { readonly impact?: Impact | undefined; readonly rollout?: DiagnosedRollout | undefined };

/** A diagnosed rollout, and when to write it to the status and diagnose it again. */
export type DiagnosedRollout = {
  readonly rollout: RolloutStatus;
  /** The earliest time to write it, in milliseconds. Earlier if the status is written for another reason. */
  readonly dueMs: number;
  /** When the next cause becomes a finding, in milliseconds. Undefined if none will. */
  readonly nextMs: number | undefined;
};

type PublishedFor = Pick<Observed, "stored" | "now" | "generation" | "items">;

/**
 * Returns the complete decision. Call it once, right before the status write. Omits values that it is too early to
 * write, and requeues for them.
 */
export function publishStatus(decision: Decision, observed: PublishedFor, shown: ShownParts): Decision {
  if (decision.requeue.when === "retry") return decision;
  const assessed = impactToShow(decision.status, observed, shown.impact);
  const { impact } = assessed;
  const status =
    impact === decision.status.impact ? decision.status : { ...decision.status, ...(impact && { impact }) };
  const rolled = withRollout(status, observed, shown.rollout);
  const times = [assessed.dueMs, rolled.dueMs, rolled.nextMs].flatMap((atMs) => atMs ?? []);
  return { ...decision, status: rolled.status, requeue: times.reduce(notAfter, decision.requeue) };
}

function notAfter(requeue: Requeue, atMs: number): Requeue {
  if (requeue.when === "on-change") return { when: "at", atMs };
  return requeue.when === "at" ? { when: "at", atMs: Math.min(atMs, requeue.atMs) } : requeue;
}

/** The minimum intervals between writes, for changed facts and for estimates, which change all the time. */
const restMs = { facts: 60_000, figures: 600_000 };

type ShownImpact = { readonly impact: Impact | undefined; readonly dueMs?: number };

/** Returns the impact to show now, and when the fresh one may be shown. */
export function impactToShow(
  status: Status,
  { stored, now }: Pick<Observed, "stored" | "now">,
  fresh: Impact | undefined,
): ShownImpact {
  const { impact } = status;
  if (fresh === undefined || !isOnDisplay(status, stored)) return { impact };
  if (status.phase === "InProgress") return { impact: isIncomplete(impact) && !isIncomplete(fresh) ? fresh : impact };
  const dueMs = dueOf(impact, fresh);
  if (dueMs === undefined) return { impact };
  return dueMs <= now ? { impact: fresh } : { impact, dueMs };
}

/** Reports whether the stored status already shows this plan in this phase. A new plan is first shown without its impact. */
function isOnDisplay(status: Status, stored: Status): boolean {
  return isPlanOpen(status.phase) && stored.phase === status.phase && stored.planHash === status.planHash;
}

/** Reports whether the assessment is incomplete. If so, it is replaced once, even while the plan runs. */
function isIncomplete(impact: Impact | undefined): boolean {
  return impact === undefined || isStillListing(impact);
}

/** Returns when to store the fresh assessment, in milliseconds, or undefined if it contains nothing new. */
function dueOf(before: Impact | undefined, fresh: Impact): number | undefined {
  if (before === undefined) return 0;
  if (equalJson({ ...before, assessedAt: "" }, { ...fresh, assessedAt: "" })) return undefined;
  const isOfFacts = !equalJson(factsOf(before), factsOf(fresh));
  return (readTime(before.assessedAt) ?? 0) + (isOfFacts ? restMs.facts : restMs.figures);
}

function factsOf({ nodes, held, pools, blockers, stops, capacity, notAssessed }: Impact) {
  return {
    nodes,
    held,
    pools: pools.map(({ lowSeconds: _low, highSeconds: _high, ...pool }) => pool),
    blockers,
    stops,
    fits: capacity.fits,
    notAssessed: notAssessed.map(({ what, reason }) => ({ what, reason })),
  };
}

type ShownRollout = {
  readonly status: Status;
  readonly dueMs?: number | undefined;
  readonly nextMs?: number | undefined;
};

/**
 * Adds the rollout. Every status write includes the fresh diagnosis, so that all counts agree. A finished rollout has
 * no findings.
 */
function withRollout(status: Status, observed: PublishedFor, diagnosed: DiagnosedRollout | undefined): ShownRollout {
  const known = diagnosed?.rollout ?? knownRollout(status, observed);
  if (known === undefined) return { status };
  const fresh = revokeUpdates(known, begunPools(status, observed));
  if (!isRolloutOpen(status)) return { status: showRollout(status, endedRollout(fresh, status.phase), observed) };
  const shown = showRollout(status, fresh, observed);
  const nextMs = diagnosed?.nextMs;
  const isDue = (diagnosed?.dueMs ?? 0) <= observed.now;
  if (isDue || !equalJson(showRollout(status, status.rollout, observed), observed.stored))
    return { status: shown, nextMs };
  const isWaiting = !equalJson(shown, observed.stored);
  return { status: observed.stored, nextMs, dueMs: isWaiting ? diagnosed?.dueMs : undefined };
}

/**
 * Returns the stored rollout, for reconciles without a diagnosis. Does not count nodes in pools whose target config has
 * changed.
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

/** Returns the text about the first finding, which is appended to the message of Ready. */
function findingAddition({ phase, rollout }: Status): string | undefined {
  const first = rollout?.findings[0];
  return first && isPlanFinished(phase) ? withNext(`: ${first.message}`, adviceOf(first)) : undefined;
}

/** Returns the message of Ready for events, without the finding, because the finding may name a VM. */
export function readyTextWithoutFinding(status: Status): string {
  const { message } = conditionOf(status, "Ready") ?? { message: "" };
  const addition = findingAddition(status);
  return addition !== undefined && message.endsWith(addition) ? message.slice(0, -addition.length) : message;
}
