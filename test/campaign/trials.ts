// The trials of a campaign: each fault at every request that all runs without a fault have made.

import {
  defaultFaults,
  type Fault,
  type FaultPlan,
  type FaultSet,
  generateFaultPlans,
  type RequestInfo,
  type RequestMatcher,
  type TracedRequest,
} from "@virt/testkit";

/** One run: usually with one plan. */
export type Trial = { readonly name: string; readonly kind: TrialKind; readonly plans: readonly FaultPlan[] };

/** The class of a trial, for a test's promise. */
export type TrialKind = "500" | "503" | "429" | "reset" | "stall" | "kill" | "lost answer" | "twice" | "pair";

export function trialsOf(traces: readonly (readonly TracedRequest[])[]): readonly Trial[] {
  const plans = plansOf(traces, defaultFaults);
  const single = plans.map((plan) => ({ name: plan.name, kind: kindOf(plan.fault), plans: [plan] }));
  return [...single, ...plans.flatMap(twice)];
}

/**
 * Reports whether a run without a fault may lack the request of a trial, although all reference runs had it: informers start again when they
 * are wanted again, and how often that is depends on how long an assessment takes.
 */
export function mayFindNoRequest({ plans }: Trial): boolean {
  return plans.every(
    ({ trigger }) => trigger.on === "request" && trigger.matching.verb === "watch" && trigger.number > 1,
  );
}

function kindOf({ kind, ...fault }: Fault): TrialKind {
  if (kind === "answer") return `${(fault as { readonly status: number }).status}` as TrialKind;
  if (kind === "lose-answer") return "lost answer";
  return kind.startsWith("crash") ? "kill" : (kind as TrialKind);
}

/** What is read is read again by the next reconcile, which must not take "cannot be read" for an answer. */
function twice(plan: FaultPlan): readonly Trial[] {
  const { trigger, fault, name } = plan;
  if (trigger.on !== "request" || trigger.matching.verb !== "get" || kindOf(fault) !== "500") return [];
  const again = { ...plan, trigger: { ...trigger, number: trigger.number + 1 } };
  return [{ name: `${name}, and at its repetition`, kind: "twice", plans: [plan, again] }];
}

/**
 * Requests that run at the same time come in any order, so each is counted among those of its own place: the same verb on
 * the same object. Of a place that one run visits more often than another only the common visits are struck, and of
 * discovery the first alone: how often a kind is discovered again depends on how long a run takes.
 */
function plansOf(
  traces: readonly (readonly TracedRequest[])[],
  { perShape, ...faults }: FaultSet,
): readonly FaultPlan[] {
  const [first = [], ...others] = traces.map(byPlace);
  const places = [...first].flatMap(([place, calls]) => {
    const matching = JSON.parse(place) as RequestMatcher;
    const certain = matching.verb === "discover" ? 1 : calls.length;
    const most = Math.min(certain, ...others.map((other) => other.get(place)?.length ?? 0));
    return most > 0 ? [{ matching, calls: calls.slice(0, most) }] : [];
  });
  const atPlaces = places.flatMap(({ matching, calls }) =>
    generateFaultPlans(calls, { ...faults, perShape: [] }).map((plan) => narrowed(plan, matching)),
  );
  const common = places.flatMap(({ calls }) => calls);
  return [...atPlaces, ...generateFaultPlans(common, { perRequest: [], perWrite: [], perShape })];
}

function byPlace(trace: readonly TracedRequest[]): ReadonlyMap<string, readonly TracedRequest[]> {
  return Map.groupBy(trace, (call) => JSON.stringify(placeOf(call)));
}

function placeOf({ verb, group, resource, namespace, name, subresource, isDryRun }: RequestInfo): RequestMatcher {
  return { verb, group, resource, namespace, name, subresource, isDryRun };
}

function narrowed(plan: FaultPlan, matching: RequestMatcher): FaultPlan {
  const { trigger } = plan;
  return trigger.on === "every" ? plan : { ...plan, trigger: { ...trigger, matching } };
}
