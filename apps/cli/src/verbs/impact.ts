// `impact`: prints the nodes that a plan reboots, in order, the effects on their VMs, and the assumptions made.

import { type Impact, type ImpactPool, type VmOutcome, vmOutcomes } from "@virt/api";
import { ageText, durationText, foreignText, planName, secondsSince } from "@virt/views";
import { blockerBlocks, entryTable, impactData, moreBlocks } from "../blocker-blocks.ts";
import { type Block, listBlock, type StyledText, textBlock } from "../blocks.ts";
import { requireConfig, requirePlan } from "../find-config.ts";
import { impactText } from "../plan-blocks.ts";
import { exitCodes, type RunVerb } from "../verb.ts";

export const showImpact: RunVerb = async (context) => {
  const { words, printer, now, program } = context;
  const config = await requireConfig(context);
  const [name = ""] = words;
  const planHash = requirePlan(config, undefined, program);
  const { impact, disruption = [], impactSeverity } = config.status ?? {};
  const details = `${program} impact ${name} -o json`;
  const head = textBlock(
    [{ text: name, style: "bold" }, `   plan ${planName(planHash)}   impact ${impactSeverity ?? "-"}`],
    impactText(config),
    ...assessedLines(impact?.assessedAt, now(), printer.format === "wide"),
  );
  const classes: Block = {
    kind: "table",
    head: ["POOL", "CLASS"],
    rows: disruption.map((one) => [one.pool, one.class]),
  };
  const own = disruption.length === 0 ? textBlock("No nodes change.") : classes;
  printer.print({
    type: "Impact",
    data: { name, planHash, disruption, ...(impact && { impact: impactData(impact) }) },
    blocks: [head, ...(impact === undefined ? [own] : impactBlocks(impact, details))],
  });
  return exitCodes.done;
};

export function assessedLines(time: string | undefined, now: number, isWide: boolean): StyledText[][] {
  const seconds = secondsSince(time, now);
  if (time === undefined || seconds === undefined) return [];
  return [[{ text: `assessed ${ageText(seconds)} ago${isWide ? ` (${foreignText(time)})` : ""}`, style: "dim" }]];
}

/** Formats the impact. `details` is the command that prints the omitted parts. */
export function impactBlocks(impact: Impact, details?: string): readonly Block[] {
  const { assumes, notAssessed } = impact;
  const gaps = notAssessed.map(({ what, reason, message }) => `${what}: ${reason}${message && ` (${message})`}`);
  return [
    ...poolBlocks(impact),
    textBlock(...figureLines(impact)),
    ...blockerBlocks(impact, details),
    ...stopBlocks(impact),
    listBlock("Not assessed:", gaps.map(indented)),
    listBlock("Assumptions:", assumes.map(indented)),
  ];
}

function figureLines({ vms, pods, capacity, duration }: Impact): readonly string[] {
  return [
    ...(vms === undefined ? [] : [`VMs: ${vmText(vms)}`]),
    ...(pods === undefined ? [] : [`Pods: ${pods.block} blocking the drain, ${pods.delete} deleted`]),
    `Capacity: ${roomText(capacity)}`,
    ...(duration === undefined
      ? []
      : [`Duration: ${duration.text} (restarts: ${duration.restart}, migrations: ${duration.migration})`]),
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

function stopBlocks({ stops, more }: Impact): readonly Block[] {
  if (stops.length + more.stops === 0) return [];
  const title = "! Stops, restarts, is deleted, or waits for an external controller:";
  return [
    textBlock({ text: title, style: "warning" }),
    ...(stops.length === 0 ? [] : [entryTable(stops)]),
    ...moreBlocks(more.stops),
  ];
}

function indented(text: string): string {
  return `  ${foreignText(text, 300)}`;
}
