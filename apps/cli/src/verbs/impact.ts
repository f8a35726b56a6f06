// `impact`: which nodes reboot, in which order, what becomes of their VMs, and what the assessment assumes.

import { type Impact, type ImpactEntry, type ImpactPool, type VmOutcome, vmOutcomes } from "@virt/api";
import { ageText, durationText, foreignText, planName, secondsSince } from "@virt/client";
import { requireConfig, requirePlan } from "../find-config.ts";
import { impactText } from "../plan-blocks.ts";
import type { Block, StyledText } from "../printer.ts";
import { exitCodes, type RunVerb } from "../verb.ts";

export const showImpact: RunVerb = async (context) => {
  const { words, printer, now, program } = context;
  const config = await requireConfig(context);
  const [name = ""] = words;
  const planHash = requirePlan(config, undefined, program);
  const { impact, disruption = [], impactSeverity } = config.status ?? {};
  const age = secondsSince(impact?.assessedAt, now());
  const head: StyledText[][] = [
    [{ text: name, style: "bold" }, `   plan ${planName(planHash)}   impact ${impactSeverity ?? "-"}`],
    [impactText(config)],
    ...(age === undefined ? [] : [[{ text: `assessed ${ageText(age)} ago`, style: "dim" as const }]]),
  ];
  const classes: Block = {
    kind: "table",
    head: ["POOL", "CLASS"],
    rows: disruption.map((one) => [one.pool, one.class]),
  };
  const own: readonly Block[] =
    disruption.length === 0 ? [{ kind: "lines", lines: [["No nodes change."]] }] : [classes];
  printer.print({
    type: "Impact",
    data: { name, planHash, disruption, ...(impact && { impact }) },
    blocks: [{ kind: "lines", lines: head }, ...(impact === undefined ? own : impactBlocks(impact))],
  });
  return exitCodes.done;
};

/** All of an impact, for people. */
export function impactBlocks(impact: Impact): readonly Block[] {
  const { blockers, stops, more, assumes, notAssessed } = impact;
  const gaps = notAssessed.map(({ what, reason, message }) => `${what}: ${reason}${message && ` (${message})`}`);
  return [
    ...poolBlocks(impact),
    { kind: "lines", lines: figureLines(impact) },
    ...entryBlocks("Blocks the drain until you act:", blockers, more.blockers),
    ...entryBlocks("Stops, restarts, is deleted, or waits for an external controller:", stops, more.stops),
    ...listBlocks("Not assessed:", gaps),
    ...listBlocks("Assumptions:", assumes),
  ];
}

function figureLines({ vms, pods, capacity, duration }: Impact): StyledText[][] {
  return [
    ...(vms === undefined ? [] : [[`VMs: ${vmText(vms)}`]]),
    ...(pods === undefined ? [] : [[`Pods: ${pods.block} blocking the drain, ${pods.delete} deleted`]]),
    [`Capacity: ${roomText(capacity)}`],
    ...(duration === undefined
      ? []
      : [[`Duration: ${duration.text} (restarts: ${duration.restart}, migrations: ${duration.migration})`]]),
  ];
}

const outcomeWords: Readonly<Record<VmOutcome, string>> = {
  migrate: "to live-migrate",
  block: "blocking the drain",
  stop: "to stop",
  restart: "to restart",
  external: "waiting for an external controller",
  starting: "still starting",
  unknown: "in an unknown state",
};

function vmText(vms: Readonly<Record<VmOutcome, number>>): string {
  const affected = vmOutcomes.filter((outcome) => vms[outcome] > 0);
  return affected.map((outcome) => `${vms[outcome]} ${outcomeWords[outcome]}`).join(", ") || "none affected";
}

/** Of a wave of many nodes the status has the first three. */
function roomText({ fits, nodes, unplacedVMs, unplacedMiB }: Impact["capacity"]): string {
  if (fits !== "No") return fits === "Yes" ? "the VMs of every wave fit on other nodes" : "unknown";
  const when = nodes.length === 1 ? `${nodes.join("")} drains` : `the wave with ${nodes.join(", ")} drains`;
  return `not enough for ${unplacedVMs} ${unplacedVMs === 1 ? "VM" : "VMs"} (${unplacedMiB} MiB) when ${when}`;
}

function poolBlocks({ pools, more }: Impact): readonly Block[] {
  if (pools.length === 0) return moreBlocks(more.pools, "pools");
  const table: Block = {
    kind: "table",
    head: ["POOL", "CLASS", "NODES", "AT A TIME", "WAVES", "DURATION", "ON HOLD", "REASON", "ORDER"],
    rows: pools.map((pool) => [
      pool.name,
      { text: pool.class, style: pool.class === "Reboot" ? "bad" : "warning" },
      `${pool.nodes}`,
      `${pool.atOnce}`,
      `${pool.waves}`,
      poolDuration(pool),
      `${pool.held}`,
      [pool.holdup ?? "-", ...(pool.heldBy === undefined ? [] : [pool.heldBy])].join(": "),
      orderText(pool),
    ]),
  };
  return [table, ...moreBlocks(more.pools, "pools")];
}

function poolDuration({ lowSeconds, highSeconds }: ImpactPool): string {
  if (lowSeconds === undefined || highSeconds === undefined) return "-";
  return durationText({ low: lowSeconds, high: highSeconds });
}

function orderText({ order, nodes, held }: ImpactPool): string {
  const rest = nodes + held - order.length;
  return [...order, ...(rest > 0 ? [`and ${rest} more`] : [])].join(" ") || "-";
}

function entryBlocks(title: string, entries: readonly ImpactEntry[], more: number): readonly Block[] {
  if (entries.length + more === 0) return [];
  const rows = entries.map(({ node, kind, namespace, name, reason }) => [
    node,
    `${kind} ${namespace}/${name}`,
    foreignText(reason),
  ]);
  return [
    { kind: "lines", lines: [[{ text: `! ${title}`, style: "warning" }]] },
    ...(rows.length === 0 ? [] : [{ kind: "table", head: ["NODE", "OBJECT", "REASON"], rows } as const]),
    ...moreBlocks(more),
  ];
}

/** What the status counts and has no room for. */
function moreBlocks(more: number, what = ""): readonly Block[] {
  return more === 0 ? [] : [{ kind: "lines", lines: [[`and ${more} more ${what}`.trimEnd()]] }];
}

function listBlocks(title: string, texts: readonly string[]): readonly Block[] {
  if (texts.length === 0) return [];
  return [{ kind: "lines", lines: [[title], ...texts.map((text) => [`  ${foreignText(text, 300)}`])] }];
}
