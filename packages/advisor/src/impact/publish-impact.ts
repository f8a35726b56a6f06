import type { Impact, Status } from "@virt/api";
import { isStillListing } from "@virt/impact";
import { equalJson, readTime } from "@virt/objects";
import type { Decision, Observed, Requeue } from "../observed.ts";
import { isPlanOpen } from "../phases.ts";

/** The minimum intervals for changed facts, and for estimates that change all the time. */
const restMs = { facts: 60_000, figures: 600_000 };

/** Adds the assessment to the status if it is due. Otherwise, requeues at that time. */
export function withImpact(decision: Decision, observed: Pick<Observed, "stored" | "impactNow" | "now">): Decision {
  const { status, requeue } = decision;
  const { stored, impactNow: fresh, now } = observed;
  if (fresh === undefined || !isShown(status, stored)) return decision;
  if (status.phase === "InProgress")
    return isOpen(status.impact) && !isOpen(fresh) ? withFresh(decision, fresh) : decision;
  const dueMs = dueOf(status.impact, fresh);
  if (dueMs === undefined) return decision;
  return dueMs <= now ? withFresh(decision, fresh) : { ...decision, requeue: notAfter(requeue, dueMs) };
}

/** The impact follows one write after its plan. It is frozen while the plan runs. */
function isShown(status: Status, stored: Status): boolean {
  return isPlanOpen(status.phase) && stored.phase === status.phase && stored.planHash === status.planHash;
}

/** An incomplete assessment is replaced once, even while the plan runs. */
function isOpen(impact: Impact | undefined): boolean {
  return impact === undefined || isStillListing(impact);
}

function withFresh(decision: Decision, impact: Impact): Decision {
  return { ...decision, status: { ...decision.status, impact } };
}

/** Returns when to store the fresh assessment, in milliseconds. Undefined if it shows nothing new. */
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

function notAfter(requeue: Requeue, atMs: number): Requeue {
  if (requeue.when === "on-change") return { when: "at", atMs };
  return requeue.when === "at" ? { when: "at", atMs: Math.min(atMs, requeue.atMs) } : requeue;
}
