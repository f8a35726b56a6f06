// Derives the input for a decision from the facts of a reconcile.

import type { Item, KubeObject } from "@virt/api";
import { type CountOfPool, nodesWithout } from "@virt/cluster";
import { desiredChanges, equalJson } from "@virt/objects";
import { isRevertedByAutopilot } from "./autopilot-targets.ts";
import { checkPlan } from "./check-plan.ts";
import type { Drifts, ReconcileFacts } from "./facts.ts";
import { isStale, reviewedNow, snapshotHash } from "./hashes.ts";
import { observeInputs } from "./inputs.ts";
import { isMachineConfig, isSkipped, itemMessages } from "./items.ts";
import type { Drift, Observed, ObservedItem } from "./observed.ts";
import { isPlanOpen } from "./phases.ts";
import { compareUpgrade, findBlocker, plannedItems } from "./plan.ts";
import type { PlannedItem } from "./profile.ts";
import { countNodesOf } from "./rollout/rollout-changes.ts";
import { isTargetGone, observeRollouts, poolsOf, rolloutOf, withNodeReport } from "./rollout/rollouts.ts";
import { awaitsReport, problemOfTarget } from "./target-problem.ts";

/** Returns the input for `transition`. `drifts` must be confirmed by a dry run. An item without an entry is in sync. */
export function observe(facts: ReconcileFacts, drifts: Drifts): Observed {
  const { now, operator, config, profile, live } = facts;
  const stored = config.status ?? {};
  const items = stored.items ?? [];
  const blocked = findBlocker(facts);
  const upgrade = blocked === undefined ? compareUpgrade(facts) : undefined;
  const planned = items.length > 0 ? plannedItems(facts) : [];
  const countOf = countNodesOf(facts);
  return {
    now,
    operator,
    generation: config.metadata.generation ?? 0,
    spec: config.spec,
    stored,
    impact: profile?.impact ?? "Low",
    ...(blocked && { blocked }),
    inputs: blocked === undefined ? observeInputs(facts) : [],
    items: items.map((item) =>
      observeItem(
        item,
        planned.find(({ name }) => name === item.name),
        { facts: { ...facts, countOf }, drifts },
      ),
    ),
    rollouts: observeRollouts({ ...facts, countOf }),
    snapshotHash: snapshotHash(items.map((item) => ({ ...item, live: live(item.targetRef) }))),
    statusOrigin: facts.statusOrigin,
    isDisruptionStale: isDisruptionStale(facts),
    ...(facts.autopilot?.dueMs !== undefined && { autopilotDueMs: facts.autopilot.dueMs }),
    ...(facts.impactNow && { impactNow: facts.impactNow }),
    ...(facts.otherPlans && { otherPlans: facts.otherPlans }),
    ...(facts.leftBehind && { leftBehind: facts.leftBehind }),
    planCheck: isPlanOpen(stored.phase) ? checkPlan(facts) : { kind: "unchecked" },
    ...(upgrade && { upgrade }),
  };
}

function isDisruptionStale({ config, disruptionNow }: ReconcileFacts): boolean {
  return disruptionNow !== undefined && !equalJson(disruptionNow, config.status?.disruption ?? []);
}

type Seeing = { readonly facts: ReconcileFacts & { readonly countOf: CountOfPool }; readonly drifts: Drifts };

function observeItem(item: Item, planned: PlannedItem | undefined, { facts, drifts }: Seeing): ObservedItem {
  const live = facts.live(item.targetRef);
  const rollout = withNodeReport(rolloutOf(item, live, facts), planned, facts);
  const lacking = nodesWithoutConfig(item, facts);
  const isReverted = isRevertedByAutopilot({ desired: item.desiredState, live }, facts.autopilot);
  const found = drifts.get(item.name);
  const drift: Drift | undefined = found?.kind === "changed" && isReverted ? { ...found, kind: "taken-over" } : found;
  const problem = problemOfTarget(item, planned, live, { phase: facts.config.status?.phase, now: facts.now });
  return {
    item,
    isStale: isStale(item, live),
    isInPlace: isInPlace(item, live),
    ...(isReverted && { isReverted }),
    ...(isTargetGone(item, live) && { isGone: true }),
    ...(drift && { drift }),
    ...(problem && { problem }),
    ...(awaitsReport(planned, live) && { awaitsReport: true }),
    ...(rollout && { rollout }),
    ...(lacking && { nodesWithout: lacking }),
    ...(facts.nodesRefusal !== undefined && isMachineConfig(item) && { nodesRefusal: facts.nodesRefusal }),
    pools: poolsOf(item, live, facts),
    current: reviewedNow(item, live),
    inSyncMessage: rollout?.message ?? inSyncMessage(item, planned),
  };
}

/** Returns the nodes that do not have the item's configuration. This is known only while a plan runs. */
function nodesWithoutConfig({ desiredState, ...item }: Item, { config, vmNodes, pools, renderedOf }: ReconcileFacts) {
  if (config.status?.phase !== "InProgress" || vmNodes === undefined) return undefined;
  if (desiredState === undefined || !isMachineConfig(item)) return undefined;
  return nodesWithout(desiredState, { vmNodes, pools, renderedOf });
}

function isInPlace({ operation, desiredState }: Item, live: KubeObject | undefined): boolean {
  if (operation === "Delete" || live === undefined) return operation === "Delete" && live === undefined;
  return desiredState !== undefined && desiredChanges(desiredState, live).length === 0;
}

/**
 * Returns the message of an item in sync. For a skipped item, this is the profile's reason, because the stored message
 * may be about drift.
 */
function inSyncMessage(item: Item, planned: PlannedItem | undefined): string {
  if (isSkipped(item) && planned?.operation === "Apply" && planned.isSkipped === true) return planned.message;
  if (item.appliedTime === undefined) return itemMessages.unchanged;
  return item.operation === "Delete" ? itemMessages.deleted : itemMessages.applied;
}
