// Builds the trials of a campaign: each fault at every request that all fault-free runs made.

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

export type Trial = { readonly name: string; readonly kind: TrialKind; readonly plans: readonly FaultPlan[] };

export type TrialKind = "500" | "503" | "429" | "reset" | "stall" | "kill" | "lost answer" | "twice" | "pair";

export function trialsOf(traces: readonly (readonly TracedRequest[])[]): readonly Trial[] {
  const plans = plansOf(traces, defaultFaults);
  const single = plans.map((plan) => ({ name: plan.name, kind: kindOf(plan.fault), plans: [plan] }));
  return [...single, ...plans.flatMap(twice)];
}

/**
 * Reports whether a fault-free run can lack the trial's request although all reference runs had it. Informers restart
 * on demand, and how often depends on the duration of an assessment.
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

/** Fails the read and its repetition in the next reconcile, which must not treat an unreadable object as absent. */
function twice(plan: FaultPlan): readonly Trial[] {
  const { trigger, fault, name } = plan;
  if (trigger.on !== "request" || trigger.matching.verb !== "get" || kindOf(fault) !== "500") return [];
  const again = { ...plan, trigger: { ...trigger, number: trigger.number + 1 } };
  return [{ name: `${name}, and at its repetition`, kind: "twice", plans: [plan, again] }];
}

/**
 * Counts requests per verb and object, because concurrent requests arrive in any order. Uses only visits that all runs
 * share, and only the first discovery of a kind: later ones depend on the duration of a run.
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
