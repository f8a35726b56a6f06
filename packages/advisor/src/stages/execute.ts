// InProgress: applies the items in order, then waits for all rollouts together.

import type { Item, Status } from "@virt/api";
import { isPinned } from "../approval.ts";
import { conditionIs } from "../conditions/read.ts";
import { upgrades } from "../conditions/side.ts";
import { driftText } from "../drift-text.ts";
import { isBegun } from "../items.ts";
import { land } from "../land.ts";
import { inForce } from "../moved-inputs.ts";
import type { Decision, Observed } from "../observed.ts";
import { advance, beginNext, type Failure, nextLook, stops } from "../progress.ts";
import { texts } from "../texts.ts";
import { awaitApproval } from "./await-approval.ts";
import { enterDrafting } from "./enter-drafting.ts";
import { isLockBypassed, stalePlan } from "./stale-plan.ts";
import { poolsOf } from "./stay.ts";

export function execute(seen: Observed): Decision {
  const { was, spec } = seen;
  if (spec.action !== "Apply") return enterDrafting(seen, { message: texts.started });
  if (!isPinned(seen, was.planHash ?? "")) return awaitApproval(seen);
  return run(underWay(seen));
}

/** An approval that comes while the plan runs is used up by it. */
export function underWay(seen: Observed): Observed {
  return { ...seen, was: { ...seen.was, executedGeneration: seen.generation } };
}

function run(seen: Observed): Decision {
  const { spec, now } = seen;
  const isStale = seen.items.some(({ item, isStale }) => item.state === "Pending" && isStale);
  if (isStale && !isLockBypassed(spec)) return stalePlan(seen);
  const { items, failure } = advance(seen.items, spec, now);
  if (seen.items.some(({ item }) => isOpen(item))) return goOn(seen, items, failure);
  return onward(seen, items, failure) ?? finish(seen, items);
}

/** What follows from the items as they stand now. The end is left to a pass that has looked for drift in all of them. */
export function goOn(seen: Observed, items: readonly Item[], failure?: Failure): Decision {
  const { items: next } = beginNext(items, seen.items, seen.now);
  return onward(seen, items, failure) ?? land(seen, "InProgress", { set: { items: next }, again: { when: "at-once" } });
}

function onward(seen: Observed, items: readonly Item[], failure?: Failure): Decision | undefined {
  const { spec, now, was } = seen;
  if (stops(spec.failurePolicy, items)) return fail(seen, items, failure);
  const before = items.find(isBegun);
  const { items: next } = beginNext(items, seen.items, now);
  const set = { items: next };
  if (before !== undefined) {
    const onRecord = isOnRecord(was, before) ? { effect: { kind: "execute", item: before } as const } : {};
    return land(seen, "InProgress", { set, again: { when: "at-once" }, ...onRecord });
  }
  if (next.some(isBegun)) return land(seen, "InProgress", { set, again: { when: "at-once" } });
  if (next.some(isOpen)) {
    return land(seen, "InProgress", { set, again: { when: "at", atMs: nextLook(next, spec, now) } });
  }
  return undefined;
}

/** Nothing is applied in a pass that did not find approval and intent on record. */
function isOnRecord(was: Status, item: Item): boolean {
  return (
    was.phase === "InProgress" && was.items?.some((stored) => stored.name === item.name && isBegun(stored)) === true
  );
}

function isOpen({ state }: Item): boolean {
  return state === "Pending" || state === "InProgress";
}

function fail(seen: Observed, items: readonly Item[], failure?: Failure): Decision {
  const item = items.find(({ state }) => state === "Failed");
  const why = failure?.why ?? item?.message ?? "";
  const message = `Item '${failure?.item ?? item?.name ?? ""}' failed: ${why}`;
  return land(seen, "Failed", { message, set: { items }, again: { when: "on-change" } });
}

/** Everything that was verified is the new state of reference. */
function finish(seen: Observed, items: readonly Item[]): Decision {
  const verified = items.map((item) => {
    const current = seen.items.find((one) => one.item.name === item.name)?.current;
    return current === undefined ? item : { ...item, reviewed: current };
  });
  const hasFailed = items.some(({ state }) => state === "Failed");
  const set = {
    items: verified,
    inputs: inForce(seen.was.inputs ?? [], seen.inputs, hasFailed),
    sourceSnapshotHash: seen.snapshotHash,
  };
  const again = { when: "at-once" } as const; // inputs, drift, recovery and version are the next pass's
  if (hasFailed) return land(seen, "CompletedWithErrors", { set, again, ...poolsOf(seen) });
  const drifted = seen.items.filter(({ drift }) => drift !== undefined);
  if (drifted.length > 0) return land(seen, "Drifted", { message: driftText(drifted), set, again });
  const isAdopted =
    conditionIs(seen.was, "UpgradeAvailable", "True") && seen.was.operatorVersion === seen.operator.version;
  return land(seen, "Completed", {
    message: "All items applied successfully",
    set,
    side: isAdopted ? [upgrades.applied] : [],
    again,
    ...poolsOf(seen),
  });
}
