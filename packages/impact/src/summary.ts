// The impact in one sentence: what a person reads before the click.

import type { Impact, ImpactEntry, ImpactGap, ImpactPool } from "@virt/api";

/** What the sentence is made of: the lists must be whole. */
export type SummaryInput = Omit<Impact, "summary" | "more" | "assessedAt" | "assumes">;

/** The parts that say something, joined with commas. */
export function summarizeImpact(impact: SummaryInput): string {
  const pools = impact.pools.flatMap(poolParts);
  const parts = [...(pools.length > 0 ? pools : ["no node changes"]), ...vmParts(impact), ...podParts(impact)];
  return [...parts, ...roomParts(impact), ...gapParts(impact.notAssessed), ...durationParts(impact)].join(", ");
}

const verbs = {
  Reboot: ["reboots", "reboot"],
  Drain: ["is drained", "are drained"],
  Reload: ["reloads services", "reload services"],
  None: ["changes", "change"],
} as const;

function poolParts(pool: ImpactPool): readonly string[] {
  if (pool.holdup === "Paused") return [`pool ${pool.name} is paused with ${count(pool.held, "node")}`];
  const causes = [pool.holdup, pool.heldBy].flatMap((cause) => cause ?? []);
  const why = causes.length === 0 ? "" : ` (${causes.join(": ")})`;
  const verb = verbs[pool.class][pool.nodes === 1 ? 0 : 1];
  const pace = pool.atOnce > 1 ? ` ${pool.atOnce} at a time` : " one after another";
  const start = `${count(pool.nodes, "node")} of pool ${pool.name} ${verb}${pool.nodes === 1 ? "" : pace}`;
  const held = `${count(pool.held, "node")} of pool ${pool.name} ${pool.held === 1 ? "does" : "do"} not start${why}`;
  return [...(pool.nodes > 0 ? [start] : []), ...(pool.held > 0 ? [held] : [])];
}

function vmParts({ vms, blockers }: SummaryInput): readonly string[] {
  if (vms === undefined) return [];
  const blocking = blockers.filter(({ kind }) => kind === "VirtualMachineInstance");
  return [
    ...part(vms.migrate, "VM", "live-migrates", "live-migrate"),
    ...blockPart(blocking, "VM"),
    ...part(vms.stop, "VM", "stops", "stop"),
    ...part(vms.restart, "VM", "restarts", "restart"),
    ...part(vms.external, "VM", "waits for an external controller", "wait for an external controller"),
    ...part(vms.unknown, "VM", "is in an unknown state", "are in an unknown state"),
  ];
}

function podParts({ pods, blockers }: SummaryInput): readonly string[] {
  if (pods === undefined) return [];
  return [
    ...blockPart(
      blockers.filter(({ kind }) => kind === "Pod"),
      "pod",
    ),
    ...(pods.delete > 0
      ? [`${count(pods.delete, "pod")} without controller ${pods.delete === 1 ? "is" : "are"} deleted`]
      : []),
  ];
}

function part(number: number, noun: string, one: string, several: string): readonly string[] {
  return number === 0 ? [] : [`${count(number, noun)} ${number === 1 ? one : several}`];
}

function blockPart(entries: readonly ImpactEntry[], noun: string): readonly string[] {
  if (entries.length === 0) return [];
  const nodes = nameNodes([...new Set(entries.map(({ node }) => node))]);
  return [`${count(entries.length, noun)} on ${nodes} ${entries.length === 1 ? "blocks" : "block"} the drain`];
}

function roomParts({ capacity }: SummaryInput): readonly string[] {
  if (capacity.fits !== "No") return [];
  const drain = capacity.nodes.length === 1 ? "drains" : "drain";
  return [`no room for ${count(capacity.unplacedVMs, "VM")} when ${nameNodes(capacity.nodes)} ${drain}`];
}

/** The words in which a summary says that VMs find no room: of many nodes an impact lists a few. Undefined: it does not say so. */
export function roomWords(summary: string): string | undefined {
  return /(?:^|, )(no room for \d+ VMs? when .+? drains?)(?:, |$)/.exec(summary)?.[1];
}

function gapParts(notAssessed: readonly ImpactGap[]): readonly string[] {
  const gap = notAssessed.find(({ what }) => what === vmGap);
  return gap === undefined ? [] : [`VM impact: not assessed (${gap.reason})`];
}

/** The name under which VMs stand in `notAssessed`. */
export const vmGap = "VMs";

function durationParts({ duration, blockers }: SummaryInput): readonly string[] {
  if (duration === undefined) return [];
  return [`${duration.text}${blockers.length > 0 ? " plus the time they block" : ""}`];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** `a`, `a and b`, `a, b and c`, `a, b and 5 more`. */
export function nameNodes(names: readonly string[]): string {
  if (names.length > 3) return `${names.slice(0, 2).join(", ")} and ${names.length - 2} more`;
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
