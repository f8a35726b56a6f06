// Events about a plan's impact. They never contain VM names, because VM names may be confidential.

import { disruptionClasses, type EventMessage, type Impact, type Status } from "@virt/api";
import { conditionOf } from "../conditions/status-conditions.ts";
import { shortHash } from "../plan-names.ts";

/** Returns the events for a changed impact. `mayWarn` is false shortly after a warning, to limit warnings. */
export function impactEvents(before: Status, after: Status, mayWarn: boolean): readonly EventMessage[] {
  const isSamePlan = before.planHash === after.planHash;
  return [
    ...assessedEvents(before, after),
    ...(isSamePlan && mayWarn ? worsenedEvents(before, after) : []),
    ...heldEvents(before, after),
  ];
}

function assessedEvents(before: Status, { impact, planHash }: Status): readonly EventMessage[] {
  const isFirst = impact !== undefined && (before.impact === undefined || before.planHash !== planHash);
  return isFirst
    ? [{ type: "Normal", reason: "ImpactAssessed", note: `Plan ${shortHash(planHash)}: ${impact.summary}` }]
    : [];
}

function worsenedEvents({ impact: was }: Status, { impact, planHash }: Status): readonly EventMessage[] {
  if (was === undefined || impact === undefined || !isWorse(was, impact)) return [];
  const note = `The impact of plan ${shortHash(planHash)} got worse: ${impact.summary}`;
  return [{ type: "Warning", reason: "ImpactWorsened", note }];
}

/** Reports whether the impact got worse: new blockers, too little capacity, a worse disruption class, or a new holdup. */
function isWorse(before: Impact, after: Impact): boolean {
  const rose = (outcome: "block" | "external") => before.vms?.[outcome] === 0 && (after.vms?.[outcome] ?? 0) > 0;
  const isFull = before.capacity.fits !== "No" && after.capacity.fits === "No";
  const rank = (pool: Impact["pools"][number]) => disruptionClasses.length - disruptionClasses.indexOf(pool.class);
  const isPoolWorse = after.pools.some((pool) => {
    const was = before.pools.find(({ name }) => name === pool.name);
    if (was === undefined) return false;
    return rank(pool) > rank(was) || (pool.holdup !== undefined && pool.holdup !== was.holdup);
  });
  return rose("block") || rose("external") || isFull || isPoolWorse;
}

/** Returns an event when a plan becomes blocked. If the cause changes later, only the status shows it. */
function heldEvents(before: Status, after: Status): readonly EventMessage[] {
  const ready = conditionOf(after, "Ready");
  const isNew = ready?.reason !== conditionOf(before, "Ready")?.reason;
  return ready !== undefined && isNew && ["Guarded", "ManagedByAutopilot"].includes(ready.reason)
    ? [{ type: "Warning", reason: "ExecutionHeld", note: ready.message }]
    : [];
}
