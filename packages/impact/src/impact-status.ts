// Limits the size of the impact in the status in large clusters.

import { disruptionClasses, type Impact, type ImpactEntry, type ImpactPool } from "@virt/api";
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
