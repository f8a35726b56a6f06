// Evaluates `spec.guards`. A guard allows a plan only if all of its inputs are known.

import type { Guards, Impact, Item } from "@virt/api";
import { findRolloutObstacles, roomText, roomWords } from "@virt/impact";
import { isMachineConfig } from "../items.ts";
import type { Observed } from "../observed.ts";

export type GuardObstacle = { readonly text: string; readonly next: string };

const goesOn =
  "The plan starts automatically when the guard allows it. To withdraw the approval, set action to DryRun.";

/**
 * Returns the first guard that blocks the plan, or undefined. `impact` must be newer than the approval; it is undefined
 * if the plan was not assessed.
 */
export function findGuardObstacle(
  { spec: { guards = {} } }: Pick<Observed, "spec">,
  impact: Impact | undefined,
  items: readonly Pick<Item, "targetRef" | "changes">[],
): GuardObstacle | undefined {
  if (!items.some((item) => item.changes && isMachineConfig(item))) return undefined;
  for (const check of guardChecks) {
    const found = check(guards, impact);
    if (found !== undefined) return { text: `spec.guards.${found.text}`, next: `${found.next}. ${goesOn}` };
  }
  return undefined;
}

type GuardCheck = (guards: Guards, impact: Impact | undefined) => GuardObstacle | undefined;

const guardChecks: readonly GuardCheck[] = [
  ({ maxBlockingVMs: most }, impact) => {
    if (most === undefined) return undefined;
    const gap = gapOf(impact, "VMs", "KubeVirt");
    if (impact?.vms === undefined || gap !== undefined) return unassessed("maxBlockingVMs", gap);
    const { block, unknown } = impact.vms;
    if (block <= most)
      return (
        heldUp("maxBlockingVMs", impact) ??
        (block + unknown > most ? unassessed("maxBlockingVMs", unknownStateGap) : undefined)
      );
    const fact = block === 1 ? "1 VM blocks the drain" : `${block} VMs block the drain`;
    const next = "stop or move the VMs listed in status.impact.blockers, or raise spec.guards.maxBlockingVMs";
    return { text: `maxBlockingVMs is ${most}, but ${fact}`, next };
  },
  ({ maxNodes: most }, impact) => {
    if (most === undefined) return undefined;
    const gap = gapOf(impact);
    if (impact === undefined || gap !== undefined) return unassessed("maxNodes", gap);
    const nodes = impact.nodes + impact.held;
    if (nodes <= most) return heldUp("maxNodes", impact);
    const fact = nodes === 1 ? "1 node changes" : `${nodes} nodes change`;
    return { text: `maxNodes is ${most}, but ${fact}`, next: "raise spec.guards.maxNodes" };
  },
  ({ requireCapacity }, impact) => {
    if (requireCapacity !== true) return undefined;
    const gap = gapOf(impact, "VMs", "KubeVirt");
    if (impact === undefined || gap !== undefined) return unassessed("requireCapacity", gap);
    const { capacity, summary } = impact;
    if (capacity.fits === "Yes") return heldUp("requireCapacity", impact);
    if (capacity.fits === "Unknown")
      return heldUp("requireCapacity", impact) ?? unassessed("requireCapacity", unknownRoomGap(impact));
    const fact = roomWords(summary) ?? roomText(capacity); // falls back to the capacity, because the summary may be truncated
    return { text: `requireCapacity is true, but ${fact}`, next: "free memory on other nodes, or add a node" };
  },
];

/** An unknown input. `next` is set if `status.impact` does not list it. */
type Gap = Pick<Impact["notAssessed"][number], "what" | "reason"> & { readonly next?: string };

/**
 * Returns the first gap that affects a guard. Nodes are always needed. So are KubeletConfigs, because a rejected one
 * can block a pool.
 */
function gapOf(impact: Impact | undefined, ...kinds: readonly string[]): Gap | undefined {
  return impact?.notAssessed.find(({ what }) => what === "nodes" || what === "KubeletConfigs" || kinds.includes(what));
}

/** Blocks the plan if nodes are on hold, because these would update later, when guards are not evaluated anymore. */
function heldUp(guard: keyof Guards, impact: Impact): GuardObstacle | undefined {
  const found = findRolloutObstacles(impact);
  if (found.length === 0) return undefined;
  const [texts, steps] = [found.map(({ text }) => text), found.map(({ next }) => next)];
  return { text: `${guard} cannot be evaluated: ${texts.join(", ")}`, next: steps.join("; ") };
}

/** VMs for which the effect of a drain is unknown, because the node is not responding or no eviction strategy is set. */
const unknownStateGap: Gap = {
  what: "VM state",
  reason: "Unavailable",
  next: "check the VMs in an unknown state (status.impact.vms.unknown shows how many)",
};

/** Returns why the capacity is unknown: the outcome or the size of some VMs is unknown. */
function unknownRoomGap(impact: Impact): Gap {
  const { unknown = 0, stop = 0 } = impact.vms ?? {};
  const known = stop > 0 ? gapOf(impact, "VM owners") : undefined;
  if (known !== undefined) return known;
  if (unknown > 0) return unknownStateGap;
  return { what: "VM memory", reason: "Unavailable", next: "set a memory size for the VMs that have none" };
}

const firstLists: Gap = { what: "nodes", reason: "Listing" };

function unassessed(guard: keyof Guards, gap: Gap = firstLists): GuardObstacle {
  const text = `${guard} cannot be evaluated: ${gap.what} not assessed (${gap.reason})`;
  if (gap.next !== undefined) return { text, next: gap.next };
  const isSoon = gap.reason === "Listing";
  return {
    text,
    next: isSoon ? "wait until the advisor has listed all objects" : "fix the cause shown in status.impact.notAssessed",
  };
}
