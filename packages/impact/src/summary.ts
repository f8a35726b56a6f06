// Summarizes the impact in short sentences for the review of a plan.

import type { Impact, ImpactEntry, ImpactGap, ImpactPool } from "@virt/api";

/** The input of a summary, with lists that are not truncated. */
export type SummaryInput = Omit<Impact, "summary" | "more" | "assessedAt" | "assumes">;

export function summarizeImpact(impact: SummaryInput): string {
  const pools = impact.pools.flatMap(poolParts);
  const parts = [...(pools.length > 0 ? pools : ["No node changes"]), ...vmParts(impact), ...podParts(impact)];
  return sentences([...parts, ...roomParts(impact), ...gapParts(impact.notAssessed), ...durationParts(impact)]);
}

export function unassessedSummary(reason: string): string {
  return sentences([`Node impact: not assessed (${reason})`]);
}

function sentences(parts: readonly string[]): string {
  return `${parts.join(". ")}.`;
}

const verbs = { Reboot: "Reboots", Drain: "Drains", Reload: "Reloads services on", None: "Changes" } as const;

function poolParts(pool: ImpactPool): readonly string[] {
  const { name, nodes, held, atOnce, holdup } = pool;
  if (holdup === "Paused") return [`The ${name} pool is paused with ${count(held, "node")} waiting for an update`];
  const causes = [holdup, pool.heldBy].flatMap((cause) => cause ?? []);
  const why = causes.length === 0 ? "" : ` (${causes.join(": ")})`;
  const pace = nodes === 1 ? "" : `, ${atOnce > 1 ? atOnce : "one"} at a time`;
  const start = `${verbs[pool.class]} ${count(nodes, "node")} (${name} pool${pace})`;
  const stuck = `${count(held, "node")} of the ${name} pool ${held === 1 ? "is" : "are"} on hold${why}`;
  return [...(nodes > 0 ? [start] : []), ...(held > 0 ? [stuck] : [])];
}

function vmParts({ vms, blockers }: SummaryInput): readonly string[] {
  if (vms === undefined) return [];
  const blocking = blockers.filter(({ kind }) => kind === "VirtualMachineInstance");
  return [
    ...actPart("Live-migrates", vms.migrate, "VM"),
    ...blockPart(blocking, "VM"),
    ...actPart("Stops", vms.stop, "VM"),
    ...actPart("Restarts", vms.restart, "VM"),
    ...statePart(vms.external, "VM", "waits for an external controller", "wait for an external controller"),
    ...statePart(vms.unknown, "VM", "is in an unknown state", "are in an unknown state"),
  ];
}

function podParts({ pods, blockers }: SummaryInput): readonly string[] {
  if (pods === undefined) return [];
  const blocking = blockers.filter(({ kind }) => kind === "Pod");
  const deleted = `Deletes ${count(pods.delete, "pod")} that ${pods.delete === 1 ? "has" : "have"} no controller`;
  return [...blockPart(blocking, "pod"), ...(pods.delete > 0 ? [deleted] : [])];
}

function actPart(verb: string, number: number, noun: string): readonly string[] {
  return number === 0 ? [] : [`${verb} ${count(number, noun)}`];
}

function statePart(number: number, noun: string, one: string, several: string): readonly string[] {
  return number === 0 ? [] : [`${count(number, noun)} ${number === 1 ? one : several}`];
}

function blockPart(entries: readonly ImpactEntry[], noun: string): readonly string[] {
  const nodes = nameNodes([...new Set(entries.map(({ node }) => node))]);
  return statePart(entries.length, noun, `blocks the drain of ${nodes}`, `block the drain of ${nodes}`);
}

function roomParts({ capacity }: SummaryInput): readonly string[] {
  return capacity.fits === "No" ? [roomText(capacity)] : [];
}

/** Returns a string such as `2 VMs do not fit on other nodes while worker-0 is drained`. */
export function roomText({ nodes, unplacedVMs }: Impact["capacity"]): string {
  const fit = `${count(unplacedVMs, "VM")} ${unplacedVMs === 1 ? "does" : "do"} not fit on other nodes`;
  return `${fit} while ${nameNodes(nodes)} ${nodes.length === 1 ? "is" : "are"} drained`;
}

/** Extracts the text about capacity from a summary. It covers all nodes, but the impact lists only some. */
export function roomWords(summary: string): string | undefined {
  return /(?:^|\. )(\d+ VMs? do(?:es)? not fit on other nodes while .+? (?:is|are) drained)\./.exec(summary)?.[1];
}

function gapParts(notAssessed: readonly ImpactGap[]): readonly string[] {
  const gap = notAssessed.find(({ what }) => what === vmGap);
  return gap === undefined ? [] : [`VM impact: not assessed (${gap.reason})`];
}

/** The name of the gap for VMs in `notAssessed`. */
export const vmGap = "VMs";

function durationParts({ duration, blockers }: SummaryInput): readonly string[] {
  if (duration === undefined) return [];
  return [`Takes ${duration.text}${blockers.length > 0 ? ", not counting blocked time" : ""}`];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Formats names as `a`, `a and b`, `a, b and c` or `a, b and 5 more`. */
export function nameNodes(names: readonly string[]): string {
  if (names.length > 3) return `${names.slice(0, 2).join(", ")} and ${names.length - 2} more`;
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
