import type { Goal } from "./figures.ts";
import { floorVerbs } from "./floor.ts";
import type { Range } from "./percentiles.ts";
import type { FigureResult, Result } from "./results.ts";
import { shown, tableOf } from "./tables.ts";

export type Peers = Readonly<
  Record<string, { readonly says: string; readonly date: string; readonly conditions: string }>
>;

export function reportOf(result: Result, peers: Peers): string {
  const head = ["figure", "n", "p50", "p90", "p99", "rounds min..max", "ratio to floor", "goal", "result"];
  const rows = result.ours.map(figureRow);
  return [
    `\n${result.scenario}: ${result.says}\n`,
    tableOf([head, ...rows]),
    `  floor of the same minutes: ${floorLine(result)}\n`,
    `  requests of one measurement: ${requestLine(result)}\n`,
    ...notes(result, peers).map((note) => `  ${note}\n`),
  ].join("");
}

function figureRow({ name, unit, spread, rounds, ratio, goal, goalResult }: FigureResult): readonly string[] {
  return [
    name,
    `${spread.n}`,
    ...[spread.p50, spread.p90, spread.p99].map((value) => shown(value, unit)),
    `${shown(rounds.min, unit)} .. ${shown(rounds.max, unit)}`,
    ratio === undefined ? "" : ratioCell(ratio),
    goal === undefined ? "" : goalText(goal, unit),
    goalResult === undefined ? "" : goalResult.isMet ? "pass" : "FAIL",
  ];
}

function ratioCell({ to, median, min, max }: Range & { readonly to: string }): string {
  return `${median.toFixed(2)} × ${to} (${min.toFixed(2)} .. ${max.toFixed(2)})`;
}

function goalText({ is, value, ofRatio = false }: Goal, unit: FigureResult["unit"]): string {
  return `${is === "at most" ? "≤" : "≥"} ${ofRatio ? `${value} × floor` : shown(value, unit)}`;
}

function floorLine({ floor }: Result): string {
  const times = floorVerbs.map((verb) => {
    const { p50, p90, p99 } = floor[verb];
    return `${verb} ${[p50, p90, p99].map((ms) => ms.toFixed(1)).join(" / ")}`;
  });
  return `${times.join(", ")} ms (p50 / p90 / p99)`;
}

function requestLine({ requests }: Result): string {
  const counted = Object.entries(requests).map(([verb, count]) => `${verb} ${count}`);
  return counted.length === 0 ? "none at the API server" : counted.join(", ");
}

function notes(result: Result, peers: Peers): readonly string[] {
  const { floorMoved, repeated, isSteady, size, load, cores } = result;
  const named = [...new Set(result.ours.flatMap(({ peer }) => peer ?? []))];
  const dated = named.map((name) => {
    const peer = peers[name];
    if (peer === undefined) throw new Error(`peers.json has no ${name}`);
    return `peer: ${peer.says} (${peer.date}; ${peer.conditions})`;
  });
  const steady = `floor moved by ${Math.round(floorMoved * 100)} % between rounds`;
  return [
    `${steady}${repeated > 0 ? `; ${repeated} rounds were repeated for it` : ""}${isSteady ? "" : "; UNSTEADY, not to be compared"}`,
    `${size} run on ${cores} cores, load ${load.toFixed(1)}${size === "quick" ? "; times are compared with twice the goal" : ""}`,
    ...dated,
  ];
}
