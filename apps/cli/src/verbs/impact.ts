// `impact`: which nodes reboot, in which order, what becomes of their VMs, and what the assessment assumes.

import type { Impact, ImpactEntry } from "@virt/api";
import { ageText, foreignText, planName, secondsSince } from "@virt/client";
import { requireConfig, requirePlan } from "../find-config.ts";
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
    [impact === undefined ? "VM impact: not assessed" : foreignText(impact.summary, 512)],
    ...(age === undefined ? [] : [[{ text: `assessed ${ageText(age)} ago`, style: "dim" as const }]]),
  ];
  const classes: Block = {
    kind: "table",
    head: ["POOL", "CLASS"],
    rows: disruption.map((one) => [one.pool, one.class]),
  };
  const own: readonly Block[] =
    disruption.length === 0 ? [{ kind: "lines", lines: [["No node changes."]] }] : [classes];
  printer.print({
    type: "Impact",
    data: { name, planHash, disruption, ...(impact && { impact }) },
    blocks: [{ kind: "lines", lines: head }, ...(impact === undefined ? own : impactBlocks(impact))],
  });
  return exitCodes.done;
};

function impactBlocks(impact: Impact): readonly Block[] {
  const { pools, vms, pods, capacity, duration, blockers, stops, more, assumes, notAssessed } = impact;
  const figures: StyledText[][] = [
    ...(vms === undefined
      ? []
      : [
          [
            `VMs: ${Object.entries(vms)
              .map(([outcome, count]) => `${count} ${outcome}`)
              .join(", ")}`,
          ],
        ]),
    ...(pods === undefined ? [] : [[`Pods: ${pods.block} block, ${pods.delete} are deleted`]]),
    [`Room: ${roomText(capacity)}`],
    ...(duration === undefined
      ? []
      : [[`Takes: ${duration.text} (restarts: ${duration.restart}, migrations: ${duration.migration})`]]),
  ];
  const bullet = (text: string): StyledText[] => [`  ${foreignText(text, 300)}`];
  return [
    ...(pools.length === 0 ? [] : [poolTable(impact)]),
    { kind: "lines", lines: figures },
    ...entryBlocks("Blocks the drain until a person acts:", blockers, more.blockers),
    ...entryBlocks("Stops, restarts or is deleted:", stops, more.stops),
    ...(notAssessed.length === 0
      ? []
      : [
          {
            kind: "lines",
            lines: [
              ["Not assessed:"],
              ...notAssessed.map(({ what, reason, message }) => bullet(`${what}: ${reason} ${message}`)),
            ],
          } as const,
        ]),
    ...(assumes.length === 0 ? [] : [{ kind: "lines", lines: [["Assumes:"], ...assumes.map(bullet)] } as const]),
  ];
}

function roomText({ fits, nodes, unplacedVMs, unplacedMiB }: Impact["capacity"]): string {
  if (fits !== "No") return fits === "Yes" ? "the VMs of every wave fit elsewhere" : "not known";
  return `none for ${unplacedVMs} VMs (${unplacedMiB} MiB) when ${nodes.join(", ")} drain`;
}

function poolTable({ pools }: Impact): Block {
  return {
    kind: "table",
    head: ["POOL", "CLASS", "NODES", "AT ONCE", "HELD", "WHY HELD", "ORDER"],
    rows: pools.map((pool) => [
      pool.name,
      { text: pool.class, style: pool.class === "Reboot" ? "bad" : "warning" },
      `${pool.nodes}`,
      `${pool.atOnce}`,
      `${pool.held}`,
      pool.holdup ?? "-",
      pool.order.join(" ") || "-",
    ]),
  };
}

function entryBlocks(title: string, entries: readonly ImpactEntry[], more: number): readonly Block[] {
  if (entries.length === 0) return [];
  const rows = entries.map(({ node, kind, namespace, name, reason }) => [
    node,
    `${kind} ${namespace}/${name}`,
    foreignText(reason),
  ]);
  const rest: readonly Block[] = more === 0 ? [] : [{ kind: "lines", lines: [[`and ${more} more`]] }];
  return [
    { kind: "lines", lines: [[{ text: `! ${title}`, style: "warning" }]] },
    { kind: "table", head: ["NODE", "OBJECT", "REASON"], rows },
    ...rest,
  ];
}
