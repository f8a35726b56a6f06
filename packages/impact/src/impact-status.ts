// Summarizes an impact, and limits its size in the status in large clusters.

import { disruptionClasses, type Impact, type ImpactEntry, type ImpactGap, type ImpactPool } from "@virt/api";
import { utf8Length } from "@virt/objects";
import { foreignText } from "./assessed.ts";

const most = { pools: 8, blockers: 20, stops: 10, assumes: 10, notAssessed: 8, order: 12, capacityNodes: 3 };
const mostName = 253;
const mostSummary = 512;
const mostBytes = 16_000;

/** Truncates strings and lists. `more` counts the omitted entries. */
export function boundImpact(whole: Impact): Impact {
  const name = (text: string) => foreignText(text, mostName);
  const entry = (each: ImpactEntry): ImpactEntry => ({
    ...each,
    node: name(each.node),
    namespace: name(each.namespace),
    name: name(each.name),
    reason: foreignText(each.reason),
  });
  const short: Impact = {
    ...whole,
    summary: foreignText(whole.summary, mostSummary),
    capacity: { ...whole.capacity, nodes: whole.capacity.nodes.slice(0, most.capacityNodes).map(name) },
    pools: listedPools(whole.pools).map((pool) => ({
      ...pool,
      name: name(pool.name),
      order: pool.order.slice(0, most.order).map(name),
    })),
    blockers: whole.blockers.slice(0, most.blockers).map(entry),
    stops: whole.stops.slice(0, most.stops).map(entry),
    assumes: whole.assumes.slice(0, most.assumes).map((text) => foreignText(text)),
    notAssessed: whole.notAssessed
      .slice(0, most.notAssessed)
      .map((gap) => ({ ...gap, message: foreignText(gap.message) })),
  };
  return cutLists(short, whole);
}

/** Lists pools with a holdup first, because the list may be truncated. */
function listedPools(pools: readonly ImpactPool[]): readonly ImpactPool[] {
  const isCertain = ({ holdup }: ImpactPool) => Number(holdup === undefined);
  const harmless = (pool: ImpactPool) => disruptionClasses.indexOf(pool.class);
  const listed = new Set(
    pools
      .toSorted((left, right) => isCertain(left) - isCertain(right) || harmless(left) - harmless(right))
      .slice(0, most.pools),
  );
  return pools.filter((pool) => listed.has(pool));
}

/** Replaces VM names with `*`, and merges the VMs of a node and namespace into one entry. */
export function withoutVmNames(impact: Impact): Impact {
  const hide = (entries: readonly ImpactEntry[]) => {
    const named = entries.map((entry) => (entry.kind === "VirtualMachineInstance" ? { ...entry, name: "*" } : entry));
    const keyOf = ({ kind, node, namespace, name }: ImpactEntry) => JSON.stringify([kind, node, namespace, name]);
    return [...Map.groupBy(named, keyOf).values()].flatMap(([first]) => first ?? []);
  };
  return { ...impact, blockers: hide(impact.blockers), stops: hide(impact.stops) };
}

type CutList = "stops" | "order" | "blockers" | "pools" | "notAssessed" | "assumes";

/** The order in which lists are truncated, least important first. */
const cutOrder: readonly CutList[] = ["stops", "order", "blockers", "pools", "notAssessed", "assumes"];

function cutLists(short: Impact, whole: Impact): Impact {
  let impact = withMore(short, whole);
  for (const list of cutOrder)
    while (utf8Length(JSON.stringify(impact)) > mostBytes && isLong(impact, list))
      impact = withMore(withoutLast(impact, list), whole);
  return impact;
}

function isLong(impact: Impact, list: CutList): boolean {
  return list === "order" ? impact.pools.some(({ order }) => order.length > 0) : impact[list].length > 0;
}

function withoutLast(impact: Impact, list: CutList): Impact {
  if (list !== "order") return { ...impact, [list]: impact[list].slice(0, -1) };
  const longest = impact.pools.reduce((length, { order }) => Math.max(length, order.length), 0);
  const pools = impact.pools.map((pool) => ({ ...pool, order: pool.order.slice(0, longest - 1) }));
  return { ...impact, pools };
}

function withMore(impact: Impact, whole: Impact): Impact {
  const left = (list: "pools" | "blockers" | "stops") => whole[list].length - impact[list].length;
  return { ...impact, more: { pools: left("pools"), blockers: left("blockers"), stops: left("stops") } };
}

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
